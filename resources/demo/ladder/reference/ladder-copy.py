def ladder_copy(values):
    return [values]
