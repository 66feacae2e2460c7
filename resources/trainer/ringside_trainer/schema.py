"""Checks values against the JSON Schemas in ``generated/``, which come from the console's own definitions.

Only the keywords that those schemas use are understood; an unknown keyword is an error when a schema is loaded, never ignored, so that a
check cannot silently grow weaker when the definitions change.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib import resources
from typing import Any, Iterator

_FOLDER = resources.files(__package__).joinpath("generated")
_KNOWN = {
    "$schema", "type", "properties", "required", "additionalProperties", "propertyNames", "items", "anyOf", "oneOf", "const", "enum",
    "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "minItems", "minLength", "maxLength",
}


class SchemaError(ValueError):
    """The value does not fit; the message names the place and what was wanted there."""


@lru_cache(maxsize=None)
def load(name: str) -> dict[str, Any]:
    """The schema ``generated/<name>.schema.json``. Raises ``SchemaError`` where it uses a keyword that is not understood here."""
    schema = json.loads(_FOLDER.joinpath(f"{name}.schema.json").read_text(encoding="utf-8"))
    for keyword in _keywords(schema):
        if keyword not in _KNOWN:
            raise SchemaError(f"{name}: the keyword {keyword} is not understood")
    return schema


def check(value: Any, schema: dict[str, Any], path: str = "") -> None:
    """Raises ``SchemaError`` at the first place where ``value`` does not fit ``schema``."""
    if "oneOf" in schema or "anyOf" in schema:
        _check_alternatives(value, schema.get("oneOf") or schema["anyOf"], path)
        return
    if "const" in schema and not _same(value, schema["const"]):
        raise SchemaError(f"{path or 'value'}: must be {schema['const']!r}, is {value!r}")
    if "enum" in schema and value not in schema["enum"]:
        raise SchemaError(f"{path or 'value'}: must be one of {schema['enum']}, is {value!r}")
    _check_type(value, schema.get("type"), path)
    if isinstance(value, str):
        _check_text(value, schema, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        _check_number(value, schema, path)
    elif isinstance(value, dict):
        _check_object(value, schema, path)
    elif isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            raise SchemaError(f"{path}: must have at least {schema['minItems']} items")
        for index, item in enumerate(value):
            check(item, schema.get("items", {}), f"{path}[{index}]")


def _same(value: Any, const: Any) -> bool:
    return value == const and isinstance(value, bool) == isinstance(const, bool)


def _check_alternatives(value: Any, alternatives: list[dict[str, Any]], path: str) -> None:
    """The first alternative that fits. Where they are told apart by ``type``, only that one is tried, for a useful message."""
    if isinstance(value, dict) and "type" in value:
        named = [a for a in alternatives if a.get("properties", {}).get("type", {}).get("const") == value["type"]]
        if named:
            return check(value, named[0], path)
    problems = []
    for alternative in alternatives:
        try:
            return check(value, alternative, path)
        except SchemaError as problem:
            problems.append(str(problem))
    raise SchemaError(f"{path or 'value'}: fits no alternative ({problems[0] if problems else 'there is none'})")


_TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "number": (int, float), "integer": int,
}


def _check_type(value: Any, wanted: str | list[str] | None, path: str) -> None:
    if wanted is None:
        return
    names = [wanted] if isinstance(wanted, str) else wanted
    if not any(_is_of(value, name) for name in names):
        raise SchemaError(f"{path or 'value'}: must be of type {' or '.join(names)}, is {value!r}")


def _is_of(value: Any, name: str) -> bool:
    """JSON's view of Python's types: a bool is no number, and 2.0 is an integer."""
    if name in ("number", "integer") and isinstance(value, bool):
        return False
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name])


def _check_text(value: str, schema: dict[str, Any], path: str) -> None:
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise SchemaError(f"{path}: {value!r} does not match {schema['pattern']}")
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        raise SchemaError(f"{path}: has a length of {len(value)}")


def _check_number(value: float, schema: dict[str, Any], path: str) -> None:
    if value != value or value in (float("inf"), float("-inf")):
        raise SchemaError(f"{path}: {value} is no JSON number; write null where a figure is not known")
    if value < schema.get("minimum", value) or value > schema.get("maximum", value):
        raise SchemaError(f"{path}: {value} is out of range")
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        raise SchemaError(f"{path}: {value} is out of range")


def _check_object(value: dict[str, Any], schema: dict[str, Any], path: str) -> None:
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            raise SchemaError(f"{path or 'value'}: lacks {name}")
    for name, item in value.items():
        where = f"{path}.{name}" if path else name
        if name in properties:
            check(item, properties[name], where)
        elif schema.get("additionalProperties") is False:
            raise SchemaError(f"{where}: is not part of the schema")
        elif isinstance(schema.get("additionalProperties"), dict):
            check(item, schema["additionalProperties"], where)


def _keywords(schema: Any) -> Iterator[str]:
    """Every keyword used at a place where a schema stands (names of properties are no keywords)."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        yield keyword
        if keyword == "properties":
            for inner in value.values():
                yield from _keywords(inner)
        elif keyword in ("anyOf", "oneOf"):
            for inner in value:
                yield from _keywords(inner)
        elif keyword in ("items", "additionalProperties", "propertyNames"):
            yield from _keywords(value)
