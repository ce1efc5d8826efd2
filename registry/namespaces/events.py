"""The events of namespaces: their rules, their members, and the keys of services."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.journal.event import Cache, JournalEvent, Page, event

__all__ = ["KeyIssued", "KeyRevoked", "KeyRotated", "MemberSet", "NamespaceCreated", "NamespaceRuled"]

_CALLERS = Cache.KEYS | Cache.APPROVALS


@event("namespace.created", caches=Cache.NOTHING, page=Page.MEMBERS)
@dataclass(frozen=True, kw_only=True)
class NamespaceCreated(JournalEvent):
    """A namespace was made. admin: the username of its first admin, None where a command made it."""

    name: str
    rules: Mapping[str, Any]
    admin: str | None

    def sentence(self) -> str:
        return f"made the namespace {self.name}"


# Another label may be protected now, and answers say how it was approved.
@event("namespace.ruled", caches=_CALLERS | Cache.LABELS, page=Page.RULES)
@dataclass(frozen=True, kw_only=True)
class NamespaceRuled(JournalEvent):
    """Rules of a namespace were changed. rules: all of them, as they are now."""

    rules: Mapping[str, Any]

    def sentence(self) -> str:
        return "set the rules"


@event("member.set", caches=_CALLERS, page=Page.MEMBERS)
@dataclass(frozen=True, kw_only=True)
class MemberSet(JournalEvent):
    """A person has this role in the namespace now; None: the person is no member any more."""

    person: str
    role: str | None

    def sentence(self) -> str:
        return f"gave {self.person} the role {self.role}" if self.role else f"took {self.person} out"


@event("key.issued", caches=Cache.NOTHING, page=Page.KEYS)
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

    def sentence(self) -> str:
        rights = ", ".join(self.verbs or []) or self.scope
        places = f" on {', '.join(self.labels)}" if self.labels else ""
        return f"issued a key for {self.name} that acts for {self.person} and may {rights}{places}"


@event("key.revoked", caches=_CALLERS, page=Page.KEYS)
@dataclass(frozen=True, kw_only=True)
class KeyRevoked(JournalEvent):
    """A key ends now, or at `until`: microseconds since 1970 UTC."""

    id: str
    until: int | None = None

    def sentence(self) -> str:
        return f"revoked the key pb_{self.id}{', to end later' if self.until is not None else ''}"


@event("key.rotated", caches=_CALLERS, page=Page.KEYS)
@dataclass(frozen=True, kw_only=True)
class KeyRotated(KeyIssued):
    """A key was issued in the place of another one, which ends at `replaced_until`: microseconds since 1970 UTC."""

    replaces: str
    replaced_until: int

    def sentence(self) -> str:
        return f"rotated the key of {self.name}: pb_{self.replaces} gives way to pb_{self.id}"
