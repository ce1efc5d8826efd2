"""Scheduled revocations: which keys have one, and cancelling it. They are derived from the journal."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import Conflict, NotAllowed
from registry.journal import log
from registry.journal.event import from_microseconds
from registry.journal.models import Event
from registry.namespaces import permissions
from registry.namespaces.events import KeyIssued, KeyKept, KeyRevoked, KeyRotated
from registry.namespaces.keys import describe_event_fields, find_key
from registry.namespaces.verbs import Verb

__all__ = ["LaterRevocation", "find_later_revocations", "keep_key", "may_cancel"]

_KINDS = (KeyIssued.kind, KeyRevoked.kind, KeyRotated.kind, KeyKept.kind)


@dataclass(frozen=True)
class LaterRevocation:
    """A scheduled revocation of a key. person: the username of the person who last set it. former_end: when the key
    would end without it, None: never.
    """

    person: str
    former_end: datetime | None


def find_later_revocations(keys: Collection[Key]) -> dict[str, LaterRevocation]:
    """Find the scheduled revocations that are still to come, by key id."""
    at = log.now()
    coming = {key.id: key for key in keys if key.revoked_at is None and key.expires_at and key.expires_at > at}
    places = {key.namespace.name for key in coming.values()}
    revoked = Event.objects.filter(namespace__in=places, kind=KeyRevoked.kind).values_list("text", flat=True)
    if not any(_concerns_keys(json.loads(text)["body"], coming) for text in revoked):
        return {}
    ends: dict[str, int | None] = {}
    revocations: dict[str, LaterRevocation] = {}
    rows = Event.objects.filter(namespace__in=places, kind__in=_KINDS).order_by("number")
    for kind, person, text in rows.values_list("kind", "person", "text"):
        _follow(kind, person, json.loads(text)["body"], ends, revocations)
    return {key_id: revocation for key_id, revocation in revocations.items() if key_id in coming}


def may_cancel(actor: Actor, key: Key, revocation: LaterRevocation) -> bool:
    """Whether the actor may cancel it: an admin of the namespace, or the key's person if they set it. Never by key."""
    if actor.key is not None or not actor.person.is_active:
        return False
    is_own = key.person_id == actor.person.pk and revocation.person == actor.person.username
    return is_own or permissions.is_allowed(actor, Verb.MANAGE, key.namespace)


def keep_key(*, actor: Actor, key_id: str) -> Key:
    """Cancel the scheduled revocation: the key ends when it did before, or never.

    For admins, with a proof, and for the person whom the key acts for if they set the revocation. Raises Conflict if
    the key has ended, or no revocation is scheduled.
    """
    at = log.now()
    with transaction.atomic():
        log.lock()
        key = find_key(actor, key_id, own=True)
        revocation = find_later_revocations([key]).get(key.id)
        if revocation is None:
            raise Conflict(
                gettext("The key {name} ({id}) has no revocation that could be cancelled.").format(
                    name=key.name, id=key.id
                ),
                key=key.id,
            )
        if not may_cancel(actor, key, revocation):
            raise NotAllowed(
                gettext("{person} set this revocation. Only an admin of {namespace} can cancel it.").format(
                    person=revocation.person, namespace=key.namespace.name
                )
            )
        permissions.require_proof(actor)
        key.expires_at = revocation.former_end
        key.save(update_fields=["expires_at"])
        log.append(actor, KeyKept(**describe_event_fields(key)), namespace=key.namespace, at=at)
    return key


def _concerns_keys(body: dict[str, Any], keys: Collection[str]) -> bool:
    return body.get("until") is not None and body["id"] in keys


def _follow(
    kind: str,
    person: str,
    body: dict[str, Any],
    ends: dict[str, int | None],
    revocations: dict[str, LaterRevocation],
) -> None:
    """Record the key ends and revocations in an event."""
    key_id = body["id"]
    if kind == KeyRevoked.kind:
        if body.get("until") is not None:
            end = ends.get(key_id)
            revocations[key_id] = LaterRevocation(person, from_microseconds(end) if end else None)
        return
    ends[key_id] = body["expires_at"]
    revocations.pop(key_id, None)
    if kind == KeyRotated.kind:  # the old key ends because of the rotation, which can't be cancelled
        ends[body["replaces"]] = body["replaced_until"]
        revocations.pop(body["replaces"], None)
