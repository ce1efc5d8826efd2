"""Reading front matter: every key with its check, every value with its place."""

from collections.abc import Callable, Iterator
from typing import Any

from promptuary.renderer.problems import Place, Problem
from promptuary.renderer.syntax import suggestions, yaml_reader
from promptuary.renderer.syntax.positions import Lines

__all__ = ["KEYS", "read"]

_Path = tuple[str | int, ...]


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) else "must be text"


def _mapping(value: Any) -> str | None:
    return None if isinstance(value, dict) else "must be a mapping"


def _whole(least: int) -> Callable[[Any], str | None]:
    def check(value: Any) -> str | None:
        good = isinstance(value, int) and not isinstance(value, bool) and least <= value <= 2**53
        return None if good else f"must be a whole number of at least {least}"

    return check


def _boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _list_of(check: Callable[[Any], str | None], what: str) -> Callable[[Any], str | None]:
    def check_list(value: Any) -> str | None:
        good = isinstance(value, list) and all(check(item) is None for item in value)
        return None if good else f"must be a list of {what}"

    return check_list


KEYS: dict[str, Callable[[Any], str | None]] = {
    "description": _text,
    "tags": _list_of(_text, "texts"),
    "format": _text,
    "model": _text,
    "profile": _text,
    "settings": _mapping,
    "token_limit": _whole(1),
    "reserve": _whole(0),
    "truncation_step": _whole(1),
    "keep_last": _whole(0),
    "keep_pairs": _boolean,
    "inputs": _mapping,
    "tools": _list_of(_mapping, "function tools"),
    "output": _mapping,
}
"""What front matter may hold, each key with the check of its value."""


def read(mapping: yaml_reader.Mapping, lines: Lines) -> tuple[dict[str, Any], list[Problem]]:
    """The fields of a Document that front matter gives (`front` and `places` among them), and what is wrong with it."""
    places: dict[_Path, Place] = {}
    _note_places(mapping, (), lines, places)
    front: dict[str, Any] = {}
    fields: dict[str, Any] = {"front": front, "places": places}
    problems: list[Problem] = []
    unknown: list[tuple[str, Place]] = []
    for item in mapping.items:
        key, place = item.key.value, lines.place(item.key.start, item.key.end)
        if key not in KEYS:
            unknown.append((key, place))
            continue
        try:
            value = yaml_reader.value_of(item.value)
        except yaml_reader.YamlError as error:
            problems.append(_at(lines.place(error.index), error.code, f"`{key}`: {error.message}"))
            continue
        front[key] = value
        wrong = KEYS[key](value)
        if wrong:
            problems.append(_at(places[(key,)], "PT105", f"`{key}` {wrong}"))
            continue
        fields[key] = tuple(value) if key in ("tags", "tools") else value
    problems.extend(_unknown_keys(unknown))
    problems.extend(_check_inputs(fields, places))
    return fields, problems


def _check_inputs(fields: dict[str, Any], places: dict[_Path, Place]) -> list[Problem]:
    problems = []
    for name, schema in list((fields.get("inputs") or {}).items()):
        if not isinstance(schema, dict):
            message = f"the input `{name}` must be a mapping: a JSON Schema such as {{type: string}}"
            problems.append(_at(places[("inputs", name)], "PT406", message, name))
            fields["inputs"][name] = {}
    return problems


def _unknown_keys(unknown: list[tuple[str, Place]]) -> Iterator[Problem]:
    """A problem for each of the first ten, and one for all the others."""
    yield from (_unknown(key, place) for key, place in unknown[: suggestions.MOST_NAMED])
    if len(unknown) > suggestions.MOST_NAMED:
        rest = len(unknown) - suggestions.MOST_NAMED
        message = (
            f"{rest:,} more are not keys of the front matter"
            if rest > 1
            else "one more is not a key of the front matter"
        )
        yield _at(unknown[suggestions.MOST_NAMED][1], "PT104", message)


def _unknown(key: str, place: Place) -> Problem:
    message = f"`{suggestions.shown(key)}` is not a key of the front matter{suggestions.hint(key, KEYS)}"
    fix = suggestions.rename(place, suggestions.likely(key, KEYS))
    return Problem("PT104", "error", message, place.line, place.column, place.end_line, place.end_column, fix)


def _at(place: Place, code: str, message: str, variable: str | None = None) -> Problem:
    return Problem(
        code, "error", message, place.line, place.column, place.end_line, place.end_column, variable=variable
    )


def _note_places(node: yaml_reader.Node, path: _Path, lines: Lines, places: dict[_Path, Place]) -> None:
    if path:
        places[path] = lines.place(node.start, node.end)
    if isinstance(node, yaml_reader.Mapping):
        for item in node.items:
            _note_places(item.value, (*path, item.key.value), lines, places)
    elif isinstance(node, yaml_reader.Sequence):
        for index, value in enumerate(node.items):
            _note_places(value, (*path, index), lines, places)
