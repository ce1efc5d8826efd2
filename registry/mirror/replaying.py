"""Events back into rows, one after the other, as the services wrote them the first time."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from registry.access import OPERATOR
from registry.journal import Kind, canonical, digest_of
from registry.mirror import layout
from registry.mirror.errors import MirrorError
from registry.models import (
    ChangeRequest,
    Decision,
    Event,
    Key,
    Label,
    LabelMove,
    Membership,
    Namespace,
    SampleSet,
    Template,
    User,
    Version,
)
from registry.services.templates import describe
from renderer import digest as bundle_digest
from renderer.document import parse
from renderer.yaml_text import Bounds, YamlError, compose, value_of

__all__ = ["Replay"]

_BOUNDS = Bounds(depth=400, nodes=5_000_000)  # the files were written by us; samples may be a mebibyte of JSON
_NO_SECRET = ""  # equals no SHA-256, so a restored key opens nothing until it is issued anew
_Read = Callable[[str], bytes]


class Replay:
    """Applies events in order; remembers the rows that later events name."""

    def __init__(self) -> None:
        self._people: dict[str, User] = {}
        self._namespaces: dict[str, Namespace] = {}
        self._templates: dict[str, Template] = {}

    def apply(self, event: Event, read: _Read) -> None:
        """Write the rows of one event; `read` gives the files of its commit. MirrorError where a text is not the one."""
        handler = _HANDLERS.get(event.kind)
        if handler is None:
            raise MirrorError(f"Event {event.number} is of the kind {event.kind}, which this version can't restore.")
        self.person(event.person)
        handler(self, event, json.loads(event.text)["body"], read)

    # -- who and where --------------------------------------------------------------------------------------------
    def person(self, username: str) -> User:
        """The account, made without a password where it was not named before."""
        if username not in self._people:
            person, made = User.objects.get_or_create(username=username, defaults={"is_active": username != OPERATOR})
            if made:
                person.set_unusable_password()
                person.save(update_fields=["password"])
            self._people[username] = person
        return self._people[username]

    def _by(self, event: Event) -> dict[str, Any]:
        return {"person": self.person(event.person), "key_id": event.key or None}

    def _version(self, event: Event, number: int) -> Version:
        return Version.objects.get(template=self._templates[event.template], number=number)

    # -- namespaces, members, keys --------------------------------------------------------------------------------
    def namespace_created(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        made = Namespace.objects.create(name=body["name"], created_at=_moment(event), **body["rules"])
        self._namespaces[made.name] = made
        if body["admin"]:
            Membership.objects.create(namespace=made, person=self.person(body["admin"]), role="admin")

    def namespace_ruled(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        Namespace.objects.filter(name=event.namespace).update(**body["rules"])

    def member_set(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        place: dict[str, Any] = {"namespace": self._namespaces[event.namespace], "person": self.person(body["person"])}
        if body["role"] is None:
            Membership.objects.filter(**place).delete()
        else:
            Membership.objects.update_or_create(**place, defaults={"role": body["role"]})

    def key_issued(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        Key.objects.create(
            id=body["id"],
            namespace=self._namespaces[event.namespace],
            person=self.person(body["person"]),
            name=body["name"],
            scope=body["scope"],
            secret_sha256=_NO_SECRET,
            approved_only=body["approved_only"],
            created_by=self.person(event.person),
            created_at=_moment(event),
            expires_at=_moment_of(body["expires_at"]) if body["expires_at"] else None,
        )

    def key_revoked(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        Key.objects.filter(id=body["id"]).update(revoked_at=_moment(event))

    # -- templates ------------------------------------------------------------------------------------------------
    def version_saved(self, event: Event, body: Mapping[str, Any], read: _Read) -> None:
        kept = _read_yaml(event, read(layout.bundle(event.template)))
        text = read(layout.document(event.template)).decode()
        bundle = {
            "engine": kept["engine"],
            "document": text,
            "fragments": kept["fragments"],
            "profile": kept["profile"],
        }
        if bundle_digest(bundle) != body["digest"]:
            raise MirrorError(f"The files of event {event.number} do not have the digest that it names.")
        template = self._templates.get(event.template) or self._make_template(event, body)
        document = parse(text)
        version = Version.objects.create(
            template=template,
            number=body["number"],
            digest=body["digest"],
            bundle=canonical(bundle),
            settings=canonical(document.settings),
            problems=canonical(kept["problems"]),
            base=self._version(event, body["base"]) if body["base"] else None,
            author=self.person(event.person),
            key_id=event.key or None,
            message=body["message"],
            created_at=_moment(event),
        )
        describe(template, version, document)

    def _make_template(self, event: Event, body: Mapping[str, Any]) -> Template:
        template = Template.objects.create(
            namespace=self._namespaces[event.namespace],
            name=event.template,
            copied_from=body["copied_from"],
            created_by=self.person(event.person),
            created_at=_moment(event),
            updated_at=_moment(event),
        )
        self._templates[template.name] = template
        return template

    def template_archived(self, event: Event, _body: Mapping[str, Any], _read: _Read) -> None:
        Template.objects.filter(name=event.template).update(archived_at=_moment(event))
        self._templates[event.template].archived_at = _moment(event)

    def template_unarchived(self, event: Event, _body: Mapping[str, Any], _read: _Read) -> None:
        Template.objects.filter(name=event.template).update(archived_at=None)
        self._templates[event.template].archived_at = None

    def samples_saved(self, event: Event, body: Mapping[str, Any], read: _Read) -> None:
        text = canonical(_read_yaml(event, read(layout.samples(event.template))))
        _require_digest(event, text, body["digest"])
        SampleSet.objects.create(
            template=self._templates[event.template],
            number=body["number"],
            digest=body["digest"],
            text=text,
            author=self.person(event.person),
            key_id=event.key or None,
            created_at=_moment(event),
        )

    # -- labels and changes ---------------------------------------------------------------------------------------
    def label_moved(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        template, label = self._templates[event.template], body["label"]
        target = self._version(event, body["to"]) if body["to"] else None
        if target is None:
            Label.objects.filter(template=template, name=label).delete()
        else:
            place = {"version": target, "moved_at": _moment(event)}
            Label.objects.update_or_create(template=template, name=label, defaults=place)
        LabelMove.objects.create(
            template=template,
            label=label,
            before=self._version(event, body["from"]) if body["from"] else None,
            after=target,
            how=body["how"],
            reason=body["reason"],
            change_id=body["change"],
            created_at=_moment(event),
            **self._by(event),
        )
        if body["change"] is not None:
            closed = {"state": ChangeRequest.PUBLISHED, "closed_at": _moment(event), "updated_at": _moment(event)}
            ChangeRequest.objects.filter(number=body["change"]).update(**closed)

    def change_proposed(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        ChangeRequest.objects.create(
            number=body["change"],
            template=self._templates[event.template],
            label=body["label"],
            version=self._version(event, body["version"]),
            message=body["message"],
            opened_by=self.person(event.person),
            key_id=event.key or None,
            created_at=_moment(event),
            updated_at=_moment(event),
        )

    def change_headed(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        head = {"version": self._version(event, body["version"]), "round": body["round"]}
        ChangeRequest.objects.filter(number=body["change"]).update(**head, updated_at=_moment(event))

    def change_decided(self, event: Event, body: Mapping[str, Any], read: _Read) -> None:
        place = layout.change(event.namespace, body["change"], event.number, body["decision"])
        text = _read_yaml(event, read(place))["text"]
        if text or body["text"]:
            _require_digest(event, text, body["text"])
        Decision.objects.create(
            change_id=body["change"],
            number=body["number"],
            decision=body["decision"],
            label=body["label"],
            version=self._version(event, body["version"]),
            digest=body["digest"],
            round=body["round"],
            text=text,
            created_at=_moment(event),
            **self._by(event),
        )
        ChangeRequest.objects.filter(number=body["change"]).update(updated_at=_moment(event))

    def change_withdrawn(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        closed = {"state": ChangeRequest.WITHDRAWN, "closed_at": _moment(event), "updated_at": _moment(event)}
        ChangeRequest.objects.filter(number=body["change"]).update(**closed)

    def change_reopened(self, event: Event, body: Mapping[str, Any], _read: _Read) -> None:
        opened = {"state": ChangeRequest.OPEN, "closed_at": None, "round": body["round"], "updated_at": _moment(event)}
        ChangeRequest.objects.filter(number=body["change"]).update(**opened)


def _moment(event: Event) -> datetime:
    return _moment_of(event.at)


def _moment_of(microseconds: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


def _read_yaml(event: Event, content: bytes) -> Any:
    try:
        return value_of(compose(content.decode(), _BOUNDS))
    except (YamlError, UnicodeDecodeError) as error:
        raise MirrorError(f"A file of event {event.number} can't be read: {error}") from error


def _require_digest(event: Event, text: str, digest: str | None) -> None:
    if digest_of(text) != digest:
        raise MirrorError(f"A text of event {event.number} does not have the digest that the event names.")


_HANDLERS: Mapping[str, Callable[[Replay, Event, Mapping[str, Any], _Read], None]] = {
    Kind.NAMESPACE_CREATED: Replay.namespace_created,
    Kind.NAMESPACE_RULED: Replay.namespace_ruled,
    Kind.MEMBER_SET: Replay.member_set,
    Kind.KEY_ISSUED: Replay.key_issued,
    Kind.KEY_REVOKED: Replay.key_revoked,
    Kind.VERSION_SAVED: Replay.version_saved,
    Kind.SAMPLES_SAVED: Replay.samples_saved,
    Kind.TEMPLATE_ARCHIVED: Replay.template_archived,
    Kind.TEMPLATE_UNARCHIVED: Replay.template_unarchived,
    Kind.LABEL_MOVED: Replay.label_moved,
    Kind.CHANGE_PROPOSED: Replay.change_proposed,
    Kind.CHANGE_HEADED: Replay.change_headed,
    Kind.CHANGE_DECIDED: Replay.change_decided,
    Kind.CHANGE_WITHDRAWN: Replay.change_withdrawn,
    Kind.CHANGE_REOPENED: Replay.change_reopened,
}
