"""Texts with slots: the author's pieces, normalised by the rules for content, and the values in between."""

from collections.abc import Callable, Container, Sequence

from promptuary.renderer.jinja import FragmentText, unescape
from promptuary.renderer.part import Mark, Site

__all__ = ["Piece", "SlotText", "Slots", "split_marks", "tidy_content", "tidy_sections"]


class Slots:
    """The values of one rendering with their sites; a template numbers its slots from `base`."""

    __slots__ = ("base", "given", "ordinary", "sites", "values")

    def __init__(self, values: Sequence[str], sites: Sequence[Site], names: Container[str], *, ordinary: bool) -> None:
        self.values = values
        self.sites = sites
        self.given = names
        self.base = 0
        # Whether no value is a fragment or indented, so that each value is printed as one unchanged stretch.
        self.ordinary = ordinary


Piece = str | int
"""The author's text, or the number of a slot."""


def split_marks(text: str, marker: str) -> tuple[Piece, ...]:
    """Split `a M3M b` into ("a ", 3, " b")."""
    split = text.split(marker)
    pieces: list[Piece] = [split[0]] if split[0] else []
    for index in range(1, len(split), 2):
        pieces.append(int(split[index]))
        if split[index + 1]:
            pieces.append(split[index + 1])
    return tuple(pieces)


def _strip(pieces: Sequence[Piece], slots: Slots | None, characters: str | None = None) -> list[Piece]:
    """Strip the author's white space at both ends, also across empty values."""
    stripped = list(pieces)
    for last in (False, True):
        index = -1 if last else 0
        while stripped:
            piece = stripped[index]
            if isinstance(piece, int):
                if slots is None or slots.values[slots.base + piece]:
                    break
                stripped.pop(index)
                continue
            text = piece.rstrip(characters) if last else piece.lstrip(characters)
            if text:
                stripped[index] = text
                break
            stripped.pop(index)
    return stripped


def _unescape_all(pieces: Sequence[Piece]) -> list[Piece]:
    return [unescape(piece) if isinstance(piece, str) else piece for piece in pieces]


Sections = Sequence[Sequence[Piece]]


def tidy_content(sections: Sections, slots: Slots | None) -> list[Piece]:
    """Apply the rules for content: strip white space at the ends, then replace the author's escapes."""
    return _unescape_all(_strip(sections[0], slots))


def tidy_sections(sections: Sections, slots: Slots | None) -> list[Piece]:
    """Apply the rules for sections: strip spaces and tabs from each, concatenate them, and strip the result."""
    pieces = [piece for section in sections for piece in _unescape_all(_strip(section, slots, " \t"))]
    return _strip(pieces, slots)


_new_mark = tuple.__new__


class SlotText:
    """A text with slots. `tidy` applies the rules for white space; without it the text is taken as it is."""

    __slots__ = ("_ends", "_margin", "_raw", "_steps", "_tail", "_tidy", "constant")

    def __init__(
        self, raw: Sections, tidy: Callable[[Sections, Slots | None], list[Piece]] | None = None, margin: int = 0
    ) -> None:
        self._raw, self._tidy = raw, tidy
        # The indentation of the text's block, which an author's `| indent` is meant to match.
        self._margin = margin
        pieces = list(raw[0]) if tidy is None else tidy(raw, None)
        # If one of these values is empty, the white space next to it is at an end of the text.
        outer = [_strip(section, None) for section in (*raw, pieces)] if tidy else []
        self._ends = tuple({piece for step in outer for piece in (*step[:1], *step[-1:]) if isinstance(piece, int)})
        self._steps, self._tail = _pair_steps(pieces)
        self.constant = None if self._steps else self._tail

    def pieces(self) -> list[Piece]:
        """Its texts and slots in order, tidied on the assumption that every value is non-empty."""
        piece_list: list[Piece] = [piece for step in self._steps for piece in step if piece != ""]
        return [*piece_list, self._tail] if self._tail else piece_list

    def shown(self) -> str:
        """The author's text alone, for messages, with `…` for each value."""
        if self.constant is not None:
            return self.constant
        return "".join(f"{text}…" for text, _ in self._steps) + self._tail

    def slots(self) -> list[int]:
        """The numbers of its slots."""
        return [slot for _, slot in self._steps]

    def fill(self, slots: Slots) -> str:
        """Fill the slots and return the text alone."""
        if self.constant is not None:
            return self.constant
        values, base = slots.values, slots.base
        texts = []
        for text, slot in self._steps:
            texts.append(text)
            texts.append(values[base + slot])
        texts.append(self._tail)
        return "".join(texts)

    def fill_marked(self, slots: Slots) -> tuple[str, tuple[Mark, ...]]:
        """Fill the slots and return the text, and which stretches of it are values."""
        if self.constant is not None:
            return self.constant, ()
        values, sites, base = slots.values, slots.sites, slots.base
        steps, tail = self._steps, self._tail
        for end in self._ends:
            if self._tidy is not None and not values[base + end]:
                steps, tail = _pair_steps(self._tidy(self._raw, slots))
                break
        if not slots.ordinary:
            return self._fill_carefully(steps, tail, slots)
        texts, marks, at = [], [], 0
        for text, slot in steps:
            value = values[base + slot]
            texts.append(text)
            texts.append(value)
            at += len(text)
            if value:
                end = at + len(value)
                marks.append(_new_mark(Mark, (at, end, sites[base + slot])))
                at = end
        texts.append(tail)
        return "".join(texts), tuple(marks)

    def _fill_carefully(
        self, steps: Sequence[tuple[str, int]], tail: str, slots: Slots
    ) -> tuple[str, tuple[Mark, ...]]:
        texts: list[str] = []
        marks: list[Mark] = []
        at = 0
        for text, slot in steps:
            value, site = slots.values[slots.base + slot], slots.sites[slots.base + slot]
            at += len(text)
            if site.indented and self._margin:
                value = _remove_indent(value, self._margin)
            if type(value) is FragmentText:
                marks.extend(_shift_fragment_marks(value, at, site))
            elif value:
                marks.append(Mark(at, at + len(value), site))
            texts += (text, value)
            at += len(value)
        texts.append(tail)
        return "".join(texts), tuple(marks)


def _pair_steps(pieces: Sequence[Piece]) -> tuple[tuple[tuple[str, int], ...], str]:
    """The pieces as (text, slot) pairs, and the text after the last slot."""
    steps: list[tuple[str, int]] = []
    text = ""
    for piece in pieces:
        if isinstance(piece, int):
            steps.append((text, piece))
            text = ""
        else:
            text += piece
    return tuple(steps), text


def _remove_indent(value: str, margin: int) -> str:
    """Remove the block's indentation from lines that `| indent` added it to, as parsing the YAML would."""
    first, *rest = value.split("\n")
    return "\n".join([first, *(line[margin:] if line[:margin].isspace() else line for line in rest)])


def _shift_fragment_marks(value: FragmentText, at: int, outer: Site) -> list[Mark]:
    """A fragment's own text and the inputs printed inside it, as stretches that don't overlap."""
    marks, offset = [], 0
    for start, end, inner in value.marks:
        if start > offset:
            marks.append(Mark(at + offset, at + start, outer))
        site = Site(inner.expression, outer.line, outer.column, inner.kind, inner.names)
        marks.append(Mark(at + start, at + end, site))
        offset = end
    if offset < len(value):
        marks.append(Mark(at + offset, at + len(value), outer))
    return marks
