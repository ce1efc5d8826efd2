"""Parts of the pages' forms: errors of a service in a form, text of several lines or words, selects of versions.

A form checks the shape of its input; whether it may be done is decided by the service.
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
    "parse_form_number",
    "read_expected",
    "read_seen_version",
    "set_choices",
    "split_words",
    "version_choices",
]

# A select with more rows than this is no help; the rest is reached from the history.
MOST_VERSIONS = 200
_MOST_DIGITS = 8
_BETWEEN_ITEMS = re.compile(r"[,;:\n]")


def parse_form_number(text: str | None) -> int:
    """A form field as an int; 0 if it is missing, not a number or longer than 7 digits."""
    return int(text) if text and text.isdecimal() and len(text) < _MOST_DIGITS else 0


def split_words(text: str) -> list[str]:
    """The words of a field that takes several, with commas or spaces between them."""
    return [word for word in text.replace(",", " ").split() if word]


def read_expected(fields: Mapping[str, Any]) -> int | None:
    """The number of the version that the label served if the form was drawn, 0 for none; None without a form."""
    return parse_form_number(fields.get("expected")) if "expected" in fields else None


def read_seen_version(fields: Mapping[str, Any]) -> int | None:
    """The number of the version that the change proposed if the form was drawn; None if the form does not say it."""
    return parse_form_number(fields.get("seen_version")) or None


def add_errors(form: forms.Form, error: PromptuaryError) -> None:
    """Put a service's refusal where it belongs: at its field, or above the form."""
    sentences = error.fields if isinstance(error, Invalid) else {}
    names = _list_names(form)
    for field, sentence in sentences.items():
        form.add_error(field if field in form.fields else None, capitalise_sentence(sentence, names))
    if not sentences:
        form.add_error(None, error.message)


def _list_names(form: forms.Form) -> set[str]:
    """What was typed or chosen as one word, alone or in a list: if a sentence begins with it, it is a name."""
    sent = form.data.lists() if isinstance(form.data, QueryDict) else ()
    items = (item.strip() for _, values in sent for value in values for item in _BETWEEN_ITEMS.split(value))
    return {item for item in items if item and not re.search(r"\s", item)}


class LinesField(forms.CharField):
    """Text of several lines: browsers post CRLF, a document has LF; spaces at its ends are the author's."""

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


def version_choices(newest: int, standing: Mapping[str, int]) -> list[tuple[int, str]]:
    """The newest versions, and every one a label points to, each with its labels."""
    return [
        (number, ", ".join([f"v{number}", *(label for label, at in standing.items() if at == number)]))
        for number in sorted({*range(max(1, newest - MOST_VERSIONS), newest + 1), *standing.values()}, reverse=True)
    ]
