"""The parts of one rendering with the origin of each stretch: the author's literal text, by its place in the document.

Normal rendering doesn't record positions of literals, so origins cost nothing unless requested. A trace renders again:
it parses the whole marked text like the parser of format `parts`, traces each scalar back to the literals, and accepts
the result only if it reproduces the rendered content exactly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from promptuary.renderer.formats.jinja_body import JinjaBody
from promptuary.renderer.formats.parts.parser import PartsParser
from promptuary.renderer.origins.content_literals import (
    LiteralText,
    Sources,
    Stretch,
    read_plain_text,
    read_scalar_texts,
)
from promptuary.renderer.part import Part
from promptuary.renderer.problems import Lines, unify_newlines
from promptuary.renderer.template import Template

__all__ = [
    "TracedPart",
    "pair_parts",
    "trace_parts",
    "trace_source_lines",
]

_MAX_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True)
class TracedPart:
    """A part as rendered, before truncation, and its literal stretches in order.

    `stretches` is None if its text could not be traced. `styles` are the style and indentation of each scalar that its
    content was parsed from.
    """

    part: Part
    stretches: tuple[Stretch, ...] | None
    styles: tuple[tuple[str, int], ...] = ()


def trace_parts(template: Template, data: Mapping[str, Any]) -> list[TracedPart] | None:
    """Return all parts in the template's order; None for a format that can't be traced (shaped, prompter).

    Raises as `render`.
    """
    body = template.body
    if not isinstance(body, JinjaBody):
        return None
    context = template.rendering_context(data)
    (parts,) = body.build_parts(context)
    sources = Sources(template, body, body.stream(context))
    if isinstance(body.assembly, PartsParser):
        texts = read_scalar_texts(sources, body.assembly.marker)
    else:
        texts = [read_plain_text(sources)]
    if len(texts) != len(parts):
        return [TracedPart(part, None) for part in parts]
    pairs = zip(parts, texts, strict=True)
    return [TracedPart(part, _place(part, text), text.styles if text else ()) for part, text in pairs]


def trace_source_lines(template: Template, data: Mapping[str, Any]) -> list[list[list[int]]]:
    """Return for each line of each part, as sent, the document's lines (1-based, ascending) that it was written on.

    A line is empty if only a fragment wrote it, or if its part was shortened or can't be traced. Returns nothing for a
    prompt of more than 400,000 characters, which takes too much memory to trace. Raises as `render`.
    """
    prompt = template.render(data)
    if sum(len(part.content) for part in prompt.parts if isinstance(part.content, str)) > _MAX_CHARACTERS:
        return []
    traced = trace_parts(template, data)
    if traced is None:
        return []
    lines = Lines(unify_newlines(template.document.text))
    pairs = zip(pair_parts(traced, prompt.parts), prompt.parts, strict=True)
    return [_list_lines(traced_part, part, lines) for traced_part, part in pairs]


def pair_parts(traced: Sequence[TracedPart], sent: Sequence[Part]) -> list[TracedPart | None]:
    """Return the traced part of each part that was sent; None for a shortened one."""
    pairs: list[TracedPart | None] = []
    rest = iter(traced)
    for part in sent:
        pair = next((one for one in rest if _may_be(one.part, part)), None)
        pairs.append(pair if pair is not None and pair.part.content == part.content else None)
    return pairs


def _may_be(part: Part, sent: Part) -> bool:
    same = (part.name, part.role, part.line) == (sent.name, sent.role, sent.line)
    return same and (part.content == sent.content or part.shrink is not None)


def _list_lines(traced: TracedPart | None, part: Part, lines: Lines) -> list[list[int]]:
    content = part.content
    if traced is None or not isinstance(content, str):
        return []
    starts = Lines(content)
    numbers: list[set[int]] = [set() for _ in starts.starts]
    for stretch in traced.stretches or ():
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


def _place(part: Part, literal_text: LiteralText | None) -> tuple[Stretch, ...] | None:
    """The stretches by offset in the content: everything but values is the author's. None if the two differ."""
    content = part.content
    if literal_text is None or not isinstance(content, str):
        return None
    gaps: list[tuple[int, int]] = []
    at = 0
    for mark in part.marks:
        if mark.start > at:
            gaps.append((at, mark.start))
        at = max(at, mark.end)
    if at < len(content):
        gaps.append((at, len(content)))
    if "".join(content[start:end] for start, end in gaps) != literal_text.text:
        return None
    placed: list[Stretch] = []
    literal = 0
    stretches = iter(literal_text.stretches)
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
