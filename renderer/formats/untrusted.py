"""Untrusted inputs stay out of system parts: the rule as checked on save, and as checked on each rendering."""

import re
from collections.abc import Iterator, Sequence

from promptuary.renderer.errors import InputError
from promptuary.renderer.part import Part, Site
from promptuary.renderer.problems import Edit, Fix, Place, Problem, unify_newlines
from promptuary.renderer.syntax import yaml_reader

__all__ = ["check_parts", "find_untrusted_in_system"]

_TRUSTED_ROLES = ("system", "developer")
_MARK = "\ue000"
_ITEM = re.compile(r"^[ \t]*- ", re.MULTILINE)
_DASH = re.compile(r"([ ]*)- ")
_ROLE_LINE = re.compile(r"""[ ]*(?:- )?(?P<key>role:)[ ]*["']?(?P<role>system|developer)["']?[ ]*$""")
_ROLE = re.compile(r"""\brole["']?\s*:\s*["']?(?:system|developer)\b""")


def find_untrusted_in_system(
    skeleton: Sequence[str | Site], untrusted: frozenset[str], source: str = ""
) -> list[Problem]:
    """Return an error for each untrusted value in a part with a literal system role.

    source: the document, in which the fix changes the part's role; without it there is no fix.
    """
    problems = []
    lines = unify_newlines(source).split("\n")
    for site in _find_system_sites(skeleton):
        names = sorted(site.names & untrusted)
        if names:
            message = f"a system part may not use the untrusted input {_list_names(names)}; move it to a user part"
            fix = _build_role_fix(lines, site.line)
            problems.append(Problem("PT408", "error", message, site.line, site.column, fix=fix, variable=names[0]))
    return problems


def check_parts(parts: Sequence[Part], untrusted: frozenset[str]) -> None:
    """Raise InputError if a rendered system part contains an untrusted value."""
    for part in parts:
        if part.role not in _TRUSTED_ROLES:
            continue
        for mark in part.marks:
            names = sorted(mark.site.names & untrusted)
            if names:
                message = f"the {part.role} part `{part.name}` may not use the untrusted input {_list_names(names)}"
                place = Place(mark.site.line, mark.site.column)
                raise InputError(message, code="PT408", place=place, variable=names[0])


def _build_role_fix(lines: Sequence[str], line: int) -> Fix | None:
    """A fix that makes the part around a line a user part; None if its role isn't on a line of its own."""
    dashes = [(number, match) for number, text in enumerate(lines, start=1) if (match := _DASH.match(text))]
    indent = min((len(match[1]) for _, match in dashes), default=0)
    starts = [number for number, match in dashes if len(match[1]) == indent]
    first = max((number for number in starts if number <= line), default=None)
    if first is None:
        return None
    end = min((number for number in starts if number > line), default=len(lines) + 1)
    role_lines = [
        (number, match)
        for number in range(first, end)
        if (match := _ROLE_LINE.match(lines[number - 1])) and match.start("key") == indent + 2
    ]
    if len(role_lines) != 1:
        return None
    number, match = role_lines[0]
    return Fix("Make it a user part", (Edit(number, match.start("role") + 1, number, match.end("role") + 1, "user"),))


def _list_names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _find_system_sites(skeleton: Sequence[str | Site]) -> Iterator[Site]:
    text = "".join(_MARK if isinstance(piece, Site) else piece.replace(_MARK, " ") for piece in skeleton)
    sites = [piece for piece in skeleton if isinstance(piece, Site)]
    starts = _find_item_starts(text)
    if not starts:
        yield from (sites[slot] for slot in _find_flow_slots(text))
    number = 0
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        item = text[start:end]
        count = item.count(_MARK)
        if start in starts:
            inside = _find_system_slots(item)
            yield from (sites[number + slot] for slot in inside)
        number += count


def _find_item_starts(text: str) -> list[int]:
    """The offsets of the items of the outermost list: dashes indented like the first one."""
    matches = list(_ITEM.finditer(text))
    if not matches:
        return []
    least = min(len(match.group()) for match in matches)
    return [match.start() for match in matches if len(match.group()) == least]


def _find_system_slots(item: str) -> list[int]:
    """The slots in the content of an item with a system role; all its slots if it can't be parsed."""
    marked_text, count = _number_slots(item)
    try:
        node = yaml_reader.compose(marked_text)
        mapping = node.items[0] if isinstance(node, yaml_reader.Sequence) and len(node.items) == 1 else None
    except yaml_reader.YamlError:
        mapping = None
    if not isinstance(mapping, yaml_reader.Mapping):
        return list(range(count)) if _ROLE.search(item) else []
    return _list_slots(mapping, marked_text)


def _list_slots(mapping: yaml_reader.Node, marked_text: str) -> list[int]:
    if not isinstance(mapping, yaml_reader.Mapping):
        return []
    fields = {entry.key.value: entry.value for entry in mapping.items}
    role = fields.get("role")
    if not isinstance(role, yaml_reader.Scalar) or role.value not in _TRUSTED_ROLES:
        return []
    inside = [fields[key] for key in ("content", "sections") if key in fields]
    return [
        int(slot) for node in inside for slot in re.findall(f"{_MARK}(\\d+){_MARK}", marked_text[node.start : node.end])
    ]


def _find_flow_slots(text: str) -> list[int]:
    """The slots in trusted parts of a body in flow style, a list in brackets."""
    marked_text, count = _number_slots(text)
    try:
        node = yaml_reader.compose(marked_text)
    except yaml_reader.YamlError:
        return list(range(count)) if _ROLE.search(text) else []
    items = node.items if isinstance(node, yaml_reader.Sequence) else []
    return [slot for item in items for slot in _list_slots(item, marked_text)]


def _number_slots(item: str) -> tuple[str, int]:
    pieces = item.split(_MARK)
    marked_text = "".join(
        text if number == 0 else f"{_MARK}{number - 1}{_MARK}{text}" for number, text in enumerate(pieces)
    )
    return marked_text, len(pieces) - 1
