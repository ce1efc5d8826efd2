"""What every step of a restore needs: rows named before, files of the commit, digests that must fit."""

import json
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from promptuary.renderer.syntax.yaml_reader import Bounds, YamlError, compose, value_of
from registry.accounts.actor import OPERATOR
from registry.accounts.models import User
from registry.audit.verification import facts_of
from registry.changes.derivation import RULING, Derivation, JournalFact, Protection
from registry.journal.log import digest_of
from registry.journal.models import Event
from registry.mirror.errors import MirrorError
from registry.namespaces.models import Namespace
from registry.templates.models import Template, Version

__all__ = ["Read", "Rows", "moment", "moment_of", "read_yaml", "require_digest"]

Read = Callable[[str], bytes]
_BOUNDS = Bounds(depth=400, nodes=5_000_000)  # the files were written by us; samples may be a mebibyte of JSON


class Rows:
    """The rows that later events name, remembered as they are made."""

    def __init__(self, redacted: Collection[tuple[str, int]] = ()) -> None:
        self._redacted = redacted
        self._people: dict[str, User] = {}
        self.protection = Protection()
        self.namespaces: dict[str, Namespace] = {}
        self.templates: dict[str, Template] = {}
        self.derivation = Derivation()
        self.is_strict = False  # whether some publication before was decided with every contributor counted

    def person(self, username: str) -> User:
        """The account, made without a password where it was not named before."""
        if username not in self._people:
            person, made = User.objects.get_or_create(username=username, defaults={"is_active": username != OPERATOR})
            if made:
                person.set_unusable_password()
                person.save(update_fields=["password"])
            self._people[username] = person
        return self._people[username]

    def take_stock(self) -> None:
        """Know the rows that stand already, for a replay that goes on where they end."""
        self.namespaces = {row.name: row for row in Namespace.objects.all()}
        self.templates = {row.name: row for row in Template.objects.select_related("namespace").defer("words")}
        ruling = Event.objects.filter(kind__in=RULING).order_by("number").values_list("kind", "namespace", "text")
        self.protection = Protection((kind, space, facts_of(text)["body"]) for kind, space, text in ruling)
        for event in Event.objects.order_by("number").iterator():
            body = json.loads(event.text)["body"]
            self.is_strict = self.is_strict or "decided" in body
            self.derivation.take(self.fact(event, body))

    def fact(self, event: Event, body: Mapping[str, Any]) -> JournalFact:
        """The event as `registry.changes.derivation` reads it."""
        return JournalFact(
            event.kind,
            event.at,
            event.person,
            event.key,
            event.namespace,
            event.template,
            event.version,
            event.change,
            body,
        )

    def is_redacted(self, template: str, version: int | None) -> bool:
        """Whether a later event takes this version's text away, so that the mirror holds none."""
        return (template, version) in self._redacted

    def by(self, event: Event) -> dict[str, Any]:
        """Who did it, as rows with a person and a key say it."""
        return {"person": self.person(event.person), "key_id": event.key or None}

    def version(self, event: Event, number: int) -> Version:
        """A version of the event's template."""
        return Version.objects.get(template=self.templates[event.template], number=number)


def moment(event: Event) -> datetime:
    """When the event was."""
    return moment_of(event.at)


def moment_of(microseconds: int) -> datetime:
    """A moment from microseconds since 1970 UTC, exactly."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


def read_yaml(event: Event, content: bytes) -> Any:
    """The plain values of one of our own files; MirrorError where it can't be read."""
    try:
        return value_of(compose(content.decode(), _BOUNDS))
    except (YamlError, UnicodeDecodeError) as error:
        raise MirrorError(f"A file of event {event.number} can't be read: {error}") from error


def require_digest(event: Event, text: str, digest: str | None) -> None:
    """MirrorError where a text is not the one that the event names."""
    if digest_of(text) != digest:
        raise MirrorError(f"A text of event {event.number} does not have the digest that the event names.")
