"""Scans texts for secrets, personal data, control characters, and spellings that don't do what they seem to."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.problems import Lines, Problem, Severity, unify_newlines
from promptuary.renderer.validation import personal_data, secrets

__all__ = ["is_harmless", "scan_samples", "scan_text", "scan_values"]

_LIMIT = 50  # of each kind: a pasted list needn't produce a thousand sentences


def scan_text(document: Document) -> Iterator[Problem]:
    """Return problems of the document's own text. No message repeats what was found."""
    text = unify_newlines(document.text)
    lines = Lines(text)
    for secret in itertools.islice(secrets.find_secrets(text), _LIMIT):
        place = lines.place(secret.start, secret.end)
        message = (
            f"this looks like {secret.kind}; versions are kept forever, so give it where the prompt is sent "
            f"({secrets.ADVICE})"
        )
        severity: Severity = "error" if secret.sure else "warning"
        yield Problem("PT701", severity, message, place.line, place.column, place.end_line, place.end_column)
    for datum in itertools.islice(personal_data.find_personal_data(text), _LIMIT):
        place = lines.place(datum.start, datum.end)
        message = f"this looks like {datum.kind}; versions are kept forever, so make it an input"
        yield Problem("PT710", "warning", message, place.line, place.column, place.end_line, place.end_column)
    for mark in find_control_marks(document.body):
        place = document.body_place(*mark.span())
        message = f"the chat markup is added for you; remove `{mark.group()}`"
        yield Problem("PT610", "warning", message, place.line, place.column, place.end_line, place.end_column)


def scan_samples(samples: Mapping[str, Mapping[str, Any]]) -> Iterator[Problem]:
    """Return secrets and personal data in samples, which are versioned like documents."""
    for name, data in samples.items():
        if secret_name := next((secret for secret in secrets.find_secrets(name) if secret.sure), None):
            yield Problem(
                "PT701", "error", f"the name of a sample looks like {secret_name.kind}; samples are kept forever"
            )
            continue
        yield from scan_values(data, f"sample `{name}`: ", "samples are kept forever", sample=name)


def scan_values(value: Any, prefix: str, reason: str, *, sample: str | None = None) -> Iterator[Problem]:
    """Return secrets and personal data in a JSON value, including keys of mappings; `variable` is the path to each."""
    for path, text in _list_texts(value, ""):
        for secret in itertools.islice(secrets.find_secrets(text), _LIMIT):
            message = f"{prefix}`{path}` looks like {secret.kind}; {reason} ({secrets.ADVICE})"
            yield Problem("PT701", "error" if secret.sure else "warning", message, variable=path, sample=sample)
        for datum in itertools.islice(personal_data.find_personal_data(text), _LIMIT):
            message = f"{prefix}`{path}` contains {datum.kind}; {reason}, so write one that is nobody's"
            yield Problem("PT710", "warning", message, variable=path, sample=sample)


def is_harmless(values: Iterable[Any]) -> bool:
    """Whether none of these JSON values can contain a secret or personal data, by a single scan of all their texts."""
    text = "\n".join(text for value in values for _, text in _list_texts(value, "", names=True))
    return not any(True for find in (secrets.find_secrets, personal_data.find_personal_data) for _ in find(text))


def _list_texts(value: Any, path: str, *, names: bool = False) -> Iterator[tuple[str, str]]:
    """Yield each text with its path; with `names` also all keys of mappings, otherwise only those with a secret."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            name = str(key)
            if names or any(secret.sure for secret in secrets.find_secrets(name)):
                yield path, name
                name = "…"  # the path would repeat it
            yield from _list_texts(item, f"{path}.{name}" if path else name, names=names)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _list_texts(item, f"{path}[{index}]", names=names)


_MARKS = re.compile(
    r"<\|(?!space\|)[a-z0-9_]{2,40}\|>"
    r"|\[/?INST\]|<</?SYS>>|</?s>(?=\s|\[|$)"
    r"|<(?:start_of_turn|end_of_turn|bos|eos|pad|unk)>"
    r"|<｜[^｜\n]{1,40}｜>"
)


def find_control_marks(text: str) -> Iterator[re.Match[str]]:
    """Return each mark of a known model family."""
    return _MARKS.finditer(text)
