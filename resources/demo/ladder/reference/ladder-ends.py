def ladder_ends(values):
    return [values[0], values[-1]]
