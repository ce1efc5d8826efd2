"""Error messages of JSON Schema validation, one sentence each, which never contain the value.

jsonschema's own messages quote the value, and callers' errors end up in logs and exception trackers. These sentences
mention only types, limits and what the schema allows, all of it written by the author.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import ValidationError

__all__ = ["describe_schema_error"]

_LIMIT = 300  # maximum characters of a sentence
_LISTED = 10  # allowed values to list
_KINDS = {bool: "a boolean", int: "a whole number", float: "a number", str: "a text", list: "a list", dict: "a mapping"}
_TYPES = {  # the same words as for the types of a schema
    "boolean": "a boolean",
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "array": "a list",
    "object": "a mapping",
}


def describe_schema_error(error: "ValidationError") -> str:
    """Return a sentence to follow the value's path: `is a whole number, not one of "text"`; at most 300 characters."""
    if error.cause is not None:  # our own limit, which only concerns lengths
        return f"can't be checked: {error.cause}"
    describe = _SENTENCES.get(str(error.validator))
    message = describe(error.validator_value, error.instance) if describe else ""
    sentence = message or f"does not fit `{error.validator}` of its schema"
    return sentence if len(sentence) <= _LIMIT else sentence[: _LIMIT - 3] + "..."


def _describe_type(types: Any, value: Any) -> str:
    names = [types] if isinstance(types, str) else list(types)
    return f"must be {' or '.join(_TYPES.get(name, str(name)) for name in names)}, not {_name_kind(value)}"


def _name_kind(value: Any) -> str:
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)


def _describe_enum(allowed: Any, _value: Any) -> str:
    values = [_write(choice) for choice in list(allowed)[:_LISTED]]
    more = f" and {len(allowed) - _LISTED} more" if len(allowed) > _LISTED else ""
    return f"must be one of {', '.join(values)}{more}"


def _write(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _describe_required(names: Any, value: Any) -> str:
    missing = [str(name) for name in names if isinstance(value, Mapping) and name not in value]
    return f"lacks {', '.join(f'`{name}`' for name in missing[:_LISTED])}" if missing else ""


def _describe_additional(_allowed: Any, _value: Any) -> str:
    return "has a field that its schema does not allow"  # a caller's key may be data, so the message leaves it out


def _describe_count(word: str, noun: str) -> Callable[[Any, Any], str]:
    def describe(limit: Any, value: Any) -> str:
        return f"has {len(value):,} {noun}; {word} {limit:,} {'is' if limit == 1 else 'are'} allowed"

    return describe


def _describe_comparison(words: str) -> Callable[[Any, Any], str]:
    return lambda limit, _value: f"must be {words} {limit}"


_SENTENCES: dict[str, Callable[[Any, Any], str]] = {
    "type": _describe_type,
    "enum": _describe_enum,
    "const": lambda constant, _value: f"must be {_write(constant)}",
    "required": _describe_required,
    "additionalProperties": _describe_additional,
    "unevaluatedProperties": _describe_additional,
    "propertyNames": lambda _schema, _value: "has a field whose name its schema does not allow",
    "minLength": _describe_count("at least", "characters"),
    "maxLength": _describe_count("at most", "characters"),
    "minItems": _describe_count("at least", "items"),
    "maxItems": _describe_count("at most", "items"),
    "minProperties": _describe_count("at least", "fields"),
    "maxProperties": _describe_count("at most", "fields"),
    "uniqueItems": lambda _wanted, _value: "has the same item twice",
    "contains": lambda _schema, _value: "has no item that `contains` asks for",
    "minimum": _describe_comparison("at least"),
    "maximum": _describe_comparison("at most"),
    "exclusiveMinimum": _describe_comparison("more than"),
    "exclusiveMaximum": _describe_comparison("less than"),
    "multipleOf": _describe_comparison("a multiple of"),
    "pattern": lambda pattern, _value: f"does not match the pattern {_write(pattern)}",
    "format": lambda name, _value: f"is not of the format {name}",
    "anyOf": lambda _schemas, _value: "fits none of the schemas of `anyOf`",
    "oneOf": lambda _schemas, _value: "does not fit exactly one of the schemas of `oneOf`",
    "not": lambda _schema, _value: "fits a schema that `not` excludes",
    "False schema": lambda _schema, _value: "is not allowed at all",
}
