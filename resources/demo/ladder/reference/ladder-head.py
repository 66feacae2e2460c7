def ladder_head(values):
    return [values[0]]
