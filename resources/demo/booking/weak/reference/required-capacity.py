import heapq


def required_capacity(bookings):
    ends = []
    peak = 0
    for start, end in sorted(bookings):
        while ends and ends[0] <= start:
            heapq.heappop(ends)
        heapq.heappush(ends, end)
        peak = max(peak, len(ends))
    return peak
