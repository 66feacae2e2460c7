def required_capacity(bookings):
    events = []
    for start, end in bookings:
        events.append((start, 1))
        events.append((end, -1))
    events.sort(key=lambda event: event[0])
    active = 0
    peak = 0
    for _, change in events:
        active += change
        peak = max(peak, active)
    return peak
