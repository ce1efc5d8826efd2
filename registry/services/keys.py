"""API keys: credentials of services, each acting for one person in one namespace."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from registry import access, journal
from registry.access import TABLE, Actor, Verb
from registry.errors import Invalid, NotFound
from registry.journal import Kind
from registry.models import Key, Namespace, User
from registry.texts import check_text

__all__ = ["Issued", "issue", "revoke"]

_ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that are mistaken for another when read out


@dataclass(frozen=True)
class Issued:
    """A fresh key and the only sight of its secret: `pb_<id>_<43 characters>`, 256 random bits."""

    key: Key
    secret: str


def issue(  # each a fact of the key
    *,
    actor: Actor,
    namespace: str,
    name: str,
    scope: str,
    person: str | None = None,
    expires_at: datetime | None = None,
    approved_only: bool | None = None,
) -> Issued:
    """Make a key that acts for a member (by default the actor), never above that person's role; admins only.

    scope: read or write, which includes read. expires_at: aware. approved_only: None follows the namespace's rules.
    Event body: {"id", "name", "scope", "person", "expires_at": microseconds or null, "approved_only"}.
    """
    check_text("name", name, 100)
    if not name.strip():
        raise Invalid(fields={"name": "say which service the key is for."})
    if scope not in Key.SCOPES:
        raise Invalid(fields={"scope": f"one of {', '.join(Key.SCOPES)}."})
    at = journal.now()
    if expires_at is not None and expires_at <= at:
        raise Invalid(fields={"expires_at": "this moment is past already."})
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        journal.lock()
        found = access.find_namespace(actor, Verb.MANAGE, namespace)
        owner = _find_owner(found, person or actor.person.username, scope)
        key = Key.objects.create(
            id="".join(secrets.choice(_ID_LETTERS) for _ in range(8)),
            namespace=found,
            person=owner,
            name=name.strip(),
            scope=scope,
            secret_sha256=hashlib.sha256(secret.encode("ascii")).hexdigest(),
            approved_only=approved_only,
            created_by=actor.person,
            created_at=at,
            expires_at=expires_at,
        )
        journal.append(Kind.KEY_ISSUED, actor, found, _body(key), at=at)
    return Issued(key, f"pb_{key.id}_{secret}")


def revoke(*, actor: Actor, key_id: str) -> Key:
    """End a key for good; admins only. Event body: {"id"}."""
    with transaction.atomic():
        journal.lock()
        key = Key.objects.select_related("namespace", "person").filter(id=key_id).first()
        unknown = NotFound(f"There is no key {key_id[:20]}, or you may not manage it.")
        if key is None:
            raise unknown
        try:
            access.require(actor, Verb.MANAGE, key.namespace)
        except NotFound as error:
            raise unknown from error
        if key.revoked_at is None:
            key.revoked_at = journal.now()
            key.save(update_fields=["revoked_at"])
            journal.append(Kind.KEY_REVOKED, actor, key.namespace, {"id": key.id}, at=key.revoked_at)
    return key


def _body(key: Key) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "scope": key.scope,
        "person": key.person.username,
        "expires_at": journal.microseconds(key.expires_at) if key.expires_at else None,
        "approved_only": key.approved_only,
    }


def _find_owner(namespace: Namespace, username: str, scope: str) -> User:
    owner = User.objects.filter(username=username, is_active=True).first()
    role = access.role_of(owner, namespace) if owner else None
    if owner is None or role is None:
        raise Invalid(fields={"person": f"{username} is no member of {namespace.name}."})
    if scope == Key.WRITE and role.rank < TABLE[Verb.SAVE].rank:
        raise Invalid(fields={"scope": f"{username} is {role.value}, so a key of theirs can't write."})
    return owner
