"""What the text of a document gives away: secrets, control marks, and spellings that do not do what they seem to."""

from collections.abc import Iterator, Mapping
from typing import Any

from renderer import control_marks, secrets
from renderer.document import Document
from renderer.lines import Lines, unify_newlines
from renderer.problems import Problem

__all__ = ["of_samples", "of_text"]


def of_text(document: Document) -> Iterator[Problem]:
    """Problems of the document's own text."""
    text = unify_newlines(document.text)
    lines = Lines(text)
    for secret in secrets.find(text):
        place = lines.place(secret.start, secret.end)
        message = f"this looks like {secret.kind}; versions are kept for ever, so give it where the prompt is sent"
        severity = "error" if secret.sure else "warning"
        yield Problem("PT701", severity, message, place.line, place.column, place.end_line, place.end_column)  # type: ignore[arg-type]  # one of the two
    for mark in control_marks.find(document.body):
        place = document.body_place(*mark.span())
        message = f"`{mark.group()}` reaches the model as plain text; the profile adds the real marks"
        yield Problem("PT610", "warning", message, place.line, place.column, place.end_line, place.end_column)


def of_samples(samples: Mapping[str, Mapping[str, Any]]) -> Iterator[Problem]:
    """Secrets in samples: they are versioned as the document is."""
    for name, data in samples.items():
        for path, text in _texts(data, ""):
            for secret in secrets.find(text):
                message = f"sample `{name}`: `{path}` looks like {secret.kind}; samples are kept for ever"
                yield Problem("PT701", "error" if secret.sure else "warning", message, variable=path, sample=name)


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _texts(item, f"{path}[{index}]")
