"""Form fields: a label, the control and the field's errors, each kind as one tag."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.forms.boundfield import BoundField
from django.forms.utils import flatatt
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.inclusion_tag("frontend/web/_select.html")
def select(field: BoundField) -> dict[str, Any]:
    """The options of a field, with the current value selected; nested lists become option groups."""
    choices: list[tuple[Any, Any]] = list(getattr(field.field, "choices", ()))
    groups = [(value, word) if isinstance(word, list) else ("", [(value, word)]) for value, word in choices]
    value = _format_value(field.value())
    return {"field": field, "groups": [(title, _draw_options(listed, value)) for title, listed in groups]}


def _draw_options(choices: Iterable[tuple[Any, Any]], value: str) -> SafeString:
    """Written in Python, because there are hundreds of time zones."""
    options = ((choice, SafeString(" selected") if str(choice) == value else "", word) for choice, word in choices)
    return format_html_join("\n", '<option value="{}"{}>{}</option>', options)


@register.inclusion_tag("frontend/web/_select_field.html")
def select_field(field: BoundField, label: str, hint: str = "", short: bool = False) -> dict[str, Any]:
    """A field with choices. `hint` is shown after the label in smaller type; a `short` field is narrower."""
    return {"field": field, "label": label, "hint": hint, "short": short}


@register.inclusion_tag("frontend/web/_text_field.html")
def text_field(
    field: BoundField, label: str, hint: str = "", short: bool = False, code: bool = False, **attributes: Any
) -> dict[str, Any]:
    """A single-line field. `code` is for names and patterns: no capitalization, no spell check. Further attributes are
    added to the `<input>`, and so is `required`, from the form.
    """
    attributes = {"value": _format_value(field.value()), **attributes, "required": field.field.required}
    if code:
        attributes |= {"autocapitalize": "none", "spellcheck": "false"}
    return {"field": field, "label": label, "hint": hint, "short": short, "attributes": flatatt(attributes)}


@register.inclusion_tag("frontend/web/_text_field.html")
def password_field(
    field: BoundField, label: str, hint: str = "", short: bool = False, new: bool = False
) -> dict[str, Any]:
    """A password, which is never written back into the page. A `new` one is offered to the password manager."""
    autocomplete = "new-password" if new else "current-password"
    attributes = flatatt({"type": "password", "autocomplete": autocomplete, "required": True})
    return {"field": field, "label": label, "hint": hint, "short": short, "attributes": attributes}


@register.inclusion_tag("frontend/web/_choice.html")
def radio(field: BoundField, value: str, title: str, note: str) -> dict[str, Any]:
    """One option of a single-choice field."""
    checked = field.value() == value
    return {"type": "radio", "name": field.html_name, "value": value, "checked": checked, "title": title, "note": note}


@register.inclusion_tag("frontend/web/_choice.html")
def checkbox(field: BoundField, value: str, title: str, note: str, id_prefix: str = "") -> dict[str, Any]:
    """One option of a multiple-choice field. With an `id_prefix` the box has an id: the prefix and the value."""
    checked = value in (field.value() or ())
    return {
        "type": "checkbox",
        "id": id_prefix and f"{id_prefix}{value}",
        "name": field.html_name,
        "value": value,
        "checked": checked,
        "title": title,
        "note": note,
    }


@register.inclusion_tag("frontend/web/_choice.html")
def switch(field: BoundField, title: str, note: str) -> dict[str, Any]:
    """A checkbox that is on or off."""
    name, checked = field.html_name, bool(field.value())
    return {"type": "checkbox", "name": name, "value": "on", "checked": checked, "title": title, "note": note}


def _format_value(value: object) -> str:
    return "" if value is None else str(value)
