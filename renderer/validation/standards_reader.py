"""Parsing standards from plain values, in the form of the API and YAML files, with a sentence for each error."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from promptuary.renderer.syntax import suggestions
from promptuary.renderer.syntax.regular_expressions import PatternError, compile_pattern
from promptuary.renderer.validation.standards import (
    BannedWordsStandard,
    DescriptionStandard,
    ModelsStandard,
    NameStandard,
    RequiredWordsStandard,
    SamplesStandard,
    SizeStandard,
    Standard,
    Standards,
    TagsStandard,
)

__all__ = ["MAX_WORDS", "SEVERITIES", "StandardsError", "read_standards"]

SEVERITIES = ("error", "warning")
MAX_WORDS = 100
"""The maximum number of names, words or phrases in one list."""

_MAX_WORD_LENGTH = 200
_MAX_PATTERN_LENGTH = 500
_MAX_TAGS = 50
_MAX_SAMPLES = 200
_MAX_CHARACTERS = 256 * 1024


class StandardsError(Exception):
    """Invalid standards. `faults`: a sentence for each wrong setting, by its path, such as `tags.least`."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{path}: {sentence}" if path else sentence for path, sentence in faults.items()))
        self.faults = dict(faults)


def read_standards(value: object) -> Standards:
    """Parse the standards in `{name: {setting: value}}`, plain JSON types. A null value means that one isn't set.

    Raises StandardsError with all errors.
    """
    if not isinstance(value, Mapping):
        raise StandardsError({"": f"standards are a mapping with the names {', '.join(_KINDS)}."})
    faults: dict[str, str] = {}
    standards: dict[str, Any] = {}
    for name, settings in value.items():
        if name not in _KINDS:
            names = ", ".join(_KINDS)
            faults[suggestions.shorten_name(name)] = f"there is no such standard; there are {names}."
        elif settings is not None:
            standards[name] = _read_standard(name, settings, faults)
    if faults:
        raise StandardsError(faults)
    return Standards(**standards)


def _read_standard(name: str, settings: object, faults: dict[str, str]) -> Standard | None:
    """The standard, or None if it is invalid, after adding to the faults."""
    kind = _KINDS[name]
    field_names = [item.name for item in fields(kind)]
    if not isinstance(settings, Mapping):
        faults[name] = f"this is a mapping with the settings {', '.join(field_names)}."
        return None
    values: dict[str, Any] = {}
    before = len(faults)
    for setting, value in settings.items():
        path = f"{name}.{suggestions.shorten_name(setting)}"
        if setting not in field_names:
            faults[path] = f"there is no such setting; there are {', '.join(field_names)}."
            continue
        try:
            values[setting] = _make_reader(name, setting)(value)
        except ValueError as error:
            faults[path] = str(error)
    for item in fields(kind):
        if item.default is MISSING and item.name not in settings:
            faults[f"{name}.{item.name}"] = "this setting is missing."
    if kind is TagsStandard and len(faults) == before and not (values.get("least") or values.get("allowed")):
        faults[f"{name}.least"] = "say how many tags are required, or which are allowed."
    return kind(**values) if len(faults) == before else None


def _make_reader(name: str, setting: str) -> Callable[[Any], Any]:
    return _READERS.get((name, setting)) or _READERS[("", setting)]


def _read_severity(value: Any) -> str:
    if value not in SEVERITIES:
        raise ValueError(f"one of {', '.join(SEVERITIES)}.")
    return str(value)


def _read_whole_number(least: int, largest: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= largest:
            raise ValueError(f"a whole number from {least} to {largest:,}.")
        return value

    return read


def _read_words(value: Any) -> tuple[str, ...]:
    """Single-line texts without duplicates and surrounding spaces."""
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise ValueError("a list of texts.")
    words = tuple(dict.fromkeys(word.strip() for word in value))
    if not 1 <= len(words) <= MAX_WORDS:
        raise ValueError(f"1 to {MAX_WORDS} texts.")
    wrong = [word for word in words if not word or len(word) > _MAX_WORD_LENGTH or not word.isprintable()]
    if wrong:
        raise ValueError(
            f"{suggestions.shorten_name(wrong[0])!r} is none: 1 to {_MAX_WORD_LENGTH} characters that can be printed."
        )
    return words


def _read_names(value: Any) -> tuple[str, ...]:
    """As `_read_words`, but an empty list allows everything."""
    return () if value in ([], ()) else _read_words(value)


def _read_pattern(value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= _MAX_PATTERN_LENGTH:
        raise ValueError(f"a regular expression of 1 to {_MAX_PATTERN_LENGTH} characters.")
    try:
        pattern = compile_pattern(value)
    except PatternError as error:
        raise ValueError(f"this is not a regular expression: {error}.") from None
    if not pattern.is_linear:
        raise ValueError(f"this pattern can be slow ({pattern.reason}); write it without that.")
    return value


_KINDS: Mapping[str, type[Standard]] = {
    "description": DescriptionStandard,
    "tags": TagsStandard,
    "samples": SamplesStandard,
    "name": NameStandard,
    "size": SizeStandard,
    "banned_words": BannedWordsStandard,
    "required_words": RequiredWordsStandard,
    "models": ModelsStandard,
}
_READERS: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("", "severity"): _read_severity,
    ("", "words"): _read_words,
    ("", "allowed"): _read_words,
    ("", "pattern"): _read_pattern,
    ("tags", "least"): _read_whole_number(0, _MAX_TAGS),
    ("tags", "allowed"): _read_names,
    ("samples", "least"): _read_whole_number(1, _MAX_SAMPLES),
    ("size", "most"): _read_whole_number(1, _MAX_CHARACTERS),
}
