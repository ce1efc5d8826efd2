"""Events back into rows, one after the other, as the services wrote them the first time."""

import json
from collections.abc import Callable, Mapping
from typing import Any

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
from registry.journal.models import Event
from registry.mirror.errors import MirrorError
from registry.mirror.restorer import Read, Rows
from registry.mirror.rows import changes, contributions, datasets, namespaces, templates
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

__all__ = ["KINDS", "Rows", "replay"]


def replay(rows: Rows, event: Event, read: Read) -> None:
    """Write the rows of one event; `read` gives the files of its commit. MirrorError where a text is not the one."""
    handler = KINDS.get(event.kind)
    if handler is None:
        raise MirrorError(f"Event {event.number} is of the kind {event.kind}, which this version can't restore.")
    rows.person(event.person)
    body = json.loads(event.text)["body"]
    rows.protection.hear(event.kind, event.namespace, body)
    decided = contributions.decided(rows, event, body)
    handler(rows, event, body, read)
    contributions.write(rows, event, body, decided)


KINDS: Mapping[str, Callable[[Rows, Event, Mapping[str, Any], Read], None]] = {
    NamespaceCreated.kind: namespaces.namespace_created,
    NamespaceRuled.kind: namespaces.namespace_ruled,
    MemberSet.kind: namespaces.member_set,
    KeyIssued.kind: namespaces.key_issued,
    KeyRevoked.kind: namespaces.key_revoked,
    KeyRotated.kind: namespaces.key_rotated,
    VersionSaved.kind: templates.version_saved,
    VersionRedacted.kind: templates.version_redacted,
    SamplesSaved.kind: templates.samples_saved,
    TemplateArchived.kind: templates.template_archived,
    TemplateUnarchived.kind: templates.template_unarchived,
    LabelMoved.kind: templates.label_moved,
    ChangeProposed.kind: changes.change_proposed,
    ChangeHeaded.kind: changes.change_headed,
    ChangeDecided.kind: changes.change_decided,
    ChangeWithdrawn.kind: changes.change_withdrawn,
    ChangeReopened.kind: changes.change_reopened,
    EmergencyClosed.kind: changes.emergency_closed,
    CommentAdded.kind: changes.comment_added,
    ThreadResolved.kind: changes.thread_resolved,
    VerdictGiven.kind: changes.verdict_given,
    DatasetSaved.kind: datasets.dataset_saved,
    EvaluationAttached.kind: datasets.evaluation_attached,
    EvaluationDetached.kind: datasets.evaluation_detached,
    WebhookSet.kind: namespaces.webhook_noted,
    WebhookRemoved.kind: namespaces.webhook_noted,
}
