"""The fields of a profile and their validation."""

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["FIELDS", "MARKUP_FIELDS", "explain_wrong_field"]

Check = Callable[[Any], bool]

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_LAZYLLM = ("system", "sos", "eos", "soh", "eoh", "soa", "eoa")
_MAX_LENGTH = 4000


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_LENGTH


def _is_name(value: Any) -> bool:
    # Only names of known vocabularies: a stored profile must not access files or the network.
    return _is_text(value) and bool(value) and all(sign.isalnum() or sign in "._-" for sign in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**9


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _check_choice(*choices: str) -> Check:
    return lambda value: value in choices


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) <= 100 and all(map(_is_text, value))


def _is_pair(value: Any) -> bool:
    return _are_texts(value) and len(value) == 2


def _are_marks(value: Any) -> bool:
    if isinstance(value, Mapping):
        return len(value) <= 100 and all(
            _is_text(mark) and (number is None or _is_whole(number)) for mark, number in value.items()
        )
    return _are_texts(value)


def _check_keys(keys: tuple[str, ...], check: Check) -> Check:
    return lambda value: isinstance(value, Mapping) and all(key in keys and check(item) for key, item in value.items())


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


FIELDS: dict[str, tuple[Check, str]] = {
    "name": (_is_name, "a short name of letters, digits, dots and dashes"),
    "title": (_is_text, "a text"),
    "models": (_are_texts, "a list of model id patterns"),
    "source": (_is_text, "a text"),
    "tokenizer": (_is_name, "the name of a known vocabulary (letters, digits, dots, dashes and underscores)"),
    "sha256": (_is_text, "the sha256 of the vocabulary"),
    "context": (_is_whole, "a whole number of tokens"),
    "markup": (_is_mapping, "a mapping"),
    "marks": (_are_marks, "a list of marks, or a mapping from mark to token id or null"),
    "system": (
        _check_choice("native", "first", "first-user", "last-user", "refuse"),
        "native, first, first-user, last-user or refuse",
    ),
    "merge": (_is_flag, "true or false"),
    "user_first": (_is_flag, "true or false"),
    "arguments": (_check_choice("string", "mapping"), "string or mapping"),
    "content": (_check_choice("string", "parts"), "string or parts"),
    "prefill": (_is_flag, "true or false"),
    "stop": (_are_texts, "a list of texts"),
    "bos": (_is_text, "a text"),
    "eos": (_is_text, "a text"),
    "date": (_is_text, "a text"),
    "image_tokens": (_is_whole, "a whole number of tokens"),
    "file_tokens": (_is_whole, "a whole number of tokens"),
    "default_system": (_is_text, "a text"),
    "thinking": (_check_keys(("setting", "off"), _is_text), "a mapping of setting and off"),
    "lazyllm": (_check_keys(_LAZYLLM, _is_text), f"a mapping of {', '.join(_LAZYLLM)}"),
}

MARKUP_FIELDS: dict[str, tuple[Check, str]] = {
    "start": (_is_text, "a text"),
    "reply": (_is_text, "a text"),
    "roles": (
        _check_keys(_ROLES, _is_pair),
        f"a mapping from {', '.join(_ROLES)} to two texts, before and after the content",
    ),
    "separator": (_is_text, "a text"),
    "system_wrap": (_is_pair, "two texts, before and after the system text"),
    "trim": (_is_flag, "true or false"),
    "own_spaces": (_is_flag, "true or false"),
}


def explain_wrong_field(fields: Mapping[str, tuple[Check, str]], key: str, value: Any) -> str | None:
    """Return what is wrong with a field, or None."""
    if key not in fields:
        return f"`{key}` is not a field of a profile; known are {', '.join(fields)}."
    check, description = fields[key]
    return None if check(value) else f"The profile field `{key}` must be {description}."
