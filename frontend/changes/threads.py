"""Threads and unsent remarks of a change request, placed at their lines in the open view."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext

from frontend.changes.rows import PermittedActions
from frontend.changes.shown_comments import (
    CommentView,
    Discussion,
    LineAnnotations,
    OpenCommentForm,
    RemarkView,
    Spots,
    ThreadView,
)
from frontend.diff import text as diff_text
from frontend.web.wording import format_line_range
from registry.changes import thread_queries
from registry.changes.gate import Gate
from registry.changes.line_anchors import Anchors, take_lines
from registry.changes.models import ChangeRequest
from registry.changes.thread_models import Remark, Thread
from registry.changes.thread_queries import CommentTexts, PlacedThread, ReadComment

__all__ = [
    "View",
    "build_discussion",
    "fill_form",
    "read_suggested_lines",
]

Suggestion = tuple[int, int]


@dataclass(frozen=True)
class View:
    """The page's view: `source`, `rendered`, `both` or `conversation`, its sample, and its other query parameters."""

    name: str
    sample: str
    parameters: Mapping[str, str] = field(default_factory=dict)

    def shows(self, side: str) -> bool:
        """Whether the view shows lines of this side."""
        return self.name in (side, "both")

    def build_query(self, **extra: object) -> str:
        """The query string of the view, with extra parameters."""
        sample = {"sample": self.sample} if self.sample and self.name in ("rendered", "both") else {}
        return f"?{urlencode({'view': self.name, **sample, **self.parameters, **extra})}"


def build_discussion(
    gate: Gate,
    view: View,
    open_form: OpenCommentForm | None,
    act: PermittedActions,
    *,
    texts: CommentTexts,
    remarks: Sequence[Remark] = (),
    batch: Sequence[Suggestion] = (),
    parts: Sequence[Mapping[str, Any]] = (),
) -> Discussion:
    """open_form: for the lines (of the head) that were selected for a comment, or None; batch: (thread, comment).

    parts: those of the displayed prompt, with their `source_lines`.
    """
    change = gate.change
    annotations = _Annotations(_RenderedPlaces(view, parts))
    elsewhere: list[ThreadView] = []
    outdated: list[ThreadView] = []
    threads: list[ThreadView] = []
    lines = _Lines(change)
    unsent = [_build_unsent_remark(change, remark, view, lines) for remark in remarks]
    for placed in thread_queries.list_threads(change, texts):
        replies = [reply for reply in unsent if reply.remark.thread_id == placed.thread.pk]
        thread = _build_thread(placed, replies, act, batch, gate)
        threads.append(thread)
        if placed.end_line is None:
            outdated.append(thread)
        elif not annotations.add_thread(placed, thread):
            elsewhere.append(thread)
    for unsent_remark in unsent:
        annotations.add_remark(unsent_remark, lines)
    if open_form is not None and act.comment and view.shows(open_form.side):
        open_form = fill_form(change, open_form, remarks, view.sample, parts)
        annotations.open_form(open_form)
    chosen = [
        (thread, comment) for thread in threads for comment in thread.comments if comment.in_batch and comment.may_apply
    ]
    return Discussion(
        source=annotations.source,
        rendered=annotations.rendered,
        elsewhere=elsewhere,
        outdated=outdated,
        unsent=unsent,
        batch=chosen,
        batch_warning=gate.warn_of_suggestions([comment.comment for _, comment in chosen]) if chosen else "",
        source_link=view.build_query(side="source") if act.comment else "",
        rendered_link=view.build_query(side="rendered") if act.comment else "",
        back=view.build_query(),
        count=len(threads),
        open_form=open_form,
        may_comment=act.comment,
    )


class _Annotations:
    """What is shown at lines of the source, by line, and at lines of the prompt, by part and line."""

    def __init__(self, places: "_RenderedPlaces") -> None:
        self.source: Spots = {}
        self.rendered: dict[int, Spots] = {}
        self._places = places

    def find(self, side: str, part: int, line: int) -> LineAnnotations:
        """Return the annotations of a line, which are added if it has none yet."""
        spots = self.source if side == Thread.SOURCE else self.rendered.setdefault(part, {})
        return spots.setdefault(line, LineAnnotations())

    def add_thread(self, placed: PlacedThread, thread_view: ThreadView) -> bool:
        """Show a thread below its last line; False if the view doesn't show its lines."""
        if placed.end_line is None:
            return False
        place = self._places.find(placed.thread, placed.line or placed.end_line, placed.end_line)
        if place:
            self.find(*place).threads.append(thread_view)
        return place is not None

    def add_remark(self, remark_view: RemarkView, lines: "_Lines") -> None:
        """Show a remark that starts a thread below its last line, if the view shows that."""
        line = lines.now(remark_view.remark) if remark_view.remark.thread_id is None else None
        place = self._places.find(remark_view.remark, line, line) if line else None
        if place:
            self.find(*place).unsent.append(remark_view)

    def open_form(self, form: OpenCommentForm) -> None:
        """Show the form below its last line, and mark its lines."""
        self.find(form.side, form.part, form.end_line).form = True
        for line in range(form.line, form.end_line + 1):
            self.find(form.side, form.part, line).selected = True


def _build_thread(
    placed: PlacedThread, unsent: Sequence[RemarkView], act: PermittedActions, batch: Sequence[Suggestion], gate: Gate
) -> ThreadView:
    thread = placed.thread
    first = placed.line or thread.line
    lines = format_line_range(first, placed.end_line or thread.end_line)
    where = _place(thread, lines)
    applies = act.set_version and placed.line is not None and not placed.is_resolved
    comments = [
        CommentView(
            read.comment,
            read.comment_text,
            read_suggested_lines(thread.quote, read.suggestion, first) if read.suggestion is not None else None,
            applies and read.suggestion is not None,
            _is_own(read, act, gate),
            (thread.number, read.comment.number) in batch,
            gate.warn_of_suggestions([read.comment]) if applies and read.suggestion is not None else "",
        )
        for read in placed.read_comments
    ]
    view = View(thread.side, thread.sample)
    url = f"{view.build_query()}#thread-{thread.number}"
    return ThreadView(thread, comments, unsent, where, url, placed.is_outdated, placed.is_resolved)


def _is_own(read: ReadComment, act: PermittedActions, gate: Gate) -> bool:
    is_writer = gate.actor is not None and read.comment.person_id == gate.actor.person.pk
    return act.comment and is_writer and not read.comment_text.is_deleted


def _build_unsent_remark(change: ChangeRequest, remark: Remark, view: View, current: "_Lines") -> RemarkView:
    lines = format_line_range(remark.line, remark.end_line)
    where = _place(remark, lines)
    if remark.thread is not None:
        where = gettext("thread {thread}, {where}").format(thread=remark.thread.number, where=where)
    if remark.version_id != change.version_id:
        where = gettext("{where} of v{number}").format(where=where, number=remark.version.number)
    suggested = (
        read_suggested_lines(remark.quote, remark.suggestion, remark.line) if remark.suggestion is not None else None
    )
    there = view if view.shows(remark.side) and remark.side == Thread.SOURCE else View(remark.side, remark.sample)
    line = current.now(remark)
    query = {"side": remark.side, "part": remark.part, "remark": remark.pk}
    url = (
        f"{there.build_query(**query)}#comment-form"
        if line and remark.thread is None
        else there.build_query() + "#unsent"
    )
    return RemarkView(remark, where, suggested, url)


class _Lines:
    """Maps lines of earlier versions to the head. Each version is compared with it once."""

    def __init__(self, change: ChangeRequest) -> None:
        self._head = change.version
        self._known: dict[int, Anchors] = {}

    def now(self, remark: Remark) -> int | None:
        """The last line of the remark as numbered in the head, or None if the lines were changed since."""
        if remark.version_id == self._head.pk:
            return remark.end_line
        if remark.side != Thread.SOURCE:
            return None
        if remark.version_id not in self._known:
            self._known[remark.version_id] = Anchors(remark.version.document, self._head.document)
        spot = self._known[remark.version_id].find(remark.line, remark.end_line)
        return spot[1] if spot else None


class _RenderedPlaces:
    """Maps threads and remarks to places in the open view.

    In a rendered view, those on lines of the source are shown at the line where these were rendered.
    """

    def __init__(self, view: View, parts: Sequence[Mapping[str, Any]]) -> None:
        self._view = view
        self._parts = parts
        self._places: dict[int, tuple[int, int]] | None = None

    def find(self, subject: Thread | Remark, line: int, end_line: int) -> tuple[str, int, int] | None:
        """Side, part and line for these lines of its side, or None if the view doesn't show them."""
        if self._view.shows(subject.side):
            is_here = subject.side == Thread.SOURCE or subject.sample == self._view.sample
            return (subject.side, subject.part, end_line) if is_here else None
        if subject.side == Thread.SOURCE and self._view.name == Thread.RENDERED:
            spot = self._find_rendered(line, end_line)
            return (Thread.RENDERED, *spot) if spot else None
        return None

    def _find_rendered(self, line: int, end_line: int) -> tuple[int, int] | None:
        """The part and line to which the last of these source lines was first rendered."""
        if self._places is None:
            self._places = {}
            for part, fields in enumerate(self._parts):
                for row, sources in enumerate(fields.get("source_lines") or (), 1):
                    for source in sources:
                        self._places.setdefault(source, (part, row))
        return next((self._places[at] for at in range(end_line, line - 1, -1) if at in self._places), None)


def fill_form(
    change: ChangeRequest,
    form: OpenCommentForm,
    remarks: Sequence[Remark],
    sample: str,
    parts: Sequence[Mapping[str, Any]],
) -> OpenCommentForm:
    """The form with the saved remark, and with the lines themselves as the initial suggestion.

    sample, parts: of the displayed prompt, for lines of it.
    """
    replaced_remark = next((remark for remark in remarks if remark.pk == form.remark), None)
    if replaced_remark is not None and not form.text:
        length = replaced_remark.end_line - replaced_remark.line
        end = _Lines(change).now(replaced_remark) or replaced_remark.end_line
        form = replace(
            form, text=replaced_remark.text, suggestion=replaced_remark.suggestion, line=end - length, end_line=end
        )
    if form.side == Thread.SOURCE:
        text, sample = change.version.document, ""
    else:
        content = parts[form.part].get("content") if form.part < len(parts) else ""
        text = content if isinstance(content, str) else ""
    was = (take_lines(text, form.line, form.end_line) or "").removesuffix("\n")
    return replace(form, sample=sample, was=was, suggestion=was if form.suggestion is None else form.suggestion)


def read_suggested_lines(quote: str, suggestion: str, first: int) -> list[diff_text.Line]:
    """The lines before and after, numbered as in the document."""
    by = first - 1
    return [
        line._replace(old=line.old and line.old + by, new=line.new and line.new + by)
        for line in diff_text.compare_lines(quote, suggestion)
    ]


def _place(subject: Thread | Remark, lines: str) -> str:
    """`source line 12`, `lines 3 to 4 of part 2 on boots`"""
    if subject.side == Thread.SOURCE:
        return gettext("source {lines}").format(lines=lines)
    return gettext("{lines} of part {part} on {sample}").format(
        lines=lines, part=subject.part + 1, sample=subject.sample
    )
