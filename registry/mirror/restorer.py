"""The restore of one event: its rows, as the service wrote them when it was appended."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.apps import apps
from django.core.exceptions import ObjectDoesNotExist

from promptuary.renderer import digest as bundle_digest
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.syntax.yaml_reader import Bounds, YamlError, compose, read_value
from registry.accounts.actor import OPERATOR
from registry.accounts.models import User
from registry.audit.verification import parse_event_text
from registry.changes import derivation
from registry.changes.derivation import RULING, Derivation, JournalFact, Protection
from registry.changes.models import ChangeRequest
from registry.changes.thread_models import Comment
from registry.journal import immutable_tables
from registry.journal.event import compute_digest, format_canonical_json, from_microseconds, parse_event
from registry.journal.models import Event
from registry.mirror import restore_gate
from registry.mirror.errors import MirrorError
from registry.namespaces import roles
from registry.namespaces.models import Group, Namespace
from registry.redaction import services as redaction_services
from registry.templates import rename
from registry.templates.contribution_models import Contribution
from registry.templates.document_check import write_canonical_texts
from registry.templates.models import Template, Version
from registry.templates.search_index import update_search_index

__all__ = ["Read", "Rows", "replay_event"]

Read = Callable[[str], bytes]
_BOUNDS = Bounds(depth=400, nodes=5_000_000)  # our own files; samples may be a mebibyte of JSON


class Rows:
    """The rows that later events refer to, cached when created."""

    def __init__(self, redacted: Collection[tuple[str, int]] = ()) -> None:
        self._redacted = redacted
        self._people: dict[str, User] = {}
        self.protection = Protection()
        self.namespaces: dict[str, Namespace] = {}
        self.templates: dict[str, Template] = {}
        self.derivation = Derivation()
        self.is_strict = False  # whether an earlier publication was decided with every contributor counted

    def ensure_person(self, username: str) -> User:
        """The account, created without a password on first mention."""
        if username not in self._people:
            person, is_new = User.objects.get_or_create(username=username, defaults={"is_active": username != OPERATOR})
            if is_new:
                person.set_unusable_password()
                person.save(update_fields=["password"])
            self._people[username] = person
        return self._people[username]

    def take_stock(self) -> None:
        """Load the existing rows, for a replay that continues after them."""
        self.namespaces = {row.name: row for row in Namespace.objects.all()}
        self.templates = {row.name: row for row in Template.objects.select_related("namespace")}
        ruling = Event.objects.filter(kind__in=RULING).order_by("number").values_list("kind", "namespace", "text")
        self.protection = Protection((kind, space, parse_event_text(text)["body"]) for kind, space, text in ruling)
        for event in Event.objects.order_by("number").iterator():
            body = json.loads(event.text)["body"]
            self.is_strict = self.is_strict or "decided" in body
            self.derivation.take(self.build_fact(event, body))

    def build_fact(self, event: Event, body: Mapping[str, Any]) -> JournalFact:
        """The event in the form of `registry.changes.derivation`."""
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
        """Whether a later event redacts this version, so that the mirror lacks its text."""
        return (template, version) in self._redacted


def replay_event(rows: Rows, row: Event, read: Read) -> None:
    """Write the rows of one event. `read` returns the files of its commit. Raises MirrorError if a text's digest is
    wrong.
    """
    body = json.loads(row.text)["body"]
    try:
        event = parse_event(row.kind, body)
    except TypeError as error:
        raise MirrorError(f"Event {row.number} ({row.kind}) can't be read: {error}") from error
    if event is None:
        raise MirrorError(f"Event {row.number} is of the kind {row.kind}, which this version can't restore.")
    rows.ensure_person(row.person)
    rows.protection.apply_event(row.kind, row.namespace, body)
    fact = rows.build_fact(row, body)
    decided = rows.derivation.decided(fact)  # before the event's own rows are written
    try:
        event.restore(_EventRows(rows, row, body, read))
        for contribution in rows.derivation.take(fact):
            _write_contribution(contribution)
    except ObjectDoesNotExist as error:
        raise MirrorError(f"Event {row.number} ({row.kind}) names what no event before it made: {error}") from error
    if decided is not None and row.change is not None:
        ChangeRequest.objects.filter(number=row.change).update(decided=decided)


def _write_contribution(contribution: derivation.Contribution) -> None:
    """Store a version's contribution, from its event or derived."""
    version = Version.objects.get(template__name=contribution.template, number=contribution.number)
    comment = source = None
    if contribution.suggestion is not None:
        change, thread, number = contribution.suggestion
        comment = Comment.objects.get(thread__change=change, thread__number=thread, number=number)
    if contribution.source is not None:
        source = Version.objects.get(template__name=contribution.template, number=contribution.source)
    Contribution.objects.get_or_create(version=version, comment=comment, source=source)


class _EventRows:
    """Writes the rows of one event: the implementation of `registry.journal.mirroring.Restorer`."""

    def __init__(self, rows: Rows, row: Event, body: Mapping[str, Any], read: Read) -> None:
        self._rows, self._row, self._body = rows, row, body
        self.read_file = read
        self.number: int = row.number
        self.at = self.to_moment(row.at)
        self.namespace_name: str = row.namespace
        self.key_id = row.key or None

    @property
    def namespace(self) -> Namespace:
        return self._rows.namespaces[self._row.namespace]

    @property
    def author(self) -> User:
        return self._rows.ensure_person(self._row.person)

    def read_yaml(self, path: str) -> Any:
        try:
            return read_value(compose(self.read_file(path).decode(), _BOUNDS))
        except (YamlError, UnicodeDecodeError) as error:
            raise MirrorError(f"A file of event {self.number} can't be read: {error}") from error

    def read_canonical_json(self, path: str, field: str | None = None) -> str:
        value = self.read_yaml(path)
        return format_canonical_json(value if field is None else value[field])

    def read_samples_json(self, path: str, digest: str) -> str:
        text = self.read_canonical_json(path)
        return text if compute_digest(text) == digest else write_canonical_texts(self.read_yaml(path))

    def require_digest(self, text: str, digest: str | None) -> None:
        if compute_digest(text) != digest:
            raise MirrorError(f"A text of event {self.number} does not have the digest that the event names.")

    def to_moment(self, microseconds: int) -> datetime:
        return from_microseconds(microseconds)

    def create(self, model: str, **values: Any) -> Any:
        return _find_manager(model).create(**values)

    def update(self, model: str, rows: Mapping[str, Any], **values: Any) -> None:
        _find_manager(model).filter(**rows).update(**values)

    def update_or_create(
        self, model: str, row: Mapping[str, Any], values: Mapping[str, Any], first: Mapping[str, Any] | None = None
    ) -> Any:
        row_written, _ = _find_manager(model).update_or_create(**row, defaults=values, create_defaults=first)
        return row_written

    def delete(self, model: str, **row: Any) -> None:
        _find_manager(model).filter(**row).delete()

    def find(self, model: str, **row: Any) -> Any:
        return _find_manager(model).get(**row)

    def settle_roles(self, people: Sequence[User]) -> None:
        roles.settle_roles(self.namespace, people)

    def write_own_role(self, person: User, role: str) -> None:
        roles.write_own_role(self.namespace, person, role)

    def write_folder_role(self, folder: str, holder: User | Group, role: str) -> None:
        roles.write_folder_role(self.namespace, folder, holder, role)

    def ensure_person(self, username: str) -> User:
        return self._rows.ensure_person(username)

    def add_namespace(self, name: str, rules: Mapping[str, Any]) -> Namespace:
        namespace = Namespace.objects.create(name=name, created_at=self.at, **rules)
        self._rows.namespaces[namespace.name] = namespace
        return namespace

    def find_template(self, name: str) -> Template:
        return self._rows.templates[name]

    def archive(self, name: str, at: datetime | None) -> None:
        Template.objects.filter(name=name).update(archived_at=at)
        self._rows.templates[name].archived_at = at

    def rename_template(self, former: str, name: str) -> None:
        template = self._rows.templates.pop(former)
        rename.write_name(template, name, self.at)
        self._rows.templates[name] = template

    def find_version(self, template: str, number: int) -> Version:
        return Version.objects.get(template=self._rows.templates[template], number=number)

    def is_redacted(self, template: str, number: int) -> bool:
        return self._rows.is_redacted(template, number)

    def add_version(
        self, *, copied_from: str | None, document: str | None, facts: Mapping[str, Any], **row: Any
    ) -> None:
        if document is None:
            texts = immutable_tables.TOMBSTONES["registry_version"].texts
        else:
            texts = self._read_version_texts(document, facts, row["digest"])
        template = self._rows.templates.get(self._row.template) or self._make_template(copied_from)
        version = Version.objects.create(
            template=template, author=self.author, key_id=self.key_id, created_at=self.at, **texts, **row
        )
        update_search_index(template, version, parse_document(document or ""))

    def _read_version_texts(self, document: str, facts: Mapping[str, Any], digest: str) -> dict[str, str]:
        names = ("engine", "fragments", "profile")
        bundle = {"document": document, **{name: facts[name] for name in names}}
        if bundle_digest(bundle) != digest:
            raise MirrorError(f"The files of event {self.number} do not have the digest that it names.")
        settings = parse_document(document).settings
        return {
            "bundle": format_canonical_json(bundle),
            "settings": format_canonical_json(settings),
            "problems": format_canonical_json(facts["problems"]),
        }

    def _make_template(self, copied_from: str | None) -> Template:
        template = Template.objects.create(
            namespace=self.namespace,
            name=self._row.template,
            copied_from=copied_from or "",
            created_by=self.author,
            created_at=self.at,
            updated_at=self.at,
        )
        self._rows.templates[template.name] = template
        return template

    def redact(self, template: str, number: int, reason: str) -> None:
        redaction_services.write_tombstone(
            self.find_version(template, number), reason=reason, person=self.author, at=self.at
        )

    def is_protected(self, label: str) -> bool:
        return self._rows.protection.is_protected(self._row.namespace, label)

    def require_allowed_move(self) -> None:
        self._rows.is_strict = self._rows.is_strict or "decided" in self._body
        restore_gate.require_allowed(self._row, self._body, is_strict=self._rows.is_strict)


def _find_manager(model: str) -> Any:
    return apps.get_model("registry", model)._default_manager
