"""The conversation of a change request: its events in words, with checks that ended together in one entry."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from registry.changes.events import ChangeDecided
from registry.changes.models import ChangeRequest
from registry.changes.moments import Moment, list_moments
from registry.changes.review_events import CommentAdded, VerdictGiven
from registry.changes.thread_queries import CommentText, CommentTexts
from registry.releases import queries as release_queries
from registry.releases.events import ReleaseChanged, ReleaseStep
from registry.releases.queries import ReleaseMoment

__all__ = ["TimelineEntry", "list_timeline_entries"]


@dataclass(frozen=True)
class TimelineEntry:
    """One row of the conversation. `voided`: a decision that a newer head voided. `is_comment`: a comment by a user,
    with its current text in `comment_text`. `own`: the number of the decision, or of the release's comment, that
    contains it, if the reader wrote it and may edit it; 0 otherwise.
    """

    at: datetime
    person: str
    icon: str
    look: str
    words: str
    text: str = ""
    url: str = ""
    url_word: str = ""
    voided: bool = False
    is_comment: bool = False
    comment_text: CommentText | None = None
    own: int = 0


def list_timeline_entries(
    change: ChangeRequest, texts: CommentTexts | None = None, writer: str = ""
) -> list[TimelineEntry]:
    """All entries, oldest first. texts: of the request, read here if not given. writer: the username of a reader who
    may comment.
    """
    rows: list[TimelineEntry] = []
    moments = list_moments(change, texts or CommentTexts(change))
    for is_check, group in groupby(moments, lambda moment: isinstance(moment.event, VerdictGiven)):
        if is_check:
            rows += _check_entries(group)
        else:
            rows += [entry for moment in group if (entry := _build_entry(change, moment, writer)) is not None]
    joins = [_join_entry(change, moment) for moment in release_queries.list_join_moments(change)]
    return rows if not joins else sorted([*rows, *joins], key=lambda entry: entry.at)


def _join_entry(change: ChangeRequest, moment: ReleaseMoment) -> TimelineEntry:
    """How the request became part of a release, or was removed from it."""
    event = moment.event
    number = event.release if isinstance(event, ReleaseStep) else 0
    words = gettext("made the change part of release {number}: it is published or withdrawn with it")
    if isinstance(event, ReleaseChanged) and change.number in event.removed:
        words = gettext("removed the change from release {number}")
    url = reverse("release", args=[number])
    return TimelineEntry(
        moment.at, moment.person, "list", "", words.format(number=number), url=url, url_word=gettext("Open the release")
    )


def _check_entries(moments: Iterable[Moment]) -> list[TimelineEntry]:
    """One row for the verdicts about each version."""
    versions: dict[int, list[tuple[datetime, VerdictGiven]]] = {}
    for moment in moments:
        if isinstance(moment.event, VerdictGiven):
            versions.setdefault(moment.event.version, []).append((moment.at, moment.event))
    return [_build_check_entry(group[-1][0], [verdict for _, verdict in group]) for group in versions.values()]


def _build_entry(change: ChangeRequest, moment: Moment, writer: str) -> TimelineEntry | None:
    event = moment.event
    line = event.build_timeline_line() if event else None
    if line is None:
        return None
    entry = TimelineEntry(moment.at, moment.person, line.icon, line.look, line.words, line.text)
    if line.is_remark:
        entry = replace(entry, text=moment.comment_text.text, is_comment=True, comment_text=moment.comment_text)
    if isinstance(event, ChangeDecided) and moment.comment_text.text and moment.person == writer:
        entry = replace(entry, own=event.number)
    if isinstance(event, ChangeDecided) and event.decision != "comment":
        is_of_head = (event.digest, event.round) == (change.version.digest, change.round)
        return replace(entry, voided=change.takes_decisions and not is_of_head)
    if isinstance(event, CommentAdded):
        return replace(entry, url=_build_thread_url(event), url_word=gettext("See the thread"))
    return entry


def _build_thread_url(event: CommentAdded) -> str:
    query = {"view": event.side, **({"sample": event.sample} if event.side == "rendered" else {})}
    return f"?{urlencode(query)}#thread-{event.thread}"


def _build_check_entry(at: datetime, verdicts: Sequence[VerdictGiven]) -> TimelineEntry:
    failed = [f"{verdict.check}: {verdict.summary}" for verdict in verdicts if verdict.outcome == "failed"]
    passed = len(verdicts) - len(failed)
    counts = ((passed, gettext("passed")), (len(failed), gettext("failed")))
    words = gettext(" and ").join(f"{count} {word}" for count, word in counts if count)
    look, icon = ("bad", "circle-x") if failed else ("ok", "check")
    return TimelineEntry(
        at,
        "",
        icon,
        look,
        gettext("checks of v{version}: {words}").format(version=verdicts[-1].version, words=words),
        "\n".join(failed),
    )
