"""Namespaces, members and keys from their events."""

from collections.abc import Mapping
from typing import Any

from registry.accounts.models import Key
from registry.journal.models import Event
from registry.mirror.restorer import Read, Rows, moment, moment_of
from registry.namespaces.models import Membership, Namespace

__all__ = [
    "key_issued",
    "key_revoked",
    "key_rotated",
    "member_set",
    "namespace_created",
    "namespace_ruled",
    "webhook_noted",
]

_NO_SECRET = ""  # equals no SHA-256, so a restored key opens nothing until it is issued anew


def namespace_created(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    made = Namespace.objects.create(name=body["name"], created_at=moment(event), **body["rules"])
    rows.namespaces[made.name] = made
    if body["admin"]:
        Membership.objects.create(namespace=made, person=rows.person(body["admin"]), role="admin")


def namespace_ruled(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    rules = {"suggesters_may_approve": False, **body["rules"]}  # absent while it is off
    Namespace.objects.filter(name=event.namespace).update(**rules)


def member_set(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    place: dict[str, Any] = {"namespace": rows.namespaces[event.namespace], "person": rows.person(body["person"])}
    if body["role"] is None:
        Membership.objects.filter(**place).delete()
    else:
        Membership.objects.update_or_create(**place, defaults={"role": body["role"]})


def key_issued(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    Key.objects.create(
        id=body["id"],
        namespace=rows.namespaces[event.namespace],
        person=rows.person(body["person"]),
        name=body["name"],
        scope=body["scope"],
        secret_sha256=_NO_SECRET,
        approved_only=body["approved_only"],
        verbs=body.get("verbs", []),
        labels=body.get("labels", []),
        replaces_id=body.get("replaces"),
        created_by=rows.person(event.person),
        created_at=moment(event),
        expires_at=moment_of(body["expires_at"]) if body["expires_at"] else None,
    )


def key_rotated(rows: Rows, event: Event, body: Mapping[str, Any], read: Read) -> None:
    Key.objects.filter(id=body["replaces"]).update(expires_at=moment_of(body["replaced_until"]))
    key_issued(rows, event, body, read)


def key_revoked(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    if "until" in body:  # it goes on for a while
        Key.objects.filter(id=body["id"]).update(expires_at=moment_of(body["until"]))
    else:
        Key.objects.filter(id=body["id"]).update(revoked_at=moment(event))


def webhook_noted(_rows: Rows, _event: Event, _body: Mapping[str, Any], _read: Read) -> None:
    """No row: the journal knows neither the address nor the secret, so an admin makes the webhook anew."""
