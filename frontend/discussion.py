"""Threads of a change request laid beside the lines they are about, in the view that is open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from frontend import diffs
from registry.models import ChangeRequest, Comment, Thread
from registry.queries import threads
from registry.queries.threads import Placed

__all__ = ["Discussion", "Said", "Spot", "Talk", "discuss"]


@dataclass(frozen=True)
class Said:
    """A comment; `lines` is its suggestion as a diff against the lines it would replace, None where it suggests nothing."""

    comment: Comment
    lines: Sequence[diffs.Line] | None
    may_apply: bool


@dataclass(frozen=True)
class Talk:
    """A thread with its place in words; `url` leads to the view in which it hangs under its line."""

    thread: Thread
    said: Sequence[Said]
    where: str
    url: str
    is_outdated: bool
    is_resolved: bool


@dataclass
class Spot:
    """What hangs under one line: its threads, and the form for another one where that was asked for."""

    talks: list[Talk] = field(default_factory=list)
    form: bool = False


@dataclass(frozen=True)
class Discussion:
    """`spots`: part of the rendered prompt (0 for the source) to line to what hangs there, for the view that is open.

    `elsewhere` are threads of the other view or of other samples, `outdated` those whose lines are gone. `link` is the address
    of the view, to which a part and a line are added; empty where this person may not comment.
    """

    side: str
    sample: str
    spots: Mapping[int, Mapping[int, Spot]]
    elsewhere: Sequence[Talk]
    outdated: Sequence[Talk]
    link: str
    back: str
    count: int
    line: int | None = None
    part: int = 0
    text: str = ""

    @property
    def source_spots(self) -> Mapping[int, Spot]:
        """The spots of the document's lines."""
        return self.spots.get(0, {}) if self.side == Thread.SOURCE else {}


def discuss(
    change: ChangeRequest, side: str, sample: str, asked: tuple[int, int] | None, *, may_comment: bool, may_apply: bool
) -> Discussion:
    """asked: the part and the line (of the head) that somebody wants to say something about, or None."""
    spots: dict[int, dict[int, Spot]] = {}
    elsewhere: list[Talk] = []
    outdated: list[Talk] = []
    found = threads.of(change)
    for placed in found:
        talk = _talk(placed, may_apply)
        thread = placed.thread
        if placed.end_line is None:
            outdated.append(talk)
        elif thread.side == side and (side == Thread.SOURCE or thread.sample == sample):
            spots.setdefault(thread.part, {}).setdefault(placed.end_line, Spot()).talks.append(talk)
        else:
            elsewhere.append(talk)
    view = _address(side, sample)
    if asked and may_comment:
        spots.setdefault(asked[0], {}).setdefault(asked[1], Spot()).form = True
    part, line = asked or (0, None)
    return Discussion(
        side=side,
        sample=sample if side == Thread.RENDERED else "",
        spots=spots,
        elsewhere=elsewhere,
        outdated=outdated,
        link=view if may_comment else "",
        back=view,
        count=len(found),
        line=line,
        part=part,
        text=_line_of(change.version.document, line) if side == Thread.SOURCE and line else "",
    )


def _talk(placed: Placed, may_apply: bool) -> Talk:
    thread = placed.thread
    first = placed.line or thread.line
    lines = (
        f"line {first}" if thread.line == thread.end_line else f"lines {first} to {placed.end_line or thread.end_line}"
    )
    where = (
        f"source {lines}" if thread.side == Thread.SOURCE else f"{lines} of part {thread.part + 1} on {thread.sample}"
    )
    applies = may_apply and placed.line is not None and not placed.is_resolved
    said = [
        Said(
            comment,
            _suggested(thread.quote, comment.suggestion, first) if comment.suggestion is not None else None,
            applies and comment.suggestion is not None,
        )
        for comment in placed.comments
    ]
    url = f"{_address(thread.side, thread.sample)}#thread-{thread.number}"
    return Talk(thread, said, where, url, placed.is_outdated, placed.is_resolved)


def _suggested(quote: str, suggestion: str, first: int) -> list[diffs.Line]:
    """The lines before and after, numbered as in the document."""
    by = first - 1
    return [
        diffs.Line(line.kind, line.old and line.old + by, line.new and line.new + by, line.words)
        for line in diffs.compare(quote, suggestion)
    ]


def _address(side: str, sample: str) -> str:
    query = {"view": side, **({"sample": sample} if side == Thread.RENDERED else {})}
    return f"?{urlencode(query)}"


def _line_of(document: str, line: int) -> str:
    lines = document.splitlines()
    return lines[line - 1] if line <= len(lines) else ""
