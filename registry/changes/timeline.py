"""All that happened in a request, in the order of the journal, with what was said."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from registry.changes.events import ChangeDecided, CommentAdded
from registry.changes.models import ChangeRequest, Comment, Decision
from registry.journal.models import Event

__all__ = ["Moment", "list_moments"]

_MOST = 500
_START = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Moment:
    """One event of the request: its kind and body as the journal has them, and the words that go with it, if any."""

    kind: str
    at: datetime
    person: str
    body: Mapping[str, Any]
    text: str = ""
    suggests: bool = False


def list_moments(change: ChangeRequest) -> list[Moment]:
    """Oldest first, the newest five hundred; three queries however much was said."""
    rows = list(Event.objects.filter(change=change.number).order_by("-number")[:_MOST])
    decided = dict(Decision.objects.filter(change=change).values_list("number", "text"))
    said = {
        (thread, number): (text, suggestion is not None)
        for thread, number, text, suggestion in Comment.objects.filter(thread__change=change).values_list(
            "thread__number", "number", "text", "suggestion"
        )
    }
    moments = []
    for row in reversed(rows):
        body = json.loads(row.text)["body"]
        text, suggests = "", False
        if row.kind == ChangeDecided.kind:
            text = decided.get(body["number"], "")
        elif row.kind == CommentAdded.kind:
            text, suggests = said.get((body["thread"], body["comment"]), ("", False))
        moments.append(Moment(row.kind, _START + timedelta(microseconds=row.at), row.person, body, text, suggests))
    return moments
