"""Values for the preview, typed beside the inputs that a text uses and does not declare."""

from collections.abc import Mapping
from typing import Any

from frontend.editor.sample_edits import read_value
from registry.core.input_checks import BadJson, parse_json

__all__ = ["TYPED_KINDS", "take_typed_values", "write_typed_value"]

TYPED_KINDS = ("text", "number", "yes-no", "list")
"""The kinds that have a control in the table; a group has its fields among all values."""
_WORDS = {True: "yes", False: "no"}


def write_typed_value(values: Mapping[str, Any], name: str, kind: str) -> str:
    """The value as its control shows it, empty for none: a list has one item a line, a boolean is `yes` or `no`."""
    value = read_value(values, name)
    if kind == "list":
        return "\n".join(map(str, value)) if isinstance(value, list) else ""
    if isinstance(value, bool):
        return _WORDS[value] if kind == "yes-no" else ""
    return str(value) if isinstance(value, str | int | float) else ""


def take_typed_values(data: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The values with those that a plain form sends as `value.text.question`, by kind and name.

    `shown.text.question` is what the control showed at first: one that was not touched changes nothing, and one that
    was emptied removes the value.
    """
    values = dict(data)
    for key, typed in fields.items():
        kind, _, name = key.removeprefix("value.").partition(".")
        if not key.startswith("value.") or kind not in TYPED_KINDS:
            continue
        text = str(typed).replace("\r\n", "\n")
        if text == str(fields.get(f"shown.{kind}.{name}", "")).replace("\r\n", "\n"):
            continue
        if text.strip():
            values[name] = _read_typed(text, kind)
        else:
            values.pop(name, None)
    return values


def _read_typed(text: str, kind: str) -> Any:
    """The value of a control; a number that is none stays a text, which the preview then names."""
    if kind == "list":
        return [line.strip() for line in text.split("\n") if line.strip()]
    if kind == "yes-no":
        return text == _WORDS[True]
    if kind == "number":
        try:
            number = parse_json(text.strip().encode("utf-8", "replace"))
        except BadJson:
            return text
        return number if type(number) in (int, float) else text
    return text
