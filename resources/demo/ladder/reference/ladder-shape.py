def ladder_shape(values):
    return [len(values), min(values), max(values)]
