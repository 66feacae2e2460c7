def ladder_profile(values):
    return [min(values), max(values), max(values) - min(values), sorted(values)[len(values) // 2], sum(a < b for a, b in zip(values, values[1:]))]
