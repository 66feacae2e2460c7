def ladder_range(values):
    return [min(values), max(values)]
