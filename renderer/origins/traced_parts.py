"""The parts of one rendering with the origin of each stretch: the author's literal text, by its place in the document.

Rendering itself keeps no positions of literals, so that it costs nothing where nobody asks. A trace renders again: it
reads the whole marked text as the parser of format `parts` does, follows each scalar back to the literals, and takes
the result only where it spells the very content that the rendering gave.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from promptuary.renderer.formats.jinja_body import JinjaBody
from promptuary.renderer.formats.parts.parser import PartsParser
from promptuary.renderer.jinja import Stream
from promptuary.renderer.origins.scalar_text import Run, align_scalar, find_indent
from promptuary.renderer.part import Part
from promptuary.renderer.problems import Lines, unify_newlines
from promptuary.renderer.syntax import yaml_reader
from promptuary.renderer.template import Template

__all__ = ["Stretch", "TracedPart", "pair_parts", "trace_parts", "trace_source_lines"]

_BOUNDS = yaml_reader.Bounds(depth=24, nodes=1_000_000)
_MOST_CHARACTERS = 400_000
_SPELLING = re.compile(r"<\|space\|>|\\n|\\r")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Content characters `start` to `end`, written by the author at offsets `source_start` to `source_end` of the
    document with LF newlines.

    Of unequal lengths it is one thing written otherwise. `reference` names the included fragment that it is in, if it
    is in one; its offsets are then those of the fragment's body. `repeats` is how often the rendering prints the
    literal. `style` is the YAML style it is written in, or `text` for no YAML; `indent` that of its block.
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
        """Whether each character is written as it reads."""
        return self.end - self.start == self.source_end - self.source_start


@dataclass(frozen=True, slots=True)
class TracedPart:
    """A part as rendered, before anything is cut, and its literal stretches in order.

    `stretches` is None where its text could not be followed back. `styles` are the style and indentation of each
    scalar that its content is read from.
    """

    part: Part
    stretches: tuple[Stretch, ...] | None
    styles: tuple[tuple[str, int], ...] = ()


def trace_parts(template: Template, data: Mapping[str, Any]) -> list[TracedPart] | None:
    """The parts in the template's order, all of them; None for a format whose text is not followed (shaped, prompter).

    Raises as `render`.
    """
    body = template.body
    if not isinstance(body, JinjaBody):
        return None
    context = template.rendering_context(data)
    (parts,) = body.parts(context)
    sources = _Sources(template, body, body.stream(context))
    if isinstance(body.assembly, PartsParser):
        texts = _scalar_texts(sources, body.assembly.marker)
    else:
        texts = [_plain_text(sources)]
    if len(texts) != len(parts):
        return [TracedPart(part, None) for part in parts]
    pairs = zip(parts, texts, strict=True)
    return [TracedPart(part, _place(part, text), text.styles if text else ()) for part, text in pairs]


def trace_source_lines(template: Template, data: Mapping[str, Any]) -> list[list[list[int]]]:
    """For each part of the prompt as it is sent, for each of its lines, the lines of the document (1-based, ascending)
    that it was written on; empty for what only a fragment wrote, and for parts that were shortened or are not followed.

    Nothing for a prompt of more than 400,000 characters, which takes too much memory to follow. Raises as `render`.
    """
    prompt = template.render(data)
    if sum(len(part.content) for part in prompt.parts if isinstance(part.content, str)) > _MOST_CHARACTERS:
        return []
    traced = trace_parts(template, data)
    if traced is None:
        return []
    lines = Lines(unify_newlines(template.document.text))
    pairs = zip(pair_parts(traced, prompt.parts), prompt.parts, strict=True)
    return [_lines_of(found, part, lines) for found, part in pairs]


def pair_parts(traced: Sequence[TracedPart], sent: Sequence[Part]) -> list[TracedPart | None]:
    """The traced part of each part that was sent; None for one that was shortened."""
    pairs: list[TracedPart | None] = []
    rest = iter(traced)
    for part in sent:
        found = next((one for one in rest if _may_be(one.part, part)), None)
        pairs.append(found if found is not None and found.part.content == part.content else None)
    return pairs


def _may_be(part: Part, sent: Part) -> bool:
    same = (part.name, part.role, part.line) == (sent.name, sent.role, sent.line)
    return same and (part.content == sent.content or part.shrink is not None)


def _lines_of(found: TracedPart | None, part: Part, lines: Lines) -> list[list[int]]:
    content = part.content
    if found is None or not isinstance(content, str):
        return []
    starts = Lines(content)
    numbers: list[set[int]] = [set() for _ in starts.starts]
    for stretch in found.stretches or ():
        if stretch.reference is None:
            first, _ = starts.position(stretch.start)
            last, _ = starts.position(max(stretch.start, stretch.end - 1))
            line, _ = lines.position(stretch.source_start)
            for shift, row in enumerate(range(first - 1, last)):
                numbers[row].add(line + shift)
    for mark in part.marks:
        first, _ = starts.position(mark.start)
        last, _ = starts.position(max(mark.start, mark.end - 1))
        for row in range(first - 1, last):
            numbers[row].add(mark.site.line)
    return [sorted(row) for row in numbers]


@dataclass(frozen=True, slots=True)
class _Text:
    """Literal text of a content with where it was written; `start` and `end` count literal characters only."""

    text: str
    stretches: tuple[Stretch, ...]
    styles: tuple[tuple[str, int], ...]


class _Sources:
    """One rendering's literals by offset in the marked text."""

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
        """The stretches of a literal's characters `inside` to `end`, as content from `at` on, cut where its source
        is.
        """
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


def _plain_text(sources: _Sources) -> _Text | None:
    """A body that is no YAML: its literals as they are."""
    stretches: list[Stretch] = []
    at = 0
    for piece in sources.stream.pieces:
        if piece >= 0 and sources.literals[piece].text:
            size = len(sources.literals[piece].text)
            stretches += sources.stretches(piece, 0, size, at, "text", 0)
            at += size
    text = "".join(sources.literals[piece].text for piece in sources.stream.pieces if piece >= 0)
    return _Text(text, tuple(stretches), (("text", 0),)) if sources.is_known else None


def _scalar_texts(sources: _Sources, marker: str) -> list[_Text | None]:
    """The literal text of each part's content."""
    text, spans = sources.marked(marker)
    try:
        root = yaml_reader.compose(text, _BOUNDS)
    except yaml_reader.YamlError:
        return []
    if not sources.is_known or not isinstance(root, yaml_reader.Sequence):
        return []
    reader = _ContentReader(sources, text, spans, marker)
    return [reader.read(item) for item in root.items]


@dataclass(frozen=True, slots=True)
class _Atom:
    """Characters of a content before values are put in: the author's, with the run they came from, or one slot."""

    text: str
    run: Run | None = None
    style: str = ""
    indent: int = 0
    slot: int = -1


class _ContentReader:
    """Follows the contents of a marked text back to its literals."""

    def __init__(self, sources: _Sources, text: str, spans: Sequence[tuple[int, int, int]], marker: str) -> None:
        self.sources = sources
        self.text = text
        self.spans = spans
        self._starts = [start for start, _, _ in spans]
        self._marks = re.compile(f"{re.escape(marker)}([0-9]+){re.escape(marker)}")

    def read(self, item: yaml_reader.Node) -> _Text | None:
        """The literal text of a part's content or sections; None where it can't be followed."""
        fields = {entry.key.value: entry.value for entry in item.items} if isinstance(item, yaml_reader.Mapping) else {}
        if "content" in fields:
            atoms = self._atoms(fields["content"])
            if atoms is None:
                return None
            return self._finish(self._unescape(self._strip(atoms, None)), [fields["content"]])
        sections = fields.get("sections")
        if not isinstance(sections, yaml_reader.Sequence):
            return None
        joined: list[_Atom] = []
        nodes: list[yaml_reader.Node] = []
        for section in sections.items:
            entries = section.items if isinstance(section, yaml_reader.Mapping) else []
            node = next((entry.value for entry in entries if entry.key.value == "content"), None)
            atoms = self._atoms(node)
            if node is None or atoms is None:
                return None
            nodes.append(node)
            joined += self._unescape(self._strip(atoms, " \t"))
        return self._finish(self._strip(joined, None), nodes)

    def _atoms(self, node: yaml_reader.Node | None) -> list[_Atom] | None:
        if not isinstance(node, yaml_reader.Scalar):
            return None
        runs = align_scalar(node, self.text)
        if runs is None:
            return None
        indent = find_indent(node, self.text)
        atoms: list[_Atom] = []
        for run in runs:
            words = node.value[run.start : run.end]
            at = 0
            for mark in self._marks.finditer(words) if run.is_verbatim else ():
                if mark.start() > at:
                    atoms.append(_cut(words, run, at, mark.start(), node.style, indent))
                atoms.append(_Atom("", slot=int(mark[1])))
                at = mark.end()
            if at < len(words):
                atoms.append(_cut(words, run, at, len(words), node.style, indent))
        return atoms

    def _strip(self, atoms: Sequence[_Atom], characters: str | None) -> list[_Atom]:
        """As the rules for contents do it: the author's white space at both ends goes; an empty value is looked
        through.
        """
        kept = list(atoms)
        while kept and self._is_empty(kept[0], characters, last=False):
            kept.pop(0)
        while kept and self._is_empty(kept[-1], characters, last=True):
            kept.pop()
        if kept and kept[0].run is not None:
            kept[0] = _shorten(kept[0], len(kept[0].text) - len(kept[0].text.lstrip(characters)), len(kept[0].text))
        if kept and kept[-1].run is not None:
            kept[-1] = _shorten(kept[-1], 0, len(kept[-1].text.rstrip(characters)))
        return kept

    def _is_empty(self, atom: _Atom, characters: str | None, *, last: bool) -> bool:
        if atom.run is None:
            return not self.sources.stream.values[atom.slot]
        return not (atom.text.rstrip(characters) if last else atom.text.lstrip(characters))

    def _unescape(self, atoms: Sequence[_Atom]) -> list[_Atom]:
        """The atoms with each of the author's spellings as one thing."""
        result: list[_Atom] = []
        literals: list[_Atom] = []
        for atom in (*atoms, None):
            if atom is not None and atom.run is not None:
                literals.append(atom)
                continue
            result += _spell(literals)
            literals = []
            if atom is not None:
                result.append(atom)
        return result

    def _finish(self, atoms: Sequence[_Atom], nodes: Sequence[yaml_reader.Node]) -> _Text | None:
        stretches: list[Stretch] = []
        at = 0
        for atom in atoms:
            if atom.run is None:
                continue
            if atom.run.is_verbatim:
                stretches += self._verbatim(atom, at)
            else:
                one = self._one_thing(atom, at)
                if one is None:
                    return None
                stretches.append(one)
            at += len(atom.text)
        text = "".join(atom.text for atom in atoms if atom.run is not None)
        scalars = [node for node in nodes if isinstance(node, yaml_reader.Scalar)]
        styles = tuple((scalar.style, find_indent(scalar, self.text)) for scalar in scalars)
        return _Text(text, tuple(stretches), styles)

    def _verbatim(self, atom: _Atom, at: int) -> Iterator[Stretch]:
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

    def _one_thing(self, atom: _Atom, at: int) -> Stretch | None:
        """What is written otherwise than it reads; None where a tag parts its writing."""
        run = atom.run or Run(0, 0, 0, 0)
        place = bisect_right(self._starts, run.source_start) - 1
        start, _, piece = self.spans[place]
        width = run.source_end - run.source_start
        parts = list(
            self.sources.stretches(piece, run.source_start - start, run.source_end - start, at, atom.style, atom.indent)
        )
        if len(parts) != 1 or run.source_end > self.spans[place][1]:
            # A line end and its indentation may have a tag between them: the line end alone is the author's text.
            if atom.text != "\n" or not parts:
                return None
            return replace(parts[0], end=at + 1, source_end=parts[0].source_start + 1)
        return replace(parts[0], end=at + len(atom.text), source_end=parts[0].source_start + width)


def _cut(words: str, run: Run, start: int, end: int, style: str, indent: int) -> _Atom:
    if not run.is_verbatim:
        return _Atom(words, run, style, indent)
    source = run.source_start
    return _Atom(words[start:end], Run(0, end - start, source + start, source + end), style, indent)


def _shorten(atom: _Atom, start: int, end: int) -> _Atom:
    if atom.run is None or (start == 0 and end == len(atom.text)):
        return atom
    if not atom.run.is_verbatim:
        return replace(atom, text=atom.text[start:end])
    return _cut(atom.text, atom.run, start, end, atom.style, atom.indent)


def _spell(atoms: Sequence[_Atom]) -> list[_Atom]:
    """Neighbouring literals with `<|space|>`, `\\n` and `\\r` replaced by what they mean."""
    text = "".join(atom.text for atom in atoms)
    spellings = list(_SPELLING.finditer(text))
    if not spellings:
        return list(atoms)
    result: list[_Atom] = []
    at = 0
    for match in spellings:
        result += _between(atoms, at, match.start())
        pieces = [atom.run for atom in _between(atoms, match.start(), match.end()) if atom.run is not None]
        meant = {"<|space|>": " ", "\\n": "\n", "\\r": "\r"}[match[0]]
        run = Run(0, 1, pieces[0].source_start, pieces[-1].source_end)
        result.append(_Atom(meant, run, atoms[0].style, atoms[0].indent))
        at = match.end()
    return result + _between(atoms, at, len(text))


def _between(atoms: Sequence[_Atom], start: int, end: int) -> list[_Atom]:
    result: list[_Atom] = []
    at = 0
    for atom in atoms:
        left, right = max(start, at), min(end, at + len(atom.text))
        if left < right:
            result.append(_shorten(atom, left - at, right - at))
        at += len(atom.text)
    return result


def _place(part: Part, found: _Text | None) -> tuple[Stretch, ...] | None:
    """The stretches by offset in the content: what is no value is the author's. None where the two differ."""
    content = part.content
    if found is None or not isinstance(content, str):
        return None
    gaps: list[tuple[int, int]] = []
    at = 0
    for mark in part.marks:
        if mark.start > at:
            gaps.append((at, mark.start))
        at = max(at, mark.end)
    if at < len(content):
        gaps.append((at, len(content)))
    if "".join(content[start:end] for start, end in gaps) != found.text:
        return None
    placed: list[Stretch] = []
    literal = 0
    stretches = iter(found.stretches)
    stretch = next(stretches, None)
    for start, end in gaps:
        left = literal
        literal += end - start
        while stretch is not None and stretch.start < literal:
            shift = start - left
            head, stretch = _split(stretch, literal)
            placed.append(replace(head, start=head.start + shift, end=head.end + shift))
            stretch = stretch or next(stretches, None)
    return tuple(placed)


def _split(stretch: Stretch, at: int) -> tuple[Stretch, Stretch | None]:
    if stretch.end <= at or not stretch.is_verbatim:
        return stretch, None
    middle = stretch.source_start + at - stretch.start
    return replace(stretch, end=at, source_end=middle), replace(stretch, start=at, source_start=middle)
