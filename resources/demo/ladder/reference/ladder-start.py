def ladder_start(values):
    return [values, values[0]]
