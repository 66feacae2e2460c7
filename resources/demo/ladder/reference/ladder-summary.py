def ladder_summary(values):
    return [len(values), sum(values), min(values), max(values), max(values) - min(values), sorted(values)[len(values) // 2], sum(a < b for a, b in zip(values, values[1:])), sum(v % 2 == 0 for v in values), values[-1], len(values) - len(set(values))]
