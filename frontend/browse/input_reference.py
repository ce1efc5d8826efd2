"""A reference of the inputs that callers of a version must send, in words. Pure; no Django."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["InputReference", "InputRow", "describe_inputs", "describe_schema"]

# An example in a table is a hint, not the value.
EXAMPLE_CHARACTERS = 60
TYPE_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "object": "group",
    "null": "nothing",
}
MANY_WORDS = {"string": "texts", "integer": "whole numbers", "number": "numbers", "object": "groups"}


@dataclass(frozen=True)
class InputRow:
    """One input as a row: everything but the name in plain words; `outside` is the front matter's `untrusted`."""

    name: str
    type: str
    required: bool
    default: str
    example: str
    outside: bool
    description: str


@dataclass(frozen=True)
class InputReference:
    """The inputs of a version. `used` names variables where nothing is declared."""

    rows: tuple[InputRow, ...]
    summary: str
    used: tuple[str, ...] = ()


def describe_inputs(
    inputs: Mapping[str, Mapping[str, Any]] | None, sample: Mapping[str, Any] | None, number: int
) -> InputReference:
    """The table of a version's declared inputs, with a sample's values as examples."""
    rows = tuple(
        InputRow(
            name=name,
            type=describe_schema(schema),
            required="default" not in schema,
            default=_short(schema["default"]) if "default" in schema else "",
            example=_short(sample[name]) if sample and name in sample else "",
            outside=bool(schema.get("untrusted")) or _items_outside(schema),
            description=str(schema.get("description") or ""),
        )
        for name, schema in (inputs or {}).items()
    )
    required = sum(row.required for row in rows)
    parts = [f"{required} required"] if required else []
    if len(rows) - required:
        parts.append(f"{len(rows) - required} with a default")
    return InputReference(rows, f"what callers must send to v{number}" + (f": {', '.join(parts)}" if parts else ""))


def describe_schema(schema: Mapping[str, Any]) -> str:
    """A JSON Schema in a few words: `text, up to 4,000`, `list of texts`, `formal or warm`, `group with name`."""
    if isinstance(schema.get("enum"), list):
        return _either([_short(value) for value in schema["enum"]])
    if "const" in schema:
        return f"always {_short(schema['const'])}"
    kind = schema.get("type")
    if isinstance(kind, list):
        return _either(
            [TYPE_WORDS.get(str(each_kind), "list" if each_kind == "array" else str(each_kind)) for each_kind in kind]
        )
    if kind == "array":
        return _list_words(schema)
    if kind == "object":
        names = [str(name) for name in schema.get("required") or schema.get("properties") or ()]
        return f"group with {_all(names)}" if names else "group"
    if kind is None:
        return "anything"
    bounds = _bounds(schema)
    return TYPE_WORDS.get(str(kind), str(kind)) + (f", {bounds}" if bounds else "")


def _list_words(schema: Mapping[str, Any]) -> str:
    items = schema.get("items")
    words = "list"
    if isinstance(items, Mapping) and "type" in items:
        words = f"list of {MANY_WORDS.get(str(items['type']), describe_schema(items))}"
    if isinstance(schema.get("maxItems"), int):
        words += f", up to {schema['maxItems']:,}"
    return words


def _bounds(schema: Mapping[str, Any]) -> str:
    low = schema.get("minLength", schema.get("minimum"))
    high = schema.get("maxLength", schema.get("maximum"))
    if isinstance(low, int | float) and isinstance(high, int | float):
        return f"{low:,} to {high:,}"
    if isinstance(high, int | float):
        return f"up to {high:,}"
    if isinstance(low, int | float):
        return f"from {low:,}"
    return ""


def _items_outside(schema: Mapping[str, Any]) -> bool:
    items = schema.get("items")
    return isinstance(items, Mapping) and bool(items.get("untrusted"))


def _short(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value):,} item{'' if len(value) == 1 else 's'}"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{name}: {_short(inner)}" for name, inner in value.items())
        return _cut(pairs) or "empty group"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _cut(" ".join(text.split())) or "empty text"


def _cut(text: str) -> str:
    return text if len(text) <= EXAMPLE_CHARACTERS else text[: EXAMPLE_CHARACTERS - 1].rstrip() + "…"


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "nothing"


def _all(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
