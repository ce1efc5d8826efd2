"""Events as sentences with links to their subjects: for the audit page and other lists of events."""

import json
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from registry.journal.event import JournalEvent, Page, from_microseconds, parse_event
from registry.journal.models import Event
from registry.releases.events import ReleaseStep

__all__ = ["AuditLine", "describe_event"]

_OF_ADMINS = (Page.KEYS, Page.WEBHOOKS, Page.CONNECTIONS)


@dataclass(frozen=True)
class AuditLine:
    """One event: `sentence` continues after the user's name; `href` is empty if there is no page to link."""

    event: Event
    at: datetime
    sentence: str
    href: str


def describe_event(row: Event, *, may_manage: bool) -> AuditLine:
    """The event in words; an unknown kind is shown by its name. Pages for admins are linked only for admins."""
    event = parse_event(row.kind, json.loads(row.text)["body"])
    sentence = event.write_sentence() if event else f"{row.kind.replace('.', ': ')} {row.template}".strip()
    return AuditLine(row, from_microseconds(row.at), sentence, _find_link(row, event, may_manage))


def _find_link(row: Event, event: JournalEvent | None, may_manage: bool) -> str:
    page = event.page if event else None
    if isinstance(event, ReleaseStep):
        return reverse("release", args=[event.release])
    if row.change is not None:
        return reverse("change", args=[row.change])
    if page is Page.DIFF:
        return f"{reverse('diff', args=[row.template])}?to={row.version}"
    if page is not None and (may_manage or page not in _OF_ADMINS):
        return reverse(page.value, args=[row.namespace])
    return reverse("template", args=[row.template]) if row.template else ""
