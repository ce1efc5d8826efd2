"""The timeline of a change request: its events, oldest first, with their texts."""

import json
from dataclasses import dataclass
from datetime import datetime

from registry.changes.events import ChangeDecided
from registry.changes.models import ChangeRequest, Decision
from registry.changes.review_events import CommentAdded
from registry.changes.thread_models import Comment
from registry.changes.thread_queries import NO_TEXT, CommentText, CommentTexts
from registry.journal.event import JournalEvent, from_microseconds, parse_event
from registry.journal.models import Event

__all__ = ["Moment", "list_moments"]

_LIMIT = 500


@dataclass(frozen=True)
class Moment:
    """One event of the request with its text, if any. event: None for an unknown kind."""

    at: datetime
    person: str
    event: JournalEvent | None
    comment_text: CommentText = NO_TEXT


def list_moments(change: ChangeRequest, texts: CommentTexts) -> list[Moment]:
    """List the timeline, oldest first, up to the newest five hundred; always three queries. texts: of the request."""
    rows = list(Event.objects.filter(change=change.number).order_by("-number")[:_LIMIT])
    decisions = dict(Decision.objects.filter(change=change).values_list("number", "text"))
    columns = Comment.objects.filter(thread__change=change).values_list("thread__number", "number", "text")
    comments = {(thread, number): text for thread, number, text in columns}
    moments = []
    for row in reversed(rows):
        event, at = parse_event(row.kind, json.loads(row.text)["body"]), from_microseconds(row.at)
        found_text = NO_TEXT
        if isinstance(event, ChangeDecided):
            found_text = texts.find(0, event.number, decisions.get(event.number, ""), at)
        elif isinstance(event, CommentAdded):
            place = event.thread, event.comment
            found_text = texts.find(*place, comments.get(place, ""), at)
        moments.append(Moment(at, row.person, event, found_text))
    return moments
