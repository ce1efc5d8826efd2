"""Events as sentences: what somebody did, in words, and where it can be looked at."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.urls import reverse

from registry.journal.models import Event

__all__ = ["Line", "read"]

Body = Mapping[str, Any]
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_WORDS = 160  # characters of a message that stand in the list; the rest stands where the link leads


@dataclass(frozen=True)
class Line:
    """One event: `sentence` goes on where the person's name ends; `href` is empty where there is nothing to look at."""

    event: Event
    at: datetime
    sentence: str
    href: str


def read(event: Event, *, may_manage: bool) -> Line:
    """The event in words; a kind that has none of its own is told by its name. Pages of admins are linked for them only."""
    body = json.loads(event.text)["body"]
    words = _WORDS.get(event.kind)
    sentence = words(body) if words else f"{event.kind.replace('.', ': ')} {event.template}".strip()
    return Line(event, _BEGINNING + timedelta(microseconds=event.at), sentence, _place(event, may_manage))


def _place(event: Event, may_manage: bool) -> str:
    if event.change is not None:
        return reverse("change", args=[event.change])
    if event.kind in _PAGES and (may_manage or _PAGES[event.kind] not in _OF_ADMINS):
        return reverse(_PAGES[event.kind], args=[event.namespace])
    if event.kind == "version.saved":
        return f"{reverse('diff', args=[event.template])}?to={event.version}"
    return reverse("template", args=[event.template]) if event.template else ""


def _member(body: Body) -> str:
    return f"gave {body['person']} the role {body['role']}" if body["role"] else f"took {body['person']} out"


def _issued(body: Body) -> str:
    may = ", ".join(body.get("verbs") or []) or body["scope"]
    only = f" on {', '.join(body['labels'])}" if body.get("labels") else ""
    return f"issued a key for {body['name']} that acts for {body['person']} and may {may}{only}"


def _rotated(body: Body) -> str:
    return f"rotated the key of {body['name']}: pb_{body['replaces']} gives way to pb_{body['id']}"


def _saved(body: Body) -> str:
    message = body["message"].strip().partition("\n")[0][:_MOST_WORDS]
    return f"saved version {body['number']} of {body['template']}" + (f": {message}" if message else "")


def _moved(body: Body) -> str:
    label, name, to, origin = body["label"], body["template"], body["to"], body["from"]
    where = f"from version {origin} to {to}" if origin else f"to version {to}"
    if body["how"] == "published" and origin == to:
        return f"published {name}: {label} stays on version {to}, approved now"
    reason = f": {body['reason'].strip()[:_MOST_WORDS]}" if body["reason"].strip() else ""
    return {
        "moved": f"moved {label} of {name} {where}",
        "published": f"published {name}: {label} moved {where}",
        "rolled_back": f"rolled {label} of {name} back {where}{reason}",
        "removed": f"took {label} away from {name}, which stood on version {origin}",
        "broke_glass": f"broke the glass: {label} of {name} moved {where} without approval{reason}",
    }[body["how"]]


def _change(verb: str) -> Callable[[Body], str]:
    return lambda body: (
        f"{verb} change {body['change']}: {body['label']} of {body['template']} to version {body['version']}"
    )


def _decided(body: Body) -> str:
    verb = {
        "approve": "approved",
        "request_changes": "asked for changes of",
        "comment": "commented on",
        "acknowledge": "accepted a break of the contract in",
    }[body["decision"]]
    return f"{verb} change {body['change']}: version {body['version']} of {body['template']} for {body['label']}"


def _thread(body: Body) -> str:
    verb = "resolved" if body["resolved"] else "opened again"
    return f"{verb} thread {body['thread']} of change {body['change']}"


_WORDS: Mapping[str, Callable[[Body], str]] = {
    "namespace.created": lambda body: f"made the namespace {body['name']}",
    "namespace.ruled": lambda _: "set the rules",
    "member.set": _member,
    "key.issued": _issued,
    "key.revoked": lambda body: f"revoked the key pb_{body['id']}{', to end later' if 'until' in body else ''}",
    "key.rotated": _rotated,
    "version.saved": _saved,
    "version.redacted": lambda body: f"redacted version {body['version']} of {body['template']}: {body['reason']}",
    "samples.saved": lambda body: f"saved the samples of {body['template']}",
    "template.archived": lambda body: f"archived {body['template']}",
    "template.unarchived": lambda body: f"took {body['template']} out of the archive",
    "label.moved": _moved,
    "change.proposed": _change("opened"),
    "change.headed": _change("updated"),
    "change.withdrawn": _change("withdrew"),
    "change.reopened": _change("opened again"),
    "emergency.closed": lambda body: f"closed the emergency of change {body['change']} without approving it",
    "change.decided": _decided,
    "comment.added": lambda body: f"wrote in thread {body['thread']} of change {body['change']}",
    "thread.resolved": _thread,
    "verdict.given": lambda body: f"had {body['template']} checked: {body['check']} {body['outcome']}",
    "dataset.saved": lambda body: f"saved version {body['number']} of the dataset {body['dataset']}",
    "evaluation.attached": lambda body: f"attached the evaluation {body['name']} over {body['dataset']}",
    "evaluation.detached": lambda body: f"took the evaluation {body['name']} away",
    "webhook.set": lambda body: f"set the webhook to {body['host']}",
    "webhook.removed": lambda body: f"removed the webhook to {body['host']}",
}
_OF_ADMINS = ("keys", "webhooks")
_PAGES = {
    "webhook.set": "webhooks",
    "webhook.removed": "webhooks",
    "namespace.created": "members",
    "namespace.ruled": "rules",
    "member.set": "members",
    "key.issued": "keys",
    "key.revoked": "keys",
    "key.rotated": "keys",
}
