def ladder_centre(values):
    return [len(values), sum(values), sorted(values)[len(values) // 2], sum(v % 2 == 0 for v in values)]
