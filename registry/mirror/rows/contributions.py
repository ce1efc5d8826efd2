"""What versions took in and what closed requests were decided on, from the events: as they say it, or worked out."""

from collections.abc import Mapping
from typing import Any

from registry.changes.models import ChangeRequest, Comment
from registry.journal.models import Event
from registry.mirror.restorer import Rows
from registry.templates.models import Contribution, Version

__all__ = ["decided", "write"]


def decided(rows: Rows, event: Event, body: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the request that the event closes was decided on; None where it closes none. Before the event's rows are written."""
    return rows.derivation.decided(rows.fact(event, body))


def write(rows: Rows, event: Event, body: Mapping[str, Any], kept: Mapping[str, Any] | None) -> None:
    """The rows that the event tells of, after its own were written."""
    for taken in rows.derivation.take(rows.fact(event, body)):
        version = Version.objects.get(template__name=taken.template, number=taken.number)
        if taken.suggestion is not None:
            change, thread, comment = taken.suggestion
            said = Comment.objects.get(thread__change=change, thread__number=thread, number=comment)
            Contribution.objects.get_or_create(version=version, comment=said, source=None)
        elif taken.source is not None:
            source = Version.objects.get(template__name=taken.template, number=taken.source)
            Contribution.objects.get_or_create(version=version, comment=None, source=source)
    if kept is not None and event.change is not None:
        ChangeRequest.objects.filter(number=event.change).update(decided=kept)
