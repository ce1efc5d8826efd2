"""A rendered prompt for display: parts with roles, marked values, and long values folded."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from frontend.diff.part_diffs import read_reference, read_text

__all__ = ["Message", "Piece", "build_messages", "split_at_spans"]

# An input value longer than this is folded behind a chip with its length.
OPEN_CHARACTERS = 220


@dataclass(frozen=True)
class Piece:
    """A run of a part's text: literal text, a value from an input, a fragment, or the placeholder of a missing value;
    `more` is the folded rest.
    """

    text: str
    kind: Literal["text", "input", "fragment", "placeholder"] = "text"
    more: str = ""
    expression: str = ""
    line: int | None = None
    column: int | None = None

    @property
    def reference(self) -> str:
        """The reference in a fragment's expression: `support/policy@3`."""
        return read_reference(self.expression)


@dataclass(frozen=True)
class Message:
    """A part as displayed. `role` is empty if it is the same as the one above."""

    name: str
    role: str
    tokens: int | None
    pieces: tuple[Piece, ...]


def build_messages(parts: Sequence[Mapping[str, Any]], placeholders: Sequence[str] = ()) -> list[Message]:
    """Rendered parts (mappings with name, role, content, token_count, spans) as messages, top to bottom.

    placeholders: paths of missing values, which appear as `[path]` in the text.
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
                    _split_at_placeholders(
                        split_at_spans(read_text(part), part.get("spans") or ()), marks, placeholders
                    )
                ),
            )
        )
        last = role
    return rows


def split_at_spans(text: str, spans: Sequence[Mapping[str, Any]]) -> list[Piece]:
    """Split the text at its spans. Spans are code point ranges; nested ones are dropped."""
    pieces: list[Piece] = []
    at = 0
    for span in sorted(spans, key=lambda span: (span["start"], -span["end"])):
        start, end = span["start"], span["end"]
        if start < at or end <= start:
            continue
        if start > at:
            pieces.append(Piece(text[at:start]))
        pieces.append(_build_value(text[start:end], span))
        at = end
    if at < len(text):
        pieces.append(Piece(text[at:]))
    return pieces


def _split_at_placeholders(
    pieces: Sequence[Piece], marks: re.Pattern[str] | None, placeholders: Sequence[str]
) -> Iterator[Piece]:
    """Split placeholders in values from inputs into separate pieces. A missing number is recognized by its expression,
    because it prints as a number.
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


def _build_value(text: str, span: Mapping[str, Any]) -> Piece:
    kind: Literal["input", "fragment"] = "fragment" if span.get("kind") == "fragment" else "input"
    head, more = text, ""
    if len(text) > OPEN_CHARACTERS * 1.3:
        end = max(text.rfind(" ", OPEN_CHARACTERS // 2, OPEN_CHARACTERS), text.rfind("\n", 0, OPEN_CHARACTERS))
        end = end if end > 0 else OPEN_CHARACTERS
        head, more = text[:end], text[end:]
    return Piece(head, kind, more, str(span.get("expression") or ""), span.get("line"), span.get("column"))
