"""Events back into rows, one after the other, as the services wrote them the first time."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from registry.journal.log import Kind
from registry.journal.models import Event
from registry.mirror.errors import MirrorError
from registry.mirror.rows import changes, contributions, datasets, namespaces, templates
from registry.mirror.rows.context import Read, Rows

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
    Kind.NAMESPACE_CREATED: namespaces.namespace_created,
    Kind.NAMESPACE_RULED: namespaces.namespace_ruled,
    Kind.MEMBER_SET: namespaces.member_set,
    Kind.KEY_ISSUED: namespaces.key_issued,
    Kind.KEY_REVOKED: namespaces.key_revoked,
    Kind.KEY_ROTATED: namespaces.key_rotated,
    Kind.VERSION_SAVED: templates.version_saved,
    Kind.VERSION_REDACTED: templates.version_redacted,
    Kind.SAMPLES_SAVED: templates.samples_saved,
    Kind.TEMPLATE_ARCHIVED: templates.template_archived,
    Kind.TEMPLATE_UNARCHIVED: templates.template_unarchived,
    Kind.LABEL_MOVED: templates.label_moved,
    Kind.CHANGE_PROPOSED: changes.change_proposed,
    Kind.CHANGE_HEADED: changes.change_headed,
    Kind.CHANGE_DECIDED: changes.change_decided,
    Kind.CHANGE_WITHDRAWN: changes.change_withdrawn,
    Kind.CHANGE_REOPENED: changes.change_reopened,
    Kind.EMERGENCY_CLOSED: changes.emergency_closed,
    Kind.COMMENT_ADDED: changes.comment_added,
    Kind.THREAD_RESOLVED: changes.thread_resolved,
    Kind.VERDICT_GIVEN: changes.verdict_given,
    Kind.DATASET_SAVED: datasets.dataset_saved,
    Kind.EVALUATION_ATTACHED: datasets.evaluation_attached,
    Kind.EVALUATION_DETACHED: datasets.evaluation_detached,
    Kind.WEBHOOK_SET: namespaces.webhook_noted,
    Kind.WEBHOOK_REMOVED: namespaces.webhook_noted,
}
