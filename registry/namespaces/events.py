"""The events of namespaces: their rules, their members, and the keys of services."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from registry.core.sentences import quote_start
from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, Page, event
from registry.journal.mirroring import CommitContent, Restorer, Texts
from registry.namespaces.rules import LATER_RULES

__all__ = [
    "KeyAddressesSet",
    "KeyIssued",
    "KeyKept",
    "KeyRevoked",
    "KeyRotated",
    "MemberSet",
    "NamespaceCreated",
    "NamespaceRuled",
]

_NO_SECRET = ""  # matches no SHA-256, so a restored key is unusable until it is reissued
_CALLERS = Cache.KEYS | Cache.APPROVALS


@event("namespace.created", caches=Cache.NOTHING, page=Page.MEMBERS)
@dataclass(frozen=True, kw_only=True)
class NamespaceCreated(JournalEvent):
    """A namespace was created. admin: the username of its first admin, None if a command created it."""

    name: str
    rules: Mapping[str, Any]
    admin: str | None

    def write_sentence(self) -> str:
        return gettext("created the namespace {name}").format(name=self.name)

    def commit(self, texts: Texts) -> CommitContent:
        files = {
            mirror_paths.locate_namespace(self.name): texts.record(),
            mirror_paths.locate_rules(self.name): texts.write_yaml(self.rules),
        }
        if self.admin:
            files[mirror_paths.locate_member(self.name, self.admin)] = texts.write_yaml(
                {"person": self.admin, "role": "admin"}
            )
        return CommitContent(f"{self.name}: namespace made", files)

    def restore(self, rows: Restorer) -> None:
        rows.add_namespace(self.name, self.rules)
        if self.admin:
            rows.write_own_role(rows.ensure_person(self.admin), "admin")


# Another label may be protected now, and responses include its approval.
@event("namespace.ruled", caches=_CALLERS | Cache.LABELS, page=Page.RULES, title="Rules changed")
@dataclass(frozen=True, kw_only=True)
class NamespaceRuled(JournalEvent):
    """Rules of a namespace were changed. rules: the complete set after the change."""

    rules: Mapping[str, Any]

    def write_sentence(self) -> str:
        return gettext("set the rules")

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_rules(texts.namespace): texts.write_yaml(self.rules)}
        return CommitContent(f"{texts.namespace}: rules set", files)

    def restore(self, rows: Restorer) -> None:
        rows.update("Namespace", {"name": rows.namespace_name}, **{**LATER_RULES, **self.rules})


@event("member.set", caches=_CALLERS, page=Page.MEMBERS, title="Role changed")
@dataclass(frozen=True, kw_only=True)
class MemberSet(JournalEvent):
    """A person's own role in the namespace was set, in addition to those of their groups; None: removed.

    invitation: the id of the accepted invitation. The event's author is then the person who invited. folders: those in
    which a role of theirs ended with it, None for none.
    """

    person: str
    role: str | None
    invitation: str | None = None
    folders: Sequence[str] | None = None

    def write_sentence(self) -> str:
        if self.invitation is not None:
            sentence = gettext("gave {person} the role {role}, by an invitation")
        elif self.role:
            sentence = gettext("gave {person} the role {role}")
        elif self.folders:
            sentence = gettext("removed {person}, and with it their role in {folders}")
        else:
            sentence = gettext("removed {person}")
        facts = {"person": self.person, "folders": ", ".join(self.folders or ())}
        return sentence.format(**facts, role=gettext(self.role) if self.role else "")

    def commit(self, texts: Texts) -> CommitContent:
        content = texts.write_yaml({"person": self.person, "role": self.role}) if self.role else None
        subject = f"{texts.namespace}: {self.person} is " + (self.role or "no member any more")
        files = {mirror_paths.locate_member(texts.namespace, self.person): content}
        if self.invitation is not None:
            files[mirror_paths.locate_invitation(texts.namespace, self.invitation)] = None
        for folder in self.folders or ():
            files[mirror_paths.locate_folder_role(texts.namespace, folder, person=self.person, group=None)] = None
        return CommitContent(subject, files)

    def restore(self, rows: Restorer) -> None:
        person = rows.ensure_person(self.person)
        if self.invitation is not None:
            rows.update("Invitation", {"id": self.invitation}, accepted_at=rows.at, accepted_by=person)
        rows.write_own_role(person, self.role or "")


@event("key.issued", caches=Cache.NOTHING, page=Page.KEYS)
@dataclass(frozen=True, kw_only=True)
class KeyIssued(JournalEvent):
    """A key that acts for a person was issued. expires_at: microseconds since 1970 UTC."""

    id: str
    name: str
    scope: str
    person: str
    expires_at: int | None
    approved_only: bool | None
    verbs: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    addresses: Sequence[str] | None = None

    def write_sentence(self) -> str:
        if self.labels and self.addresses:
            sentence = gettext(
                "issued a key for {name} that acts for {person} and may {rights} on {labels}, from {addresses} only"
            )
        elif self.labels:
            sentence = gettext("issued a key for {name} that acts for {person} and may {rights} on {labels}")
        elif self.addresses:
            sentence = gettext("issued a key for {name} that acts for {person} and may {rights}, from {addresses} only")
        else:
            sentence = gettext("issued a key for {name} that acts for {person} and may {rights}")
        return sentence.format(
            name=self.name,
            person=self.person,
            rights=", ".join(self.verbs or []) or self.scope,
            labels=", ".join(self.labels or ()),
            addresses=", ".join(self.addresses or ()),
        )

    def commit(self, texts: Texts) -> CommitContent:
        return self._build_key_commit(texts, "issued")

    def restore(self, rows: Restorer) -> None:
        self._restore_key(rows, replaces=None)

    def _build_key_commit(self, texts: Texts, verb: str) -> CommitContent:
        files = {mirror_paths.locate_key(texts.namespace, self.id): texts.record()}
        return CommitContent(f"{texts.namespace}: key {self.name} {verb}", files)

    def _restore_key(self, rows: Restorer, replaces: str | None) -> None:
        rows.create(
            "Key",
            id=self.id,
            namespace=rows.namespace,
            person=rows.ensure_person(self.person),
            name=self.name,
            scope=self.scope,
            secret_sha256=_NO_SECRET,
            approved_only=self.approved_only,
            verbs=self.verbs or [],
            labels=self.labels or [],
            addresses=self.addresses or [],
            replaces_id=replaces,
            created_by=rows.author,
            created_at=rows.at,
            expires_at=rows.to_moment(self.expires_at) if self.expires_at else None,
        )


@event("key.revoked", caches=_CALLERS, page=Page.KEYS)
@dataclass(frozen=True, kw_only=True)
class KeyRevoked(JournalEvent):
    """A key was revoked, immediately or at `until`: microseconds since 1970 UTC. reason: the text by the person who
    revoked it.
    """

    id: str
    until: int | None = None
    reason: str | None = None

    def write_sentence(self) -> str:
        sentence = (
            gettext("revoked the key pb_{id}, to end later") if self.until else gettext("revoked the key pb_{id}")
        )
        reason = f": {quote_start(self.reason)}" if self.reason else ""
        return sentence.format(id=self.id) + reason

    def commit(self, texts: Texts) -> CommitContent:
        paths = (
            mirror_paths.locate_key(texts.namespace, self.id),
            mirror_paths.locate_key_addresses(texts.namespace, self.id),
        )
        return CommitContent(f"{texts.namespace}: key {self.id} revoked", dict.fromkeys(paths), self.reason or "")

    def restore(self, rows: Restorer) -> None:
        if self.until is not None:  # it stays valid until then
            rows.update("Key", {"id": self.id}, expires_at=rows.to_moment(self.until))
        else:
            rows.update("Key", {"id": self.id}, revoked_at=rows.at)


@event("key.rotated", caches=_CALLERS, page=Page.KEYS)
@dataclass(frozen=True, kw_only=True)
class KeyRotated(KeyIssued):
    """A key was issued to replace another one, which ends at `replaced_until`: microseconds since 1970 UTC."""

    replaces: str
    replaced_until: int

    def write_sentence(self) -> str:
        return gettext("rotated the key of {name}: pb_{replaces} gives way to pb_{id}").format(
            name=self.name, replaces=self.replaces, id=self.id
        )

    def commit(self, texts: Texts) -> CommitContent:
        return self._build_key_commit(texts, "rotated")

    def restore(self, rows: Restorer) -> None:
        rows.update("Key", {"id": self.replaces}, expires_at=rows.to_moment(self.replaced_until))
        self._restore_key(rows, self.replaces)


@event("key.kept", caches=_CALLERS, page=Page.KEYS, title="Revocation of a key cancelled")
@dataclass(frozen=True, kw_only=True)
class KeyKept(KeyIssued):
    """The scheduled revocation of a key was cancelled: the key ends at `expires_at` again."""

    def write_sentence(self) -> str:
        return gettext("cancelled the revocation of the key pb_{id} of {name}").format(id=self.id, name=self.name)

    def commit(self, texts: Texts) -> CommitContent:
        return self._build_key_commit(texts, "kept")

    def restore(self, rows: Restorer) -> None:
        rows.update("Key", {"id": self.id}, expires_at=rows.to_moment(self.expires_at) if self.expires_at else None)


@event("key.addresses_set", caches=Cache.KEYS, page=Page.KEYS, title="Addresses of a key changed")
@dataclass(frozen=True, kw_only=True)
class KeyAddressesSet(JournalEvent):
    """The networks that a key is limited to were set; an empty list allows any address."""

    id: str
    addresses: Sequence[str]

    def write_sentence(self) -> str:
        if not self.addresses:
            return gettext("let the key pb_{id} be used from any network address").format(id=self.id)
        return gettext("limited the key pb_{id} to the network addresses {names}").format(
            id=self.id, names=", ".join(self.addresses)
        )

    def commit(self, texts: Texts) -> CommitContent:
        path = mirror_paths.locate_key_addresses(texts.namespace, self.id)
        files = {path: texts.record() if self.addresses else None}
        return CommitContent(f"{texts.namespace}: addresses of key {self.id} set", files)

    def restore(self, rows: Restorer) -> None:
        rows.update("Key", {"id": self.id}, addresses=list(self.addresses))
