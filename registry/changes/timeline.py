"""The events of a change request in the order of the journal, with the texts of comments and decisions."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from registry.changes.events import ChangeDecided, CommentAdded
from registry.changes.models import ChangeRequest, Comment, Decision
from registry.journal.event import JournalEvent, parse
from registry.journal.models import Event

__all__ = ["Moment", "list_moments"]

_MOST = 500
_START = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Moment:
    """One event of the request, and the text that goes with it, if any. event: None for a kind that is unknown."""

    at: datetime
    person: str
    event: JournalEvent | None
    text: str = ""


def list_moments(change: ChangeRequest) -> list[Moment]:
    """Oldest first, the newest five hundred; three queries however much was said."""
    rows = list(Event.objects.filter(change=change.number).order_by("-number")[:_MOST])
    decisions = dict(Decision.objects.filter(change=change).values_list("number", "text"))
    columns = Comment.objects.filter(thread__change=change).values_list("thread__number", "number", "text")
    comments = {(thread, number): text for thread, number, text in columns}
    moments = []
    for row in reversed(rows):
        event, text = parse(row.kind, json.loads(row.text)["body"]), ""
        if isinstance(event, ChangeDecided):
            text = decisions.get(event.number, "")
        elif isinstance(event, CommentAdded):
            text = comments.get((event.thread, event.comment), "")
        moments.append(Moment(_START + timedelta(microseconds=row.at), row.person, event, text))
    return moments
