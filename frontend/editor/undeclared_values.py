"""Preview values that are typed beside the inputs that a text uses without declaring them."""

from collections.abc import Mapping
from typing import Any

from frontend.editor.sample_edits import read_value
from registry.core.input_checks import BadJson, parse_json

__all__ = ["TYPED_KINDS", "take_typed_values", "write_typed_value"]

TYPED_KINDS = ("text", "number", "yes-no", "list")
"""The kinds that have a control in the table; the fields of a group are among all values."""
_WORDS = {True: "yes", False: "no"}


def write_typed_value(values: Mapping[str, Any], name: str, kind: str) -> str:
    """The value as its control shows it, empty for none: one list item per line, a boolean as `yes` or `no`."""
    value = read_value(values, name)
    if kind == "list":
        return "\n".join(map(str, value)) if isinstance(value, list) else ""
    if isinstance(value, bool):
        return _WORDS[value] if kind == "yes-no" else ""
    return str(value) if isinstance(value, str | int | float) else ""


def take_typed_values(data: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Add the values that a plain form posts as `value.text.question`, by kind and name.

    `shown.text.question` is the control's initial value: an unchanged one has no effect, and an emptied one removes the
    value.
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
    """Parse the value of a control; an invalid number stays text, which the preview then reports."""
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
