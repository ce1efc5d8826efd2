"""The events of namespaces: their rules, their members, and the keys of services."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.journal.event import JournalEvent, event

__all__ = ["KeyIssued", "KeyRevoked", "KeyRotated", "MemberSet", "NamespaceCreated", "NamespaceRuled"]


@event("namespace.created")
@dataclass(frozen=True, kw_only=True)
class NamespaceCreated(JournalEvent):
    """A namespace was made. admin: the username of its first admin, None where a command made it."""

    name: str
    rules: Mapping[str, Any]
    admin: str | None


@event("namespace.ruled")
@dataclass(frozen=True, kw_only=True)
class NamespaceRuled(JournalEvent):
    """Rules of a namespace were changed. rules: all of them, as they are now."""

    rules: Mapping[str, Any]


@event("member.set")
@dataclass(frozen=True, kw_only=True)
class MemberSet(JournalEvent):
    """A person has this role in the namespace now; None: the person is no member any more."""

    person: str
    role: str | None


@event("key.issued")
@dataclass(frozen=True, kw_only=True)
class KeyIssued(JournalEvent):
    """A key was issued that acts for a person. expires_at: microseconds since 1970 UTC."""

    id: str
    name: str
    scope: str
    person: str
    expires_at: int | None
    approved_only: bool | None
    verbs: Sequence[str] | None = None
    labels: Sequence[str] | None = None


@event("key.revoked")
@dataclass(frozen=True, kw_only=True)
class KeyRevoked(JournalEvent):
    """A key ends now, or at `until`: microseconds since 1970 UTC."""

    id: str
    until: int | None = None


@event("key.rotated")
@dataclass(frozen=True, kw_only=True)
class KeyRotated(KeyIssued):
    """A key was issued in the place of another one, which ends at `replaced_until`: microseconds since 1970 UTC."""

    replaces: str
    replaced_until: int
