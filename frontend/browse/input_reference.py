"""A reference of the inputs that callers of a version must send, in words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy, ngettext

__all__ = ["InputReference", "InputRow", "describe_inputs", "describe_schema"]

# An example in a table is only a hint, so it may be cut.
EXAMPLE_CHARACTERS = 60
TYPE_WORDS = {
    "string": gettext_lazy("text"),
    "integer": gettext_lazy("whole number"),
    "number": gettext_lazy("number"),
    "boolean": gettext_lazy("yes or no"),
    "object": gettext_lazy("group"),
    "null": gettext_lazy("nothing"),
}
LISTS = {
    "string": gettext_lazy("list of texts"),
    "integer": gettext_lazy("list of whole numbers"),
    "number": gettext_lazy("list of numbers"),
    "object": gettext_lazy("list of groups"),
}


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
    """The inputs of a version. `used` lists the variables if no inputs are declared."""

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
            default=_shorten(schema["default"]) if "default" in schema else "",
            example=_choose_example(name, schema, sample),
            outside=bool(schema.get("untrusted")) or _has_untrusted_items(schema),
            description=str(schema.get("description") or ""),
        )
        for name, schema in (inputs or {}).items()
    )
    required = sum(row.required for row in rows)
    parts = [gettext("{count} required").format(count=required)] if required else []
    if len(rows) - required:
        parts.append(gettext("{count} with a default").format(count=len(rows) - required))
    if parts:
        summary = gettext("what callers must send to v{number}: {inputs}").format(
            number=number, inputs=", ".join(parts)
        )
    else:
        summary = gettext("what callers must send to v{number}").format(number=number)
    return InputReference(rows, summary)


def describe_schema(schema: Mapping[str, Any]) -> str:
    """A JSON Schema in a few words: `text, up to 4,000`, `list of texts`, `formal or warm`, `group with name`."""
    if isinstance(schema.get("enum"), list):
        return _join_with_or([_shorten(value) for value in schema["enum"]])
    if "const" in schema:
        return gettext("always {value}").format(value=_shorten(schema["const"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return _join_with_or(
            [
                str(TYPE_WORDS.get(str(each_kind), gettext("list") if each_kind == "array" else str(each_kind)))
                for each_kind in kind
            ]
        )
    if kind == "array":
        return _list_words(schema)
    if kind == "object":
        names = [str(name) for name in schema.get("required") or schema.get("properties") or ()]
        return gettext("group with {names}").format(names=_join_with_and(names)) if names else gettext("group")
    if kind is None:
        return gettext("anything")
    bounds = _describe_bounds(schema)
    return str(TYPE_WORDS.get(str(kind), str(kind))) + (f", {bounds}" if bounds else "")


def _list_words(schema: Mapping[str, Any]) -> str:
    items = schema.get("items")
    words = gettext("list")
    if isinstance(items, Mapping) and "type" in items:
        words = str(LISTS.get(str(items["type"])) or gettext("list of {items}").format(items=describe_schema(items)))
    if isinstance(schema.get("maxItems"), int):
        words += f", {gettext('up to {number}').format(number=_group(schema['maxItems']))}"
    return words


def _describe_bounds(schema: Mapping[str, Any]) -> str:
    low = schema.get("minLength", schema.get("minimum"))
    high = schema.get("maxLength", schema.get("maximum"))
    if isinstance(low, int | float) and isinstance(high, int | float):
        return gettext("{low} to {high}").format(low=_group(low), high=_group(high))
    if isinstance(high, int | float):
        return gettext("up to {number}").format(number=_group(high))
    if isinstance(low, int | float):
        return gettext("from {number}").format(number=_group(low))
    return ""


def _has_untrusted_items(schema: Mapping[str, Any]) -> bool:
    items = schema.get("items")
    return isinstance(items, Mapping) and bool(items.get("untrusted"))


def _choose_example(name: str, schema: Mapping[str, Any], sample: Mapping[str, Any] | None) -> str:
    """The value that the sample is rendered with: its own, or the default if it has none."""
    if sample is None:
        return ""
    if name in sample:
        return _shorten(sample[name])
    return _shorten(schema["default"]) if "default" in schema else ""


def _shorten(value: object) -> str:
    if isinstance(value, list):
        return ngettext("{count} item", "{count} items", len(value)).format(count=_group(len(value)))
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{name}: {_shorten(inner)}" for name, inner in value.items())
        return _cut(pairs) or gettext("empty group")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _cut(" ".join(text.split())) or gettext("empty text")


def _cut(text: str) -> str:
    """Cut the text after the last word that fits; a single word that is too long is cut itself."""
    if len(text) <= EXAMPLE_CHARACTERS:
        return text
    start = text[:EXAMPLE_CHARACTERS]
    words, _, _ = start.rpartition(" ")
    return (words or start[:-1]).rstrip() + "…"


def _join_with_or(words: list[str]) -> str:
    if not words:
        return gettext("nothing")
    if len(words) == 1:
        return words[0]
    return gettext("{words} or {last}").format(words=", ".join(words[:-1]), last=words[-1])


def _join_with_and(words: list[str]) -> str:
    if len(words) == 1:
        return words[0]
    return gettext("{words} and {last}").format(words=", ".join(words[:-1]), last=words[-1])


def _group(number: float) -> str:
    return number_format(number, force_grouping=True)
