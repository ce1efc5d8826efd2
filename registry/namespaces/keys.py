"""API keys: credentials of services, each acting for one person in one namespace."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.core import names
from registry.core.client_address import read_networks
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.core.timestamps import check_moment
from registry.journal import log
from registry.journal.event import to_microseconds
from registry.namespaces import permissions
from registry.namespaces.events import KeyAddressesSet, KeyIssued, KeyRevoked, KeyRotated
from registry.namespaces.models import Namespace, Role
from registry.namespaces.verbs import KEY_VERBS, SCOPES, TABLE, Verb

__all__ = [
    "DEFAULT_DAYS",
    "IssuedKey",
    "describe_event_fields",
    "find_default_end",
    "find_key",
    "issue_key",
    "revoke_key",
    "rotate_key",
    "set_key_addresses",
]

DEFAULT_DAYS = 90  # default lifetime of a new key
_ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that are easily confused
_MAX_LABELS = 20
_MAX_NETWORKS = 50


@dataclass(frozen=True)
class IssuedKey:
    """A new key and the only copy of its secret: `pb_<id>_<43 characters>`, 256 random bits."""

    key: Key
    secret: str


def find_default_end() -> datetime:
    """The default end of a key that is created now, for the API and the commands; aware."""
    return log.now() + timedelta(days=DEFAULT_DAYS)


def issue_key(  # noqa: PLR0913  # each a property of the key
    *,
    actor: Actor,
    namespace: str,
    name: str,
    scope: str = "",
    verbs: Sequence[str] = (),
    labels: Sequence[str] = (),
    person: str | None = None,
    expires_at: datetime | None = None,
    approved_only: bool | None = None,
    addresses: Sequence[str] = (),
) -> IssuedKey:
    """Issue a key that acts for a member (by default the actor), limited to that person's role; admins only.

    scope: read, or write, which includes read and everything except rolling back; or instead `verbs`, a subset of
    `verbs.KEY_VERBS`; without either it may only fetch. labels: the only ones it may use; then it fetches only what
    those serve at the time. expires_at: aware; None: never. approved_only: None follows the namespace's rules.
    addresses: the only IP addresses and networks (`203.0.113.0/24`) it works from; empty: any.
    """
    key = Key(name=_read_name(name), approved_only=approved_only, created_at=log.now(), expires_at=expires_at)
    key.scope, key.verbs = _read_scope(scope, verbs)
    key.labels = _read_labels(labels)
    key.addresses = read_networks("addresses", addresses, _MAX_NETWORKS)
    _require_future("expires_at", expires_at, key.created_at)
    with transaction.atomic():
        log.lock()
        key.namespace = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        permissions.require_proof(actor)
        key.person = _find_owner(key.namespace, person or actor.person.username)
        _require_reach(key)
        secret = _store(actor, key)
        log.append(
            actor, KeyIssued(**describe_event_fields(key)), namespace=key.namespace, at=key.created_at, subject=key
        )
    return IssuedKey(key, secret)


def rotate_key(
    *, actor: Actor, key_id: str, keep_until: datetime | None = None, expires_at: datetime | None = None
) -> IssuedKey:
    """Issue a key with all the rights of another one, which stays valid until `keep_until` (by default it ends now).

    The new one is valid immediately. It ends at `expires_at`, by default after the same lifetime as the old one's. The
    old one's end is never extended. Raises Conflict for a key that ended or was rotated before.
    """
    at = log.now()
    _require_future("keep_until", keep_until, at)
    _require_future("expires_at", expires_at, at)
    with transaction.atomic():
        log.lock()
        old = find_key(actor, key_id)
        permissions.require_proof(actor)
        _require_alive(old, at)
        key = Key(name=old.name, namespace=old.namespace, person=old.person, scope=old.scope, verbs=old.verbs)
        key.labels, key.approved_only, key.replaces, key.created_at = old.labels, old.approved_only, old, at
        key.addresses = old.addresses
        key.expires_at = expires_at or (at + (old.expires_at - old.created_at) if old.expires_at else None)
        _find_owner(key.namespace, key.person.username)
        _require_reach(key)
        old.expires_at = min(keep_until or at, old.expires_at) if old.expires_at else keep_until or at
        old.save(update_fields=["expires_at"])
        secret = _store(actor, key)
        until = to_microseconds(old.expires_at)
        event = KeyRotated(**describe_event_fields(key), replaces=old.id, replaced_until=until)
        log.append(actor, event, namespace=key.namespace, at=at, subject=key)
    return IssuedKey(key, secret)


def revoke_key(*, actor: Actor, key_id: str, keep_until: datetime | None = None, reason: str = "") -> Key:
    """Revoke a key for good, now or at `keep_until`; for admins, and for the person it acts for. Never by key.

    A key that expires before `keep_until` stays as it is. reason: for the audit log. Requires no proof, since a leaked
    key must be revoked quickly.
    """
    at, why = log.now(), check_text("reason", reason).strip() or None
    _require_future("keep_until", keep_until, at)
    with transaction.atomic():
        log.lock()
        key = find_key(actor, key_id, own=True)
        if key.revoked_at is not None:
            return key
        if keep_until is None:
            key.revoked_at = at
            key.save(update_fields=["revoked_at"])
            log.append(actor, KeyRevoked(id=key.id, reason=why), namespace=key.namespace, at=at)
        elif key.expires_at is None or key.expires_at > keep_until:
            key.expires_at = keep_until
            key.save(update_fields=["expires_at"])
            event = KeyRevoked(id=key.id, until=to_microseconds(keep_until), reason=why)
            log.append(actor, event, namespace=key.namespace, at=at)
    return key


def set_key_addresses(*, actor: Actor, key_id: str, addresses: Sequence[str]) -> Key:
    """Limit a key to these IP addresses and networks, or lift the limit with an empty list; admins only, with a proof.

    It applies in every process within a second. Raises Conflict for a key that ended.
    """
    networks, at = read_networks("addresses", addresses, _MAX_NETWORKS), log.now()
    with transaction.atomic():
        log.lock()
        key = find_key(actor, key_id)
        permissions.require_proof(actor)
        _require_unended(key, at)
        if networks != key.addresses:
            key.addresses = networks
            key.save(update_fields=["addresses"])
            log.append(actor, KeyAddressesSet(id=key.id, addresses=networks), namespace=key.namespace, at=at)
    return key


def _store(actor: Actor, key: Key) -> str:
    secret = secrets.token_urlsafe(32)
    key.id = "".join(secrets.choice(_ID_LETTERS) for _ in range(8))
    key.secret_sha256 = hashlib.sha256(secret.encode("ascii")).hexdigest()
    key.created_by = actor.person
    key.save(force_insert=True)
    return f"pb_{key.id}_{secret}"


def describe_event_fields(key: Key) -> dict[str, Any]:
    """The fields shared by the events with all properties of a key."""
    return {
        "id": key.id,
        "name": key.name,
        "scope": key.scope,
        "verbs": key.verbs,
        "labels": key.labels,
        "person": key.person.username,
        "expires_at": to_microseconds(key.expires_at) if key.expires_at else None,
        "approved_only": key.approved_only,
        "addresses": key.addresses or None,
    }


def find_key(actor: Actor, key_id: str, *, own: bool = False) -> Key:
    """The key, after checking the right to manage it. own: the person it acts for may manage it too, but not by key."""
    key = Key.objects.select_related("namespace", "person").filter(id=key_id[:20]).first()
    if own and key is not None and actor.key is None and actor.person.is_active and key.person == actor.person:
        return key
    unknown = NotFound(gettext("There is no key {value}, or you may not manage it.").format(value=key_id[:20]))
    if key is None:
        raise unknown
    try:
        permissions.require_verb(actor, Verb.MANAGE, key.namespace)
    except NotFound as error:
        raise unknown from error
    return key


def _read_name(name: str) -> str:
    check_text("name", name, 100)
    if not name.strip():
        raise Invalid(fields={"name": gettext("say which service the key is for.")})
    return name.strip()


def _read_scope(scope: str, verbs: Sequence[str]) -> tuple[str, list[str]]:
    if not verbs and not scope:
        return Key.CHOSEN, [Verb.FETCH.value]
    if verbs and scope in ("", Key.CHOSEN):
        if unknown := [verb for verb in verbs if verb not in KEY_VERBS]:
            sentence = gettext("no key gets {value!r}; there are {names}.")
            raise Invalid(fields={"verbs": sentence.format(value=str(unknown[0])[:40], names=", ".join(KEY_VERBS))})
        return Key.CHOSEN, [verb.value for verb in KEY_VERBS if verb in verbs]
    if verbs:
        raise Invalid(
            fields={
                "verbs": gettext("give either a scope or verbs; the scope {scope} names a set already.").format(
                    scope=scope[:20]
                )
            }
        )
    if scope == Key.CHOSEN:
        raise Invalid(fields={"verbs": gettext("choose at least one: a key without any could do nothing.")})
    if scope not in SCOPES:
        raise Invalid(
            fields={"scope": gettext("one of {names}, or verbs instead of it.").format(names=", ".join(SCOPES))}
        )
    return scope, []


def _read_labels(labels: Sequence[str]) -> list[str]:
    label_names = list(dict.fromkeys(labels))
    if len(label_names) > _MAX_LABELS:
        raise Invalid(fields={"labels": gettext("at most {count}.").format(count=_MAX_LABELS)})
    try:
        return [names.check_label(label) for label in label_names]
    except Invalid as error:
        raise Invalid(fields={"labels": "; ".join(error.fields.values())}) from error


def _require_future(field: str, moment: datetime | None, at: datetime) -> None:
    if moment is not None and check_moment(field, moment) <= at:
        raise Invalid(fields={field: gettext("this moment is past already.")})


def _require_unended(key: Key, at: datetime) -> None:
    if key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= at):
        raise Conflict(
            gettext("The key {name} ({id}) is no longer valid: issue a new one.").format(name=key.name, id=key.id),
            key=key.id,
        )


def _require_alive(key: Key, at: datetime) -> None:
    _require_unended(key, at)
    successor = Key.objects.filter(replaces=key).values_list("id", flat=True).first()
    if successor is not None:
        raise Conflict(
            gettext("The key {name} ({id}) was rotated to {successor} already.").format(
                name=key.name, id=key.id, successor=successor
            ),
            key=successor,
        )


def _find_owner(namespace: Namespace, username: str) -> User:
    owner = User.objects.filter(username=username, is_active=True).first()
    if owner is None or permissions.find_role(owner, namespace) is None:
        raise Invalid(
            fields={
                "person": gettext("{username} is not a member of {namespace}.").format(
                    username=username, namespace=namespace.name
                )
            }
        )
    return owner


def _require_reach(key: Key) -> None:
    """Raise Invalid if the role of the key's person does not cover its scope or verbs."""
    role = permissions.find_role(key.person, key.namespace) or Role.READER
    needed = [TABLE[Verb.SAVE]] if key.scope == Key.WRITE else [TABLE[Verb(verb)] for verb in key.verbs]
    if any(role.rank < least.rank for least in needed):
        beyond = [verb for verb in key.verbs if role.rank < TABLE[Verb(verb)].rank]
        field, refused_values = ("verbs", ", ".join(beyond)) if beyond else ("scope", "write")
        raise Invalid(
            fields={
                field: gettext("{username} is {role}, so a key of theirs can't {verbs}.").format(
                    username=key.person.username, role=gettext(role.value), verbs=refused_values
                )
            }
        )
