"""The parser of format `parts`: parses the author's text, with values as opaque slots that are filled in afterwards.

A rendering arrives as a stream of the author's literals and the values between them. YAML sees only the literals, with
a mark in place of each value. The parts are read from that, and then the values fill their slots, so nothing in a value
can end a text, add a part or change a role.

There are two ways to the same parts. `parse_whole` parses the whole text. `_parse_items` splits the text where a list
item starts in the first column and parses each distinct item once; it gives up whenever it can't be sure of the result.
"""

import re
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from itertools import accumulate, chain, count

from promptuary.renderer.errors import DocumentError, InputError, LimitError
from promptuary.renderer.formats.parts.errors import PartError
from promptuary.renderer.formats.parts.part_template import PartTemplate, read_part
from promptuary.renderer.formats.parts.slot_text import Slots
from promptuary.renderer.jinja import Sandbox, Stream
from promptuary.renderer.part import Part
from promptuary.renderer.problems import Place
from promptuary.renderer.syntax import suggestions, yaml_reader

__all__ = ["MAX_PARTS", "PartsParser"]

MAX_PARTS = 100_000
_BOUNDS = yaml_reader.Bounds(depth=24, nodes=1_000_000)
_MAX_TEMPLATES = 2_000
_BLANK = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_UNENDED = "\0"
# What ends a document, and line breaks that only YAML recognises.
_OTHER_BREAKS = re.compile("\n(?:---|\\.\\.\\.)|[\x85\u2028\u2029]")


class _UnsureError(Exception):
    """The fast path doesn't apply."""


class PartsParser:
    """Parses one document's renderings; caches the items it has read."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.marker = _find_unused_character(sandbox.texts)
        self._templates: dict[str, PartTemplate] = {}

    def build_parts(self, stream: Stream, names: Container[str]) -> list[Part]:
        """Return the parts. Raises DocumentError for the author's text, InputError for a value in the wrong place."""
        slots = stream_slots(stream, names)
        try:
            parts = self._parse_items(stream, slots)
        except (_UnsureError, PartError, yaml_reader.YamlError):
            parts = self.parse_whole(stream, names)
        if not parts:
            raise DocumentError("the body gives no parts", code="PT311", place=Place(1, 1))
        if len(parts) > MAX_PARTS:
            raise LimitError(f"more than {MAX_PARTS:,} parts")
        return parts

    def _parse_items(self, stream: Stream, slots: Slots) -> list[Part]:
        texts, marker = stream.sandbox.texts, self.marker
        text = "".join([texts[piece] if piece >= 0 else marker for piece in stream.pieces])
        blank = _BLANK.match(text)
        start = blank.end() if blank else 0
        if not text.startswith("- ", start):
            raise _UnsureError
        items = text[start + 2 :].split("\n- ")
        slots.base = text.count(marker, 0, start)
        lines = stream.item_lines(start == 0)
        if len(lines) != len(items):  # an item's dash and the line end before it are in different pieces
            starts = accumulate([len(item) + 3 for item in items[:-1]], initial=start)
            lines = stream.lines(_count_one, tuple(starts))
        # The last item gets its own key if it lacks the line end that the others were cut with.
        items[-1] = items[-1][:-1] if items[-1].endswith("\n") else items[-1] + _UNENDED
        templates, parts = self._templates, []
        for item, line in zip(items, lines, strict=True):
            template = templates.get(item)
            if template is None:
                template = self._read_item(item)
            parts.append(template.fill(slots, line))
            slots.base += item.count(marker)
        return parts

    def _read_item(self, item: str) -> PartTemplate:
        if _OTHER_BREAKS.search(item):
            raise _UnsureError
        pieces = item.removesuffix(_UNENDED).split(self.marker)
        text = "- " + _number_pieces(pieces, self.marker) + ("" if item.endswith(_UNENDED) else "\n")
        node = yaml_reader.compose(text, _BOUNDS)
        if not isinstance(node, yaml_reader.Sequence) or len(node.items) != 1:
            raise _UnsureError
        template = read_part(node.items[0], self.marker, text)
        if len(self._templates) >= _MAX_TEMPLATES:
            self._templates.clear()
        self._templates[item] = template
        return template

    def parse_whole(self, stream: Stream, names: Container[str]) -> list[Part]:
        """Parse the whole text at once, with the same result."""
        slots = stream_slots(stream, names)
        try:
            return self._read(stream, slots, frozenset())
        except (PartError, yaml_reader.YamlError) as error:
            nothing = _find_leading_nothings(stream)
            if nothing:
                with suppress(PartError, yaml_reader.YamlError):
                    return self._read(stream, stream_slots(stream, names), nothing)
            raise _assign_error(error, stream, slots) from error

    def _read(self, stream: Stream, slots: Slots, nothing: Container[int]) -> list[Part]:
        """`nothing` are the numbers of values that are left out: empty ones where no text can be."""
        marker = self.marker

        def mark(number: int) -> str:
            return "" if number in nothing else f"{marker}{number}{marker}"

        text = _join_pieces(stream, mark)
        node = yaml_reader.compose(text, _BOUNDS)
        if node is None:
            return []
        if not isinstance(node, yaml_reader.Sequence):
            message = "the body must be a list of parts: `- name: …`, `  content: …`"
            raise PartError(message, "PT301", node.start)
        templates = [read_part(item, marker, text) for item in node.items]
        # A part's line is where its dash is; YAML's node starts after it, normally on the same line.
        lines = stream.lines(lambda number: len(mark(number)), [item.start for item in node.items])
        return [template.fill(slots, line) for template, line in zip(templates, lines, strict=True)]


def _join_pieces(stream: Stream, mark: Callable[[int], str]) -> str:
    """The author's text with `mark(n)` as the n-th value."""
    texts, numbers = stream.sandbox.texts, count()
    return "".join([mark(next(numbers)) if piece < 0 else texts[piece] for piece in stream.pieces])


def _find_leading_nothings(stream: Stream) -> frozenset[int]:
    """The empty values with nothing before them on their line, such as calls between parts made for a side effect."""
    texts, numbers, slots = stream.sandbox.texts, count(), set()
    before = ""
    for piece in stream.pieces:
        if piece >= 0:
            before = (before + texts[piece]).rpartition("\n")[2]
            continue
        number = next(numbers)
        if stream.values[number]:
            before = "x"
        elif not before.strip():
            slots.add(number)
    return frozenset(slots)


def stream_slots(stream: Stream, names: Container[str]) -> Slots:
    """Return the values of a stream, to fill templates with."""
    return Slots(stream.values, stream.sites(), names, ordinary=stream.sandbox.ordinary)


def _assign_error(error: PartError | yaml_reader.YamlError, stream: Stream, slots: Slots) -> DocumentError | InputError:
    if isinstance(error, PartError) and error.slot is not None:
        site = slots.sites[error.slot]
        place = Place(site.line, site.column)
        return InputError(error.message, code=error.code, place=place, variable=site.expression)
    place = stream.place(_count_digits, error.index)
    if error.code == "PT401":
        return InputError(error.message, code=error.code, place=place)
    fix = None
    if isinstance(error, PartError) and error.width and place.end_line is None:
        place = Place(place.line, place.column, place.line, place.column + error.width)
        fix = suggestions.rename_fix(place, error.meant)
    return DocumentError(error.message, code=error.code, place=place, fix=fix)


def _count_one(number: int) -> int:
    return 1


def _count_digits(number: int) -> int:
    return len(str(number)) + 2


def _number_pieces(pieces: Sequence[str], marker: str) -> str:
    """The pieces between marks, joined by numbered marks."""
    return "".join(text if number == 0 else f"{marker}{number - 1}{marker}{text}" for number, text in enumerate(pieces))


def _find_unused_character(texts: Sequence[str]) -> str:
    """A private-use character that isn't in the author's text."""
    characters = set().union(*map(set, texts)) if texts else set()
    for code in chain(range(0xE000, 0xF900), range(0xF0000, 0x10FFFE)):
        if code & 0xFFFE != 0xFFFE and chr(code) not in characters:
            return chr(code)
    raise LimitError("the document uses every private character")
