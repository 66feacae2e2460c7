def ladder_trend(values):
    return [max(values) - min(values), sum(a < b for a, b in zip(values, values[1:])), values[-1]]
