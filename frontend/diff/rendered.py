"""A rendered prompt for reading and comparing: parts with roles, marked values, long values folded."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.utils.translation import gettext

from frontend.diff import text as diff_text
from frontend.diff import values
from promptuary.renderer.syntax.alignment import Effort

__all__ = ["Message", "PartDiff", "Piece", "compare_parts", "messages", "pieces_of"]

# A value from an input longer than this is folded behind a chip that says how much there is.
OPEN_CHARACTERS = 220


@dataclass(frozen=True)
class Piece:
    """A run of a part's text: the author's own, a value from an input, a fragment's, or what stands for a missing
    value; `more` is what is folded.
    """

    text: str
    kind: Literal["text", "input", "fragment", "placeholder"] = "text"
    more: str = ""
    expression: str = ""
    line: int | None = None
    column: int | None = None

    @property
    def reference(self) -> str:
        """What a fragment's expression names: `support/policy@3`."""
        return values.read_reference(self.expression)


@dataclass(frozen=True)
class Message:
    """A part as it is read. `role` is empty where it repeats the one above it."""

    name: str
    role: str
    tokens: int | None
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class PartDiff:
    """One part on two sides; `index` is its place on the new one.

    `moved` is empty or names both places: `moved from place 2 to 4`.
    """

    name: str
    role: str
    state: Literal["same", "changed", "added", "removed"]
    old_tokens: int | None
    new_tokens: int | None
    moved: str
    lines: tuple[diff_text.Entry, ...]
    index: int | None = None

    @property
    def change(self) -> int:
        """Tokens more (or fewer) than on the old side."""
        return (self.new_tokens or 0) - (self.old_tokens or 0)


def messages(parts: Sequence[Mapping[str, Any]], placeholders: Sequence[str] = ()) -> list[Message]:
    """Rendered parts (mappings with name, role, content, token_count, spans) as they are read from top to bottom.

    placeholders: paths of missing values, which read as `[path]` in the text.
    """
    marks = re.compile("|".join(re.escape(f"[{path}]") for path in placeholders)) if placeholders else None
    rows: list[Message] = []
    last = ""
    for part in parts:
        role = str(part.get("role") or "")
        rows.append(
            Message(
                name=str(part.get("name") or ""),
                role="" if role == last else role,
                tokens=part.get("token_count"),
                pieces=tuple(
                    _with_placeholders(pieces_of(text_of(part), part.get("spans") or ()), marks, placeholders)
                ),
            )
        )
        last = role
    return rows


def text_of(part: Mapping[str, Any]) -> str:
    """A part's text; multimodal content is shown as its JSON."""
    content = part.get("content")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)


def pieces_of(text: str, spans: Sequence[Mapping[str, Any]]) -> list[Piece]:
    """The text cut at its spans. Spans are code point ranges; one inside another is left to the outer one."""
    pieces: list[Piece] = []
    at = 0
    for span in sorted(spans, key=lambda span: (span["start"], -span["end"])):
        start, end = span["start"], span["end"]
        if start < at or end <= start:
            continue
        if start > at:
            pieces.append(Piece(text[at:start]))
        pieces.append(_value(text[start:end], span))
        at = end
    if at < len(text):
        pieces.append(Piece(text[at:]))
    return pieces


def _with_placeholders(
    pieces: Sequence[Piece], marks: re.Pattern[str] | None, placeholders: Sequence[str]
) -> Iterator[Piece]:
    """The pieces with the placeholders in values from inputs as pieces of their own. A missing number is known by its
    expression: it prints as a number.
    """
    for piece in pieces:
        if marks is None or piece.kind != "input":
            yield piece
            continue
        if piece.expression in placeholders:
            yield replace(piece, text=piece.expression, kind="placeholder", more="")
            continue
        at = 0
        for mark in marks.finditer(piece.text):
            if mark.start() > at:
                yield replace(piece, text=piece.text[at : mark.start()], more="")
            yield replace(piece, text=mark[0][1:-1], kind="placeholder", more="")
            at = mark.end()
        if at < len(piece.text) or piece.more:
            yield replace(piece, text=piece.text[at:])


def compare_parts(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> list[PartDiff]:
    """Part against part of the same name, in the new order; removed parts are where they were."""
    effort = Effort()
    before, after = _named(old), _named(new)
    places = {name: place for place, name in enumerate(before)}
    stays = _longest_rising([places[name] for name in after if name in places])
    result: list[PartDiff] = []
    for place, (name, part) in enumerate(after.items()):
        if name not in before:
            result.append(replace(_one_sided(part, "added"), index=place))
            continue
        move = ""
        if places[name] not in stays:
            move = gettext("moved from place {before} to {after}").format(before=places[name] + 1, after=place + 1)
        result.append(replace(_both_sides(before[name], part, move, effort), index=place))
    return _with_removed(before, after, result)


def _with_removed(
    before: Mapping[tuple[str, int], Mapping[str, Any]],
    after: Mapping[tuple[str, int], Any],
    result: Sequence[PartDiff],
) -> list[PartDiff]:
    """The parts with the removed ones put in, each below the lowest of those that were above it."""
    order = {name: place for place, name in enumerate(after)}
    removed: dict[int, list[PartDiff]] = {}
    lowest = -1
    for name, part in before.items():
        if name in order:
            lowest = max(lowest, order[name])
        else:
            removed.setdefault(lowest, []).append(_one_sided(part, "removed"))
    part_diffs = removed.get(-1, [])
    for place, part_diff in enumerate(result):
        part_diffs += [part_diff, *removed.get(place, [])]
    return part_diffs


def _value(text: str, span: Mapping[str, Any]) -> Piece:
    kind: Literal["input", "fragment"] = "fragment" if span.get("kind") == "fragment" else "input"
    head, more = text, ""
    if len(text) > OPEN_CHARACTERS * 1.3:
        end = max(text.rfind(" ", OPEN_CHARACTERS // 2, OPEN_CHARACTERS), text.rfind("\n", 0, OPEN_CHARACTERS))
        end = end if end > 0 else OPEN_CHARACTERS
        head, more = text[:end], text[end:]
    return Piece(head, kind, more, str(span.get("expression") or ""), span.get("line"), span.get("column"))


def _named(parts: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Parts by name; the second of a name is another part, so names carry their turn."""
    parts_by_name: dict[tuple[str, int], Mapping[str, Any]] = {}
    turns: dict[str, int] = {}
    for part in parts:
        name = str(part.get("name") or "")
        turns[name] = turns.get(name, -1) + 1
        parts_by_name[name, turns[name]] = part
    return parts_by_name


def _one_sided(part: Mapping[str, Any], state: Literal["added", "removed"]) -> PartDiff:
    text = text_of(part)
    lines, _ = diff_text.folded_diff("", text) if state == "added" else diff_text.folded_diff(text, "")
    marks = values.find_values(text, part.get("spans") or ())
    tokens = part.get("token_count")
    return PartDiff(
        name=str(part.get("name") or ""),
        role=str(part.get("role") or ""),
        state=state,
        old_tokens=None if state == "added" else tokens,
        new_tokens=tokens if state == "added" else None,
        moved="",
        lines=tuple(values.mark_values(lines, marks, marks)),
    )


def _both_sides(old: Mapping[str, Any], new: Mapping[str, Any], move: str, effort: Effort) -> PartDiff:
    lines, counts = diff_text.folded_diff(text_of(old), text_of(new), effort, context=2)
    before, after = (values.find_values(text_of(part), part.get("spans") or ()) for part in (old, new))
    same_role = old.get("role") == new.get("role")
    same = same_role and not counts.added and not counts.removed
    role = str(new.get("role") or "")
    return PartDiff(
        name=str(new.get("name") or ""),
        role=role if same_role else gettext("{before} to {after}").format(before=old.get("role"), after=role),
        state="same" if same else "changed",
        old_tokens=old.get("token_count"),
        new_tokens=new.get("token_count"),
        moved=move,
        lines=tuple(values.fold_fragments(values.mark_values(lines, before, after))),
    )


def _longest_rising(places: Sequence[int]) -> set[int]:
    """The places that keep their order; every other one moved (a longest increasing subsequence)."""
    tops: list[int] = []
    below: dict[int, int | None] = {}
    for place in places:
        pile = bisect_left(tops, place)
        below[place] = tops[pile - 1] if pile else None
        tops[pile : pile + 1] = [place]
    rising: set[int] = set()
    at = tops[-1] if tops else None
    while at is not None:
        rising.add(at)
        at = below[at]
    return rising
