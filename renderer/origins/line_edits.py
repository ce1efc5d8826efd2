"""Edits of rendered lines applied to the document, only if the document then renders to exactly those lines.

An edit is planned from the origins of the characters it touches, or in formats without origins (shaped, prompter) by
searching for the same words in the document. The edited document is rendered with the same data, and the plan is
accepted only if that yields the suggested lines and leaves everything else unchanged.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from promptuary.renderer.errors import RenderError
from promptuary.renderer.formats.jinja_body import JinjaBody
from promptuary.renderer.origins.content_literals import Stretch
from promptuary.renderer.origins.edit_outcomes import EditRefusal, LineEdit, RefusedEdit, find_line_edit, refuse_value
from promptuary.renderer.origins.literal_search import Replacement, find_replacements
from promptuary.renderer.origins.scalar_text import escape_text
from promptuary.renderer.origins.traced_parts import TracedPart, pair_parts, trace_parts
from promptuary.renderer.part import Mark, Part
from promptuary.renderer.problems import Lines, unify_newlines
from promptuary.renderer.syntax import sequence_diff
from promptuary.renderer.syntax.three_way_merge import split_lines
from promptuary.renderer.template import Template, load

__all__ = ["edit_rendered_lines"]

_PIECE = re.compile(r"\w+|\n|[^\S\n]+|[^\w\s]")
_MAX_PLANS = 32  # rendered when searching for words
_TAG = re.compile(r"\{[{%#]")


def edit_rendered_lines(
    template: Template, data: Mapping[str, Any], *, part: int, line: int, end_line: int, text: str
) -> LineEdit | RefusedEdit:
    """Find the edit of the document that makes lines `line` to `end_line` of a part read `text`, or why none does.

    part: its index in the prompt, from 0. line, end_line: 1-based and inclusive. An empty text removes the lines.
    Raises IndexError if the prompt has no such part or lines, and as `render`.
    """
    try:
        return _Editor(template, data, part, line, end_line, unify_newlines(text)).edit()
    except EditRefusal as refusal:
        return refusal.refused


class _Editor:
    """One suggestion for a part of a rendering."""

    def __init__(
        self, template: Template, data: Mapping[str, Any], part: int, line: int, end_line: int, text: str
    ) -> None:
        self.template, self.data, self.index = template, data, part
        self.document = unify_newlines(template.document.text)
        self.lines = Lines(self.document)
        self.before = template.render(data).parts
        rendered = self.before[part]
        if part < 0 or not isinstance(rendered.content, str):
            raise IndexError(part)
        self.content = rendered.content
        content_lines = split_lines(self.content)
        if not 1 <= line <= end_line <= len(content_lines):
            raise IndexError(line)
        self.start = sum(map(len, content_lines[: line - 1]))
        self.end = self.start + sum(map(len, content_lines[line - 1 : end_line]))
        new = text if not text or text.endswith("\n") else text + "\n"
        if new and not content_lines[end_line - 1].endswith("\n"):
            new = new.removesuffix("\n")
        elif not new and end_line == len(content_lines) and line > 1:
            self.start -= 1  # the last lines go together with the line end before them
        if self.content[self.start : self.end] == new:
            raise EditRefusal(RefusedEdit("same"))
        self.new = new
        self.wanted = self.content[: self.start] + new + self.content[self.end :]
        self.part = self._find_part(rendered)
        self.stretches = self.part.stretches or ()

    def _find_part(self, rendered: Part) -> TracedPart:
        traced = trace_parts(self.template, self.data)
        if traced is None:
            self.is_traced = False
            return TracedPart(rendered, None)
        self.is_traced = True
        pair = pair_parts(traced, self.before)[self.index]
        if pair is None:
            raise EditRefusal(RefusedEdit("shortened", rendered.line))
        if pair.stretches is None:
            raise EditRefusal(RefusedEdit("untraced", rendered.line))
        return pair

    def edit(self) -> LineEdit:
        """Return the first possible plan that renders to the wanted lines."""
        return self._edit_traced() if self.is_traced else self._edit_found()

    def _edit_traced(self) -> LineEdit:
        """Plan by the origins of the characters."""
        refused: RefusedEdit | None = None
        tried: set[str] = set()
        for prefers_left in (True, False):
            try:
                replacements = [
                    one
                    for start, end, new in self._list_changes()
                    for one in self._find_replacements(start, end, new, prefers_left)
                ]
                document = self._apply(replacements)
                if document in tried:
                    continue
                tried.add(document)
                self._verify(document)
                return find_line_edit(self.document, document)
            except EditRefusal as refusal:
                refused = refused or refusal.refused
        raise EditRefusal(refused or RefusedEdit("untraced"))

    def _edit_found(self) -> LineEdit:
        """Plan by places in the document's body with the same words."""
        body_start = self.lines.starts[self.template.document.body_line - 1]
        marks = self.part.part.marks
        places: list[list[Replacement]] = []
        for start, end, new in self._list_changes():
            self._refuse_values(start, end)
            places.append(find_replacements(self.document, body_start, self.content, marks, (start, end, new)))
        refused: list[RefusedEdit] = []
        for plan in islice(product(*places), _MAX_PLANS):
            document = self._apply(plan)
            try:
                self._verify(document)
                return find_line_edit(self.document, document)
            except EditRefusal as refusal:
                refused.append(refusal.refused)
        raise EditRefusal(refused[0] if len({one.line for one in refused}) == 1 else RefusedEdit("untraced"))

    def _list_changes(self) -> list[Replacement]:
        """List the changes of the content."""
        changes = _find_changes(self.content[self.start : self.end], self.new)
        return [(self.start + start, self.start + end, new) for start, end, new in changes]

    def _apply(self, replacements: Sequence[Replacement]) -> str:
        """Apply the edits to the document."""
        document = self.document
        for start, end, new in sorted(replacements, reverse=True):
            document = document[:start] + new + document[end:]
        return document

    def _find_replacements(self, start: int, end: int, new: str, prefers_left: bool) -> Iterator[tuple[int, int, str]]:
        """What to replace in the document for one changed stretch of the content."""
        if start == end:
            place, style, indent = self._find_insertion(start, prefers_left)
            yield place, place, self._escape_text(new, style, indent, place)
            return
        pieces = list(self._find_pieces(start, end))
        first = pieces[0]
        yield (
            first.source_start,
            first.source_end,
            self._escape_text(new, first.style, first.indent, first.source_start),
        )
        for piece in pieces[1:]:
            yield piece.source_start, piece.source_end, ""

    def _find_pieces(self, start: int, end: int) -> Iterator[Stretch]:
        """The author's stretches that make up content from start to end. Raises EditRefusal for any other text."""
        self._refuse_values(start, end)
        for stretch in self.stretches:
            left, right = max(start, stretch.start), min(end, stretch.end)
            if left >= right:
                continue
            self._check(stretch)
            if not stretch.is_verbatim:
                if (left, right) != (stretch.start, stretch.end):
                    raise EditRefusal(RefusedEdit("untraced", self._find_line(stretch.source_start)))
                yield stretch
                continue
            begin = stretch.source_start + left - stretch.start
            yield Stretch(left, right, begin, begin + right - left, None, 1, stretch.style, stretch.indent)

    def _refuse_values(self, start: int, end: int) -> None:
        """Refuse if a value printed some of the content from start to end."""
        for mark in self.part.part.marks:
            if mark.start < end and start < mark.end:
                raise EditRefusal(refuse_value(mark))

    def _check(self, stretch: Stretch) -> None:
        if stretch.reference is not None:
            raise EditRefusal(RefusedEdit("fragment", source=stretch.reference))
        if stretch.repeats > 1:
            line = self._find_line(stretch.source_start)
            raise EditRefusal(RefusedEdit("repeated", line, count=stretch.repeats))

    def _find_insertion(self, at: int, prefers_left: bool) -> tuple[int, str, int]:
        """Where in the document to insert text for this place of the content, with style and indentation."""
        stretch_before = next((one for one in self.stretches if one.end == at or one.start < at < one.end), None)
        right = next((one for one in self.stretches if one.start == at), None)
        inside = stretch_before is not None and stretch_before.end != at
        # At the start of a line, prefer text written on the same line.
        starts_line = at == 0 or self.content[at - 1] == "\n"
        order = [right, stretch_before] if (starts_line == prefers_left) and not inside else [stretch_before, right]
        refusal: EditRefusal | None = None
        for stretch in order:
            if stretch is None:
                continue
            try:
                self._check(stretch)
            except EditRefusal as error:
                refusal = refusal or error
                continue
            if stretch is right:
                return stretch.source_start, stretch.style, stretch.indent
            if stretch.is_verbatim:
                return stretch.source_start + at - stretch.start, stretch.style, stretch.indent
            if stretch.end == at:
                return stretch.source_end, stretch.style, stretch.indent
        if refusal is not None:
            raise refusal
        return self._find_place_beside_value(at)

    def _find_place_beside_value(self, at: int) -> tuple[int, str, int]:
        """Before or after the tag of a value that has no text of the author's next to it."""
        body = self.template.body
        for mark in self.part.part.marks:
            if not isinstance(body, JinjaBody) or at not in (mark.start, mark.end) or len(self.part.styles) != 1:
                continue
            offset = self.lines.starts[mark.site.line - 1] + mark.site.column - 1
            shift = len(self.document) - len(body.document.body)
            tag = body.unit.located.tag_at(offset - shift)
            if tag is None or tag.start != offset - shift or tag.kind != "variable" or self._prints(mark) > 1:
                continue
            style, indent = self.part.styles[0]
            return (offset if at == mark.start else shift + tag.end), style, indent
        value_mark = next((mark for mark in self.part.part.marks if mark.start <= at <= mark.end), None)
        raise EditRefusal(refuse_value(value_mark) if value_mark else RefusedEdit("untraced", self.part.part.line))

    def _prints(self, mark: Mark) -> int:
        return sum(one.site is mark.site for one in self.part.part.marks)

    def _escape_text(self, new: str, style: str, indent: int, place: int) -> str:
        escaped = escape_text(new, style, indent)
        if escaped is None:
            raise EditRefusal(RefusedEdit("unfaithful", self._find_line(place)))
        return escaped

    def _find_line(self, offset: int) -> int:
        return self.lines.position(offset)[0]

    def _verify(self, document: str) -> None:
        """Refuse a document that renders to anything but the requested lines and the otherwise unchanged prompt."""
        line = find_line_edit(self.document, document).line
        try:
            edited = load(
                document,
                fragments=self.template.fragments,
                profile=self.template.profile,
                vocabularies=self.template.vocabularies,
            )
            after = edited.render(self.data).parts
        except RenderError as error:
            raise EditRefusal(RefusedEdit("unfaithful" if _TAG.search(self.new) else "broken", line)) from error
        if len(after) <= self.index or after[self.index].content != self.wanted:
            raise EditRefusal(RefusedEdit("unfaithful", line))
        facts = [(part.name, part.role, part.content) for part in after]
        expected_parts = [(part.name, part.role, part.content) for part in self.before]
        expected_parts[self.index] = (*expected_parts[self.index][:2], self.wanted)
        if facts != expected_parts:
            raise EditRefusal(RefusedEdit("elsewhere", line))


def _find_changes(old: str, new: str) -> Iterator[Replacement]:
    """The changed stretches of the old text and their replacements, split at words to keep them small."""
    before, after = _PIECE.findall(old), _PIECE.findall(new)
    was, now = _find_offsets(before), _find_offsets(after)
    for kind, i1, i2, j1, j2 in sequence_diff.find_steps(before, after):
        if kind == "equal":
            continue
        start, end, text = was[i1], was[i2], new[now[j1] : now[j2]]
        while start < end and text and old[start] == text[0]:
            start, text = start + 1, text[1:]
        while start < end and text and old[end - 1] == text[-1]:
            end, text = end - 1, text[:-1]
        yield start, end, text


def _find_offsets(pieces: Sequence[str]) -> list[int]:
    offsets = [0]
    for piece in pieces:
        offsets.append(offsets[-1] + len(piece))
    return offsets
