"""Events as entries: which files each kind of event changes, and the texts that the journal holds by digest only.

Each file holds the whole of one small thing (a document, a label of a template, a step of a change request), so what an
event writes follows from that event and the rows it made alone, never from what other events wrote before. One thing reaches
back: a version that was redacted is written without its text, so a redaction makes the history anew (writer).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from promptuary.renderer.syntax import yaml_writer
from registry.changes.events import (
    ChangeDecided,
    ChangeHeaded,
    ChangeProposed,
    ChangeReopened,
    ChangeWithdrawn,
    CommentAdded,
    EmergencyClosed,
    ThreadResolved,
    VerdictGiven,
)
from registry.evaluations.events import DatasetSaved, EvaluationAttached, EvaluationDetached
from registry.journal import mirror_paths
from registry.journal.models import Event
from registry.mirror.blob_loader import Sources
from registry.mirror.commit_plan import Entry, Move
from registry.namespaces.events import KeyIssued, KeyRevoked, KeyRotated, MemberSet, NamespaceCreated, NamespaceRuled
from registry.templates.events import (
    LabelMoved,
    SamplesSaved,
    TemplateArchived,
    TemplateUnarchived,
    VersionRedacted,
    VersionSaved,
)
from registry.webhooks.events import WebhookRemoved, WebhookSet

__all__ = ["KINDS", "read"]

_Files = dict[str, bytes | None]


@dataclass
class _Draft:
    """An entry being put together."""

    event: Event
    body: dict[str, Any]
    sources: Sources
    subject: str = ""
    note: str = ""
    digest: str = ""
    files: _Files = field(default_factory=dict)
    move: Move | None = None

    def say(self, **more: Any) -> bytes:
        """The event as a readable file: who, when, all of its body and what is added."""
        event = self.event
        who = {"person": event.person, **({"key": event.key} if event.key else {})}
        facts = {"event": event.number, "at": _iso(event.at), "by": who, **self.body, **more}
        return yaml_writer.write_yaml(facts).encode()


def read(*, after: int, limit: int) -> list[Entry]:
    """The entries of the events after a number, in order, at most `limit`."""
    events = list(Event.objects.filter(number__gt=after).order_by("number")[:limit])
    sources = Sources(events)
    return [_entry(event, sources) for event in events]


def _entry(event: Event, sources: Sources) -> Entry:
    draft = _Draft(event, json.loads(event.text)["body"], sources)
    KINDS.get(event.kind, _other)(draft)
    return Entry(
        number=event.number,
        at=event.at,
        author=event.person,
        subject=draft.subject,
        note=draft.note,
        record=event.text,
        chain=event.hash,
        template=event.template,
        version=event.version,
        digest=draft.digest,
        files=draft.files,
        move=draft.move,
    )


def _namespace_created(draft: _Draft) -> None:
    name = draft.event.namespace
    draft.subject = f"{name}: namespace made"
    draft.files[mirror_paths.namespace(name)] = draft.say()
    draft.files[mirror_paths.rules(name)] = yaml_writer.write(draft.body["rules"]).encode()
    if admin := draft.body.get("admin"):
        draft.files[mirror_paths.member(name, admin)] = yaml_writer.write({"person": admin, "role": "admin"}).encode()


def _namespace_ruled(draft: _Draft) -> None:
    draft.subject = f"{draft.event.namespace}: rules set"
    draft.files[mirror_paths.rules(draft.event.namespace)] = yaml_writer.write(draft.body["rules"]).encode()


def _member_set(draft: _Draft) -> None:
    person, role = draft.body["person"], draft.body["role"]
    draft.subject = f"{draft.event.namespace}: {person} is " + (role or "no member any more")
    content = yaml_writer.write({"person": person, "role": role}).encode() if role else None
    draft.files[mirror_paths.member(draft.event.namespace, person)] = content


def _key_issued(draft: _Draft) -> None:
    draft.subject = f"{draft.event.namespace}: key {draft.body['name']} issued"
    draft.files[mirror_paths.key(draft.event.namespace, draft.body["id"])] = draft.say()


def _key_revoked(draft: _Draft) -> None:
    draft.subject = f"{draft.event.namespace}: key {draft.body['id']} revoked"
    draft.files[mirror_paths.key(draft.event.namespace, draft.body["id"])] = None


def _key_rotated(draft: _Draft) -> None:
    draft.subject = f"{draft.event.namespace}: key {draft.body['name']} rotated"
    draft.files[mirror_paths.key(draft.event.namespace, draft.body["id"])] = draft.say()


def _version_saved(draft: _Draft) -> None:
    event, version = draft.event, draft.sources.version(draft.event)
    first, _, rest = version.message.strip().partition("\n")
    draft.subject = f"{event.template} {version.number}: {first}" if first else f"{event.template} {version.number}"
    draft.note = rest
    draft.digest = version.digest
    if version.is_redacted:
        draft.files[mirror_paths.document(event.template)] = None
        draft.files[mirror_paths.bundle(event.template)] = draft.say(redacted=True, message=version.message)
        return
    bundle = version.unpacked()
    draft.files[mirror_paths.document(event.template)] = bundle.pop("document").encode()
    draft.files[mirror_paths.bundle(event.template)] = draft.say(
        **bundle,
        settings=json.loads(version.settings),
        problems=json.loads(version.problems),
        message=version.message,
    )


def _version_redacted(draft: _Draft) -> None:
    event = draft.event
    draft.subject = f"{event.template} {event.version}: redacted"
    draft.note = draft.body["reason"]
    draft.digest = draft.body["digest"]
    draft.files[mirror_paths.redacted(event.template, draft.body["version"])] = draft.say()


def _samples_saved(draft: _Draft) -> None:
    draft.subject = f"{draft.event.template}: samples"
    text = draft.sources.samples(draft.event, draft.body)
    draft.files[mirror_paths.samples(draft.event.template)] = yaml_writer.write(json.loads(text)).encode()


def _label_moved(draft: _Draft) -> None:
    event, label, target = draft.event, draft.body["label"], draft.body["to"]
    where = f"to version {target}" if target else "removed"
    draft.subject = f"{event.template}: {label} {where}"
    draft.note = draft.body.get("reason") or ""
    draft.digest = draft.body["digest"] or ""
    draft.files[mirror_paths.label(event.template, label)] = draft.say() if target else None
    held = draft.sources.version(event) if target else None
    document = held.document.encode() if held and not held.is_redacted else None
    draft.move = Move(mirror_paths.branch(label), {mirror_paths.document(event.template): document})
    if event.change is not None:
        draft.files[_step(draft, draft.body["how"])] = draft.say()


def _template_archived(draft: _Draft) -> None:
    draft.subject = f"{draft.event.template}: archived"
    draft.files[mirror_paths.archived(draft.event.template)] = draft.say()


def _template_unarchived(draft: _Draft) -> None:
    draft.subject = f"{draft.event.template}: taken out of the archive"
    draft.files[mirror_paths.archived(draft.event.template)] = None


def _change_step(verb: str) -> Callable[[_Draft], None]:
    def write(draft: _Draft) -> None:
        draft.subject = f"{draft.event.template}: change {draft.event.change} {verb}"
        draft.note = draft.body.get("message") or draft.body.get("reason") or ""
        draft.digest = draft.body["digest"]
        draft.files[_step(draft, verb)] = draft.say()

    return write


def _change_decided(draft: _Draft) -> None:
    decision, text = draft.body["decision"], draft.sources.decision(draft.event, draft.body)
    draft.subject = f"{draft.event.template}: change {draft.event.change}, {decision.replace('_', ' ')}"
    draft.note = text
    draft.digest = draft.body["digest"]
    draft.files[_step(draft, decision)] = draft.say(text=text)


def _comment_added(draft: _Draft) -> None:
    words = draft.sources.comment(draft.event, draft.body)
    draft.subject = f"{draft.event.template}: change {draft.event.change}, thread {draft.body['thread']}"
    draft.note = words["text"]
    draft.digest = draft.body["digest"]
    draft.files[_step(draft, "thread-comment")] = draft.say(**words)


def _thread_resolved(draft: _Draft) -> None:
    verb = "resolved" if draft.body["resolved"] else "opened again"
    draft.subject = f"{draft.event.template}: change {draft.event.change}, thread {draft.body['thread']} {verb}"
    draft.files[_step(draft, "thread-resolved" if draft.body["resolved"] else "thread-opened")] = draft.say()


def _verdict_given(draft: _Draft) -> None:
    event, check = draft.event, draft.body["check"]
    draft.subject = f"{event.template} {event.version}: {check} {draft.body['outcome']}"
    draft.note = draft.body["summary"]
    draft.digest = draft.body["digest"]
    details = json.loads(draft.sources.verdict(event, draft.body))
    draft.files[mirror_paths.verdict(event.template, event.number, check)] = draft.say(details=details)


def _webhook_set(draft: _Draft) -> None:
    draft.subject = f"{draft.event.namespace}: webhook {draft.body['id']} of {draft.body['host']} set"
    draft.files[mirror_paths.webhook(draft.event.namespace, draft.body["id"])] = draft.say()


def _webhook_removed(draft: _Draft) -> None:
    draft.subject = f"{draft.event.namespace}: webhook {draft.body['id']} removed"
    draft.files[mirror_paths.webhook(draft.event.namespace, draft.body["id"])] = None


def _dataset_saved(draft: _Draft) -> None:
    name, number, message = draft.body["dataset"], draft.body["number"], draft.body["message"]
    first, _, draft.note = message.partition("\n")
    draft.subject = f"{name} {number}: {first}" if first else f"{name} {number}"
    draft.digest = draft.body["digest"]
    draft.files[mirror_paths.dataset(name)] = draft.sources.dataset(draft.event, draft.body).encode()
    draft.files[mirror_paths.dataset_facts(name)] = draft.say()


def _evaluation_attached(draft: _Draft) -> None:
    space, name = draft.event.namespace, draft.body["name"]
    draft.subject = f"{space}: evaluation {name} attached to {draft.body['pattern']}"
    draft.files[mirror_paths.attachment(space, name)] = draft.say()


def _evaluation_detached(draft: _Draft) -> None:
    draft.subject = f"{draft.event.namespace}: evaluation {draft.body['name']} detached"
    draft.files[mirror_paths.attachment(draft.event.namespace, draft.body["name"])] = None


def _other(draft: _Draft) -> None:
    event = draft.event
    draft.subject = f"{event.template or event.namespace or 'promptuary'}: {event.kind}"
    draft.files[mirror_paths.other(event.namespace, event.kind, event.number)] = draft.say()


def _step(draft: _Draft, step: str) -> str:
    return mirror_paths.change(draft.event.namespace, draft.event.change or 0, draft.event.number, step)


def _iso(microseconds: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


KINDS: Mapping[str, Callable[[_Draft], None]] = {
    NamespaceCreated.kind: _namespace_created,
    NamespaceRuled.kind: _namespace_ruled,
    MemberSet.kind: _member_set,
    KeyIssued.kind: _key_issued,
    KeyRevoked.kind: _key_revoked,
    KeyRotated.kind: _key_rotated,
    VersionSaved.kind: _version_saved,
    VersionRedacted.kind: _version_redacted,
    SamplesSaved.kind: _samples_saved,
    TemplateArchived.kind: _template_archived,
    TemplateUnarchived.kind: _template_unarchived,
    LabelMoved.kind: _label_moved,
    ChangeProposed.kind: _change_step("proposed"),
    ChangeHeaded.kind: _change_step("headed"),
    ChangeDecided.kind: _change_decided,
    ChangeWithdrawn.kind: _change_step("withdrawn"),
    ChangeReopened.kind: _change_step("reopened"),
    EmergencyClosed.kind: _change_step("emergency-closed"),
    CommentAdded.kind: _comment_added,
    ThreadResolved.kind: _thread_resolved,
    VerdictGiven.kind: _verdict_given,
    DatasetSaved.kind: _dataset_saved,
    EvaluationAttached.kind: _evaluation_attached,
    EvaluationDetached.kind: _evaluation_detached,
    WebhookSet.kind: _webhook_set,
    WebhookRemoved.kind: _webhook_removed,
}
