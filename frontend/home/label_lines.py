"""Lines of the home page about moved labels, from label moves and from events of the journal."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from frontend.web.event_sentences import AuditLine, describe_event
from registry.core.sentences import quote_start
from registry.journal.event import parse_event
from registry.journal.models import Event
from registry.templates.label_events import LabelMoved
from registry.templates.label_models import LabelMove

__all__ = ["LabelLine", "list_event_lines", "list_published_lines"]


@dataclass(frozen=True)
class LabelLine:
    """A moved label: who moved it to which version of which template, and how. `reason` is set only for a rollback or
    an emergency in the reader's own templates, and may be empty.
    """

    at: datetime
    person: str
    label: str
    is_protected: bool
    name: str
    number: int
    how: str
    change: int | None
    reason: str = ""

    @property
    def href(self) -> str:
        """The page of the template."""
        return reverse("template", args=[self.name])


def list_published_lines(moves: Sequence[LabelMove]) -> list[LabelLine]:
    """Lines of moves of protected labels."""
    return [
        LabelLine(
            at=move.created_at,
            person=move.person.username,
            label=move.label,
            is_protected=True,
            name=move.template.name,
            number=move.after.number,
            how=move.how,
            change=move.change_id,
        )
        for move in moves
        if move.after is not None
    ]


def list_event_lines(events: Sequence[Event]) -> list[LabelLine | AuditLine]:
    """Lines of events: label moves with the label as a pill, all others as a sentence."""
    described = [(event, describe_event(event, may_manage=False)) for event in events]
    return [_build_label_line(event, line.at) or line for event, line in described]


def _build_label_line(row: Event, at: datetime) -> LabelLine | None:
    event = parse_event(row.kind, json.loads(row.text)["body"])
    if not isinstance(event, LabelMoved) or event.to is None or event.to == event.from_version:
        return None
    return LabelLine(
        at=at,
        person=row.person,
        label=event.label,
        is_protected=event.how != "moved",
        name=event.template,
        number=event.to,
        how=event.how,
        change=event.change,
        reason=quote_start(event.reason) if event.how in ("rolled_back", "broke_glass") else "",
    )
