def required_capacity(bookings):
    peak = 0
    for point, _ in bookings:
        active = sum(1 for start, end in bookings if start <= point <= end)
        peak = max(peak, active)
    return peak
