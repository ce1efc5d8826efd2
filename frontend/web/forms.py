"""Parts of the pages' forms: errors of a service in a form, text of several lines or words, selects of versions.

A form validates its input; the service decides whether the action is permitted.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from frontend.web.field_labels import capitalise_sentence
from registry.core.errors import Invalid, PromptuaryError

__all__ = [
    "LinesField",
    "add_errors",
    "list_version_choices",
    "parse_form_number",
    "set_choices",
    "split_words",
]

# A select with more rows than this is unusable; older versions are reached from the history.
MAX_VERSIONS = 200
_MAX_DIGITS = 8
_BETWEEN_ITEMS = re.compile(r"[,;:\n]")


def parse_form_number(text: str | None) -> int:
    """A form field as an int; 0 if it is missing, not a number or longer than 7 digits."""
    return int(text) if text and text.isdecimal() and len(text) < _MAX_DIGITS else 0


def split_words(text: str) -> list[str]:
    """The words of a field that accepts several, separated by commas or spaces."""
    return [word for word in text.replace(",", " ").split() if word]


def add_errors(form: forms.Form, error: PromptuaryError) -> None:
    """Add a service's refusal to the form: at its field, or above the form."""
    sentences = error.fields if isinstance(error, Invalid) else {}
    names = _list_names(form)
    for field, sentence in sentences.items():
        form.add_error(field if field in form.fields else None, capitalise_sentence(sentence, names))
    if not sentences:
        form.add_error(None, error.message)


def _list_names(form: forms.Form) -> set[str]:
    """Values that are single words, alone or in a list: a message that begins with one begins with a name."""
    sent = form.data.lists() if isinstance(form.data, QueryDict) else ()
    items = (item.strip() for _, values in sent for value in values for item in _BETWEEN_ITEMS.split(value))
    return {item for item in items if item and not re.search(r"\s", item)}


class LinesField(forms.CharField):
    """Text of several lines: converts the browser's CRLF to LF, and doesn't strip leading and trailing space."""

    widget = forms.Textarea

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str | None:
        text = super().to_python(value)
        return text.replace("\r\n", "\n").replace("\r", "\n") if text else text


def set_choices(form: forms.Form, name: str, choices: Sequence[tuple[Any, str]]) -> None:
    field = form.fields[name]
    if isinstance(field, forms.ChoiceField):
        field.choices = list(choices)


def list_version_choices(newest: int, label_numbers: Mapping[str, int]) -> list[tuple[int, str]]:
    """The newest versions, and every version with a label, each with its labels."""
    return [
        (number, ", ".join([f"v{number}", *(label for label, at in label_numbers.items() if at == number)]))
        for number in sorted({*range(max(1, newest - MAX_VERSIONS), newest + 1), *label_numbers.values()}, reverse=True)
    ]
