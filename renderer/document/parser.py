"""The parser of documents: reads and checks the front matter, finds the body. Never runs anything."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from promptuary.renderer.errors import DocumentError
from promptuary.renderer.problems import Lines, Place, Problem, unify_newlines
from promptuary.renderer.syntax import suggestions, yaml_reader

__all__ = [
    "FORMATS",
    "FRONT_MATTER_KEYS",
    "MAX_BYTES",
    "Document",
    "forget_texts",
    "inspect_document",
    "parse_document",
    "read_front_matter",
]

MAX_BYTES = 256 * 1024
"""The size limit of a document in bytes: prompts are written by people, and data are sent at render time."""

FORMATS = ("parts", "text", "shaped", "prompter")


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed template document.

    `text` is as stored; `body` has LF newlines and starts on line `body_line` of the document. `front` contains the
    front matter as plain JSON values, and `places` the place of each of its values, by path: `("inputs", "tone",
    "enum")`. `inputs` is None if the document declares none, else a JSON Schema per name.
    """

    text: str
    front: dict[str, Any]
    body: str
    body_line: int
    format: str = "parts"
    description: str = ""
    tags: tuple[str, ...] = ()
    inputs: dict[str, dict[str, Any]] | None = None
    model: str | None = None
    profile: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    token_limit: int | None = None
    reserve: int = 0
    truncation_step: int = 1
    keep_last: int = 0
    keep_pairs: bool = False
    tools: tuple[dict[str, Any], ...] = ()
    output: dict[str, Any] = field(default_factory=dict)
    places: dict[tuple[str | int, ...], Place] = field(default_factory=dict, repr=False, compare=False)

    def place(self, *path: str | int) -> Place:
        """Return the place of a front matter value, or of the nearest enclosing one if it isn't written out."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.places:
                return self.places[path[:end]]
        return Place(1, 1)

    def with_body(self, body: str) -> "Document":
        """Return the document with another body. Raises DocumentError for a body that no document can have."""
        if "\0" in body or len(body.encode(errors="surrogatepass")) > MAX_BYTES:
            raise DocumentError("the prompt is too large or has a NUL character", code="PT106")
        return replace(self, body=unify_newlines(body), body_line=1)

    def body_place(self, start: int, end: int | None = None) -> Place:
        """Return the place of an offset in the body."""
        return _split_lines(self.body, self.body_line).place(start, end)


@lru_cache(maxsize=16)
def _split_lines(body: str, first_line: int) -> Lines:
    """Cached per body, so that a body with thousands of places is searched for line ends once."""
    return Lines(body, first_line)


def forget_texts() -> None:
    """Clear the cache of recently parsed documents."""
    _split_lines.cache_clear()


def parse_document(text: str) -> Document:
    """Parse a document. Safe on any text; never runs any of it. Raises DocumentError for its first error."""
    document, problems = inspect_document(text)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or document is None:
        first = errors[0]
        place = Place(first.line, first.column, first.end_line, first.end_column)
        raise DocumentError(first.message, code=first.code, place=place, variable=first.variable, fix=first.fix)
    return document


def inspect_document(text: str) -> tuple[Document | None, list[Problem]]:
    """Parse a document and list all problems of its text and front matter; the Document is None if it is unreadable."""
    problem = _find_text_fault(text)
    if problem:
        return None, [problem]
    normalized = unify_newlines(text).removeprefix("\ufeff")
    try:
        sections = _split(normalized)
    except yaml_reader.YamlError as error:
        place = Lines(normalized).place(normalized.find("\n") + 1 + error.index)
        return None, [Problem(error.code, "error", f"front matter: {error.message}", place.line, place.column)]
    if sections is None:
        return Document(text=text, front={}, body=normalized, body_line=1), []
    mapping, body, body_line, source = sections
    fields, problems = read_front_matter(mapping, Lines(source, 2))
    if fields.get("format", "parts") not in FORMATS:
        problems.append(_report_unknown_format(fields))
        fields["format"] = "parts"
    return Document(text=text, body=body, body_line=body_line, **fields), problems


def _report_unknown_format(fields: dict[str, Any]) -> Problem:
    name, place = fields["format"], fields["places"][("format",)]
    suggestion = suggestions.find_likely_name(str(name), FORMATS)
    hint = f"; did you mean `{suggestion}`?" if suggestion else f"; known are {', '.join(FORMATS)}"
    fix, message = suggestions.rename_fix(place, suggestion), f"`{name}` is not a format{hint}"
    return Problem("PT108", "error", message, place.line, place.column, place.end_line, place.end_column, fix)


_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
_PART_NAME = re.compile(r"^- name:[ \t]+([^\n\x00\ud800-\udfff]{1,80})", re.MULTILINE)


def _find_text_fault(text: str) -> Problem | None:
    if wrong := _NOT_TEXT.search(text):
        before = unify_newlines(text[: wrong.start()])
        place = Lines(before).place(len(before))
        reason = "a NUL character" if wrong.group() == "\0" else "a lone surrogate, which is not Unicode text"
        part = names[-1].strip() if (names := _PART_NAME.findall(before)) else ""
        message = f"the document has {reason} in the part {part}" if part else f"the document has {reason}"
        return Problem("PT107", "error", message, place.line, place.column)
    if (size := len(text.encode())) > MAX_BYTES:
        return Problem("PT106", "error", f"the document has {size:,} bytes; at most {MAX_BYTES:,} are taken")
    return None


_Found = tuple[yaml_reader.Mapping, str, int, str]


def _split(text: str) -> _Found | None:
    """(front mapping, body, the body's first line, front text), or None without front matter."""
    if not text.startswith("---") or text.partition("\n")[0].rstrip(" \t") != "---":
        return None
    start = text.find("\n") + 1
    closing = re.compile(r"^---[ \t]*$", re.MULTILINE).search(text, start) if start else None
    if closing is None:
        return None
    source = text[start : closing.start()]
    try:
        node = yaml_reader.compose(source)
    except yaml_reader.YamlError:
        # A body that starts with a YAML document marker is not broken front matter.
        if re.match(r"\s*(?:#.*\n\s*)*(?:- |-\n|\{%|\{#|\{\{)", source):
            return None
        raise
    if node is None:
        node = yaml_reader.Mapping([], 0, 0)
    if not isinstance(node, yaml_reader.Mapping):
        return None
    end = text.find("\n", closing.start())
    body = text[end + 1 :] if end >= 0 else ""
    return node, body, text.count("\n", 0, closing.start()) + 2, source


_Path = tuple[str | int, ...]


def _check_text(value: Any) -> str | None:
    return None if isinstance(value, str) else "must be text"


def _check_mapping(value: Any) -> str | None:
    return None if isinstance(value, dict) else "must be a mapping"


def _check_whole_number(least: int) -> Callable[[Any], str | None]:
    def check(value: Any) -> str | None:
        good = isinstance(value, int) and not isinstance(value, bool) and least <= value <= 2**53
        return None if good else f"must be a whole number of at least {least}"

    return check


def _check_boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _check_list(check: Callable[[Any], str | None], noun: str) -> Callable[[Any], str | None]:
    def check_list(value: Any) -> str | None:
        good = isinstance(value, list) and all(check(item) is None for item in value)
        return None if good else f"must be a list of {noun}"

    return check_list


FRONT_MATTER_KEYS: dict[str, Callable[[Any], str | None]] = {
    "description": _check_text,
    "tags": _check_list(_check_text, "texts"),
    "format": _check_text,
    "model": _check_text,
    "profile": _check_text,
    "settings": _check_mapping,
    "token_limit": _check_whole_number(1),
    "reserve": _check_whole_number(0),
    "truncation_step": _check_whole_number(1),
    "keep_last": _check_whole_number(0),
    "keep_pairs": _check_boolean,
    "inputs": _check_mapping,
    "tools": _check_list(_check_mapping, "function tools"),
    "output": _check_mapping,
}
"""The front matter keys, each with the check of its value."""


def read_front_matter(mapping: yaml_reader.Mapping, lines: Lines) -> tuple[dict[str, Any], list[Problem]]:
    """Return the Document fields that come from front matter (including `front` and `places`), and its problems."""
    places: dict[_Path, Place] = {}
    _note_places(mapping, (), lines, places)
    front: dict[str, Any] = {}
    fields: dict[str, Any] = {"front": front, "places": places}
    problems: list[Problem] = []
    unknown: list[tuple[str, Place]] = []
    for item in mapping.items:
        key, place = item.key.value, lines.place(item.key.start, item.key.end)
        if key not in FRONT_MATTER_KEYS:
            unknown.append((key, place))
            continue
        try:
            value = yaml_reader.read_value(item.value)
        except yaml_reader.YamlError as error:
            problems.append(_make_problem(lines.place(error.index), error.code, f"`{key}`: {error.message}"))
            continue
        front[key] = value
        wrong = FRONT_MATTER_KEYS[key](value)
        if wrong:
            problems.append(_make_problem(places[(key,)], "PT105", f"`{key}` {wrong}"))
            continue
        fields[key] = tuple(value) if key in ("tags", "tools") else value
    problems.extend(_report_unknown_keys(unknown))
    problems.extend(_check_inputs(fields, places))
    return fields, problems


def _check_inputs(fields: dict[str, Any], places: dict[_Path, Place]) -> list[Problem]:
    problems = []
    for name, schema in list((fields.get("inputs") or {}).items()):
        if not isinstance(schema, dict):
            message = f"the input `{name}` must be a mapping: a JSON Schema such as {{type: string}}"
            problems.append(_make_problem(places[("inputs", name)], "PT406", message, name))
            fields["inputs"][name] = {}
    return problems


def _report_unknown_keys(unknown: list[tuple[str, Place]]) -> Iterator[Problem]:
    """One problem for each of the first ten unknown keys, and one for all others."""
    yield from (_report_unknown_key(key, place) for key, place in unknown[: suggestions.MAX_NAMED])
    if len(unknown) > suggestions.MAX_NAMED:
        unnamed_count = len(unknown) - suggestions.MAX_NAMED
        message = (
            f"{unnamed_count:,} more are not keys of the front matter"
            if unnamed_count > 1
            else "one more is not a key of the front matter"
        )
        yield _make_problem(unknown[suggestions.MAX_NAMED][1], "PT104", message)


def _report_unknown_key(key: str, place: Place) -> Problem:
    message = (
        f"`{suggestions.shorten_name(key)}` is not a key of the front "
        f"matter{suggestions.make_spelling_hint(key, FRONT_MATTER_KEYS)}"
    )
    fix = suggestions.rename_fix(place, suggestions.find_likely_name(key, FRONT_MATTER_KEYS))
    return Problem("PT104", "error", message, place.line, place.column, place.end_line, place.end_column, fix)


def _make_problem(place: Place, code: str, message: str, variable: str | None = None) -> Problem:
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
