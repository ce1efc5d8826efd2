"""The literal text of each content of a marked text, with the place in the document where it was written."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from promptuary.renderer.formats.jinja_body import JinjaBody
from promptuary.renderer.jinja import Stream
from promptuary.renderer.origins.literal_atoms import Atom, cut_run, shorten_atom, spell_escapes
from promptuary.renderer.origins.scalar_text import Run, align_scalar, find_indent
from promptuary.renderer.problems import unify_newlines
from promptuary.renderer.syntax import yaml_reader
from promptuary.renderer.template import Template

__all__ = [
    "LiteralText",
    "Sources",
    "Stretch",
    "read_plain_text",
    "read_scalar_texts",
]

_BOUNDS = yaml_reader.Bounds(depth=24, nodes=1_000_000)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Content characters `start` to `end`, written at `source_start` to `source_end` of the document with LF newlines.

    If the lengths differ, it is one unit that is written differently. `reference` is the included fragment that it is
    in, if any; its offsets are then in the fragment's body. `repeats` is how often the rendering prints the literal.
    `style` is the YAML style it is written in, or `text` outside YAML; `indent` is the indentation of its block.
    """

    start: int
    end: int
    source_start: int
    source_end: int
    reference: str | None
    repeats: int
    style: str
    indent: int

    @property
    def is_verbatim(self) -> bool:
        """Whether each character is written as it is printed."""
        return self.end - self.start == self.source_end - self.source_start


@dataclass(frozen=True, slots=True)
class LiteralText:
    """Literal text of a content with its origin; `start` and `end` count literal characters only."""

    text: str
    stretches: tuple[Stretch, ...]
    styles: tuple[tuple[str, int], ...]


class Sources:
    """The literals of one rendering by offset in the marked text."""

    def __init__(self, template: Template, body: JinjaBody, stream: Stream) -> None:
        self.stream = stream
        self.literals = stream.sandbox.literals
        self.repeats = Counter(piece for piece in stream.pieces if piece >= 0)
        document = unify_newlines(template.document.text)
        self.body_start = len(document) - len(body.document.body)
        self.is_known = document.endswith(body.document.body)

    def marked(self, marker: str) -> tuple[str, list[tuple[int, int, int]]]:
        """The text with `MnM` for the n-th value, and (start, end, piece) of each literal in it."""
        texts: list[str] = []
        spans: list[tuple[int, int, int]] = []
        at = number = 0
        for piece in self.stream.pieces:
            if piece < 0:
                text = f"{marker}{number}{marker}"
                number += 1
            else:
                text = self.literals[piece].text
                spans.append((at, at + len(text), piece))
            texts.append(text)
            at += len(text)
        return "".join(texts), spans

    def stretches(self, piece: int, inside: int, end: int, at: int, style: str, indent: int) -> Iterator[Stretch]:
        """Return the stretches of a literal's characters `inside` to `end` as content from `at` on, split by source."""
        literal = self.literals[piece]
        unit = literal.unit
        shift = self.body_start if unit.ref is None else 0
        origins = literal.origins
        place = bisect_right(origins, (inside, 1 << 62)) - 1
        while inside < end:
            start, offset = origins[place]
            stop = min(end, origins[place + 1][0] if place + 1 < len(origins) else end)
            if stop > inside:
                source = shift + offset + inside - start
                width = stop - inside
                yield Stretch(at, at + width, source, source + width, unit.ref, self.repeats[piece], style, indent)
                at, inside = at + width, stop
            place += 1


def read_plain_text(sources: Sources) -> LiteralText | None:
    """Read a body without YAML: its literals as they are."""
    stretches: list[Stretch] = []
    at = 0
    for piece in sources.stream.pieces:
        if piece >= 0 and sources.literals[piece].text:
            size = len(sources.literals[piece].text)
            stretches += sources.stretches(piece, 0, size, at, "text", 0)
            at += size
    text = "".join(sources.literals[piece].text for piece in sources.stream.pieces if piece >= 0)
    return LiteralText(text, tuple(stretches), (("text", 0),)) if sources.is_known else None


def read_scalar_texts(sources: Sources, marker: str) -> list[LiteralText | None]:
    """Read the literal text of each part's content."""
    text, spans = sources.marked(marker)
    try:
        root = yaml_reader.compose(text, _BOUNDS)
    except yaml_reader.YamlError:
        return []
    if not sources.is_known or not isinstance(root, yaml_reader.Sequence):
        return []
    reader = _ContentReader(sources, text, spans, marker)
    return [reader.read(item) for item in root.items]


class _ContentReader:
    """Traces the contents of a marked text back to its literals."""

    def __init__(self, sources: Sources, text: str, spans: Sequence[tuple[int, int, int]], marker: str) -> None:
        self.sources = sources
        self.text = text
        self.spans = spans
        self._starts = [start for start, _, _ in spans]
        self._marks = re.compile(f"{re.escape(marker)}([0-9]+){re.escape(marker)}")

    def read(self, item: yaml_reader.Node) -> LiteralText | None:
        """Return the literal text of a part's content or sections; None if it can't be traced."""
        fields = {entry.key.value: entry.value for entry in item.items} if isinstance(item, yaml_reader.Mapping) else {}
        if "content" in fields:
            atoms = self._read_atoms(fields["content"])
            if atoms is None:
                return None
            return self._finish(self._unescape(self._strip(atoms, None)), [fields["content"]])
        sections = fields.get("sections")
        if not isinstance(sections, yaml_reader.Sequence):
            return None
        joined: list[Atom] = []
        nodes: list[yaml_reader.Node] = []
        for section in sections.items:
            entries = section.items if isinstance(section, yaml_reader.Mapping) else []
            node = next((entry.value for entry in entries if entry.key.value == "content"), None)
            atoms = self._read_atoms(node)
            if node is None or atoms is None:
                return None
            nodes.append(node)
            joined += self._unescape(self._strip(atoms, " \t"))
        return self._finish(self._strip(joined, None), nodes)

    def _read_atoms(self, node: yaml_reader.Node | None) -> list[Atom] | None:
        if not isinstance(node, yaml_reader.Scalar):
            return None
        runs = align_scalar(node, self.text)
        if runs is None:
            return None
        indent = find_indent(node, self.text)
        atoms: list[Atom] = []
        for run in runs:
            words = node.value[run.start : run.end]
            at = 0
            for mark in self._marks.finditer(words) if run.is_verbatim else ():
                if mark.start() > at:
                    atoms.append(cut_run(words, run, at, mark.start(), node.style, indent))
                atoms.append(Atom("", slot=int(mark[1])))
                at = mark.end()
            if at < len(words):
                atoms.append(cut_run(words, run, at, len(words), node.style, indent))
        return atoms

    def _strip(self, atoms: Sequence[Atom], characters: str | None) -> list[Atom]:
        """Strip as the rules for contents do: the author's white space at both ends, also across empty values."""
        remaining = list(atoms)
        while remaining and self._is_empty(remaining[0], characters, last=False):
            remaining.pop(0)
        while remaining and self._is_empty(remaining[-1], characters, last=True):
            remaining.pop()
        if remaining and remaining[0].run is not None:
            remaining[0] = shorten_atom(
                remaining[0], len(remaining[0].text) - len(remaining[0].text.lstrip(characters)), len(remaining[0].text)
            )
        if remaining and remaining[-1].run is not None:
            remaining[-1] = shorten_atom(remaining[-1], 0, len(remaining[-1].text.rstrip(characters)))
        return remaining

    def _is_empty(self, atom: Atom, characters: str | None, *, last: bool) -> bool:
        if atom.run is None:
            return not self.sources.stream.values[atom.slot]
        return not (atom.text.rstrip(characters) if last else atom.text.lstrip(characters))

    def _unescape(self, atoms: Sequence[Atom]) -> list[Atom]:
        """The atoms, with each escape of the author's as one unit."""
        result: list[Atom] = []
        literals: list[Atom] = []
        for atom in (*atoms, None):
            if atom is not None and atom.run is not None:
                literals.append(atom)
                continue
            result += spell_escapes(literals)
            literals = []
            if atom is not None:
                result.append(atom)
        return result

    def _finish(self, atoms: Sequence[Atom], nodes: Sequence[yaml_reader.Node]) -> LiteralText | None:
        stretches: list[Stretch] = []
        at = 0
        for atom in atoms:
            if atom.run is None:
                continue
            if atom.run.is_verbatim:
                stretches += self._match_verbatim(atom, at)
            else:
                one = self._match_unit(atom, at)
                if one is None:
                    return None
                stretches.append(one)
            at += len(atom.text)
        text = "".join(atom.text for atom in atoms if atom.run is not None)
        scalars = [node for node in nodes if isinstance(node, yaml_reader.Scalar)]
        styles = tuple((scalar.style, find_indent(scalar, self.text)) for scalar in scalars)
        return LiteralText(text, tuple(stretches), styles)

    def _match_verbatim(self, atom: Atom, at: int) -> Iterator[Stretch]:
        run = atom.run or Run(0, 0, 0, 0)
        place = bisect_right(self._starts, run.source_start) - 1
        left = run.source_start
        while left < run.source_end and place < len(self.spans):
            start, end, piece = self.spans[place]
            right = min(end, run.source_end)
            if right > left:
                begin = at + left - run.source_start
                yield from self.sources.stretches(piece, left - start, right - start, begin, atom.style, atom.indent)
                left = right
            place += 1

    def _match_unit(self, atom: Atom, at: int) -> Stretch | None:
        """A unit that is written differently from how it is printed; None if a tag splits it."""
        run = atom.run or Run(0, 0, 0, 0)
        place = bisect_right(self._starts, run.source_start) - 1
        start, _, piece = self.spans[place]
        width = run.source_end - run.source_start
        parts = list(
            self.sources.stretches(piece, run.source_start - start, run.source_end - start, at, atom.style, atom.indent)
        )
        if len(parts) != 1 or run.source_end > self.spans[place][1]:
            # A tag may be between a line end and its indentation: the line end alone is the author's text.
            if atom.text != "\n" or not parts:
                return None
            return replace(parts[0], end=at + 1, source_end=parts[0].source_start + 1)
        return replace(parts[0], end=at + len(atom.text), source_end=parts[0].source_start + width)
