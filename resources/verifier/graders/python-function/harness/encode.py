import _json


class Refused(Exception):
    """A value with no strict JSON form."""


def encode(value, limit, quote=_json.encode_basestring_ascii):
    """Strict JSON text of a value, without recursion and without calling a method that the program could have overridden.

    A subclass counts as the built-in value that it holds. Only strings are keys: {1: 2} is not {"1": 2}. A value that contains itself
    ends at the limit, in bytes.
    """
    parts, size, todo = [], 0, [(False, value)]
    while todo:
        raw, item = todo.pop()
        text = item if raw else scalar(item, quote)
        if text is None:
            text = open_container(item, todo, limit, quote)
        size += len(text)
        if size > limit or len(todo) > limit:
            raise Refused('a value of more than %d bytes' % limit)
        parts.append(text)
    return ''.join(parts)


def scalar(item, quote):
    kind = type(item)
    if item is None:
        return 'null'
    if kind is bool:
        return 'true' if item is True else 'false'
    if issubclass(kind, int):
        return int.__repr__(item)
    if issubclass(kind, float):
        return float.__repr__(item)
    if issubclass(kind, str):
        return quote(str.__str__(item))
    return None


def open_container(item, todo, limit, quote):
    kind = type(item)
    if issubclass(kind, (list, tuple)):
        base = list if issubclass(kind, list) else tuple
        count = base.__len__(item)
        if count > limit:
            raise Refused('a value of more than %d bytes' % limit)
        todo.append((True, ']'))
        for index in range(count - 1, -1, -1):
            todo.append((False, base.__getitem__(item, index)))
            if index:
                todo.append((True, ','))
        return '['
    if issubclass(kind, dict):
        todo.append((True, '}'))
        entries = list(dict.items(item))
        for index in range(len(entries) - 1, -1, -1):
            key, held = entries[index]
            if not issubclass(type(key), str):
                raise Refused('a dict with a key that is no string')
            todo.append((False, held))
            todo.append((True, (',' if index else '') + quote(str.__str__(key)) + ':'))
        return '{'
    raise Refused('a value of type ' + type_name(item))


def type_name(item):
    return type.__dict__['__name__'].__get__(type(item))
