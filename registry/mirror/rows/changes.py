"""Change requests, what was said in them and what checks found, from their events."""

from collections.abc import Mapping
from typing import Any

from registry.changes.models import ChangeRequest, Comment, Decision, Thread, Verdict
from registry.journal import mirror_paths
from registry.journal.log import canonical
from registry.journal.models import Event
from registry.mirror.restorer import Read, Rows, moment, read_yaml, require_digest

__all__ = [
    "change_decided",
    "change_headed",
    "change_proposed",
    "change_reopened",
    "change_withdrawn",
    "comment_added",
    "emergency_closed",
    "thread_resolved",
    "verdict_given",
]


def change_proposed(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    ChangeRequest.objects.create(
        number=body["change"],
        template=rows.templates[event.template],
        label=body["label"],
        version=rows.version(event, body["version"]),
        message=body["message"],
        opened_by=rows.person(event.person),
        key_id=event.key or None,
        created_at=moment(event),
        updated_at=moment(event),
    )


def change_headed(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    head = {"version": rows.version(event, body["version"]), "round": body["round"]}
    ChangeRequest.objects.filter(number=body["change"]).update(**head, updated_at=moment(event))


def change_decided(rows: Rows, event: Event, body: Mapping[str, Any], read: Read) -> None:
    place = mirror_paths.change(event.namespace, body["change"], event.number, body["decision"])
    text = read_yaml(event, read(place))["text"]
    if text or body["text"]:
        require_digest(event, text, body["text"])
    Decision.objects.create(
        change_id=body["change"],
        number=body["number"],
        decision=body["decision"],
        label=body["label"],
        version=rows.version(event, body["version"]),
        digest=body["digest"],
        round=body["round"],
        text=text,
        created_at=moment(event),
        **rows.by(event),
    )
    ChangeRequest.objects.filter(number=body["change"]).update(updated_at=moment(event))
    if body.get("reviewed"):
        ChangeRequest.objects.filter(number=body["change"]).update(unreviewed=False)


def change_withdrawn(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    closed = {"state": ChangeRequest.WITHDRAWN, "closed_at": moment(event), "updated_at": moment(event)}
    ChangeRequest.objects.filter(number=body["change"]).update(**closed)


def change_reopened(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    opened = {"state": ChangeRequest.OPEN, "closed_at": None, "round": body["round"], "updated_at": moment(event)}
    opened["decided"] = None
    ChangeRequest.objects.filter(number=body["change"]).update(**opened)


def emergency_closed(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    closed = {"emergency_closed_at": moment(event), "updated_at": moment(event)}
    ChangeRequest.objects.filter(number=body["change"]).update(**closed)


def comment_added(rows: Rows, event: Event, body: Mapping[str, Any], read: Read) -> None:
    said = read_yaml(event, read(mirror_paths.change(event.namespace, body["change"], event.number, "thread-comment")))
    for name in ("text", "suggestion", "quote"):
        if name == "quote" and rows.is_redacted(event.template, body["version"]):
            continue  # the lines went with the version they were quoted from
        if said[name] or body[name] is not None:
            require_digest(event, said[name] or "", body[name])
    thread, _ = Thread.objects.update_or_create(
        change_id=body["change"],
        number=body["thread"],
        defaults={"resolved_at": None, "resolved_by": None},
        create_defaults=_place(rows, event, body, said["quote"]),
    )
    Comment.objects.create(
        thread=thread,
        number=body["comment"],
        text=said["text"],
        suggestion=said["suggestion"],
        created_at=moment(event),
        **rows.by(event),
    )
    ChangeRequest.objects.filter(number=body["change"]).update(updated_at=moment(event))


def thread_resolved(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    closed = {"resolved_at": moment(event), "resolved_by": rows.person(event.person)}
    state = closed if body["resolved"] else {"resolved_at": None, "resolved_by": None}
    Thread.objects.filter(change=body["change"], number=body["thread"]).update(**state)


def verdict_given(rows: Rows, event: Event, body: Mapping[str, Any], read: Read) -> None:
    kept = read_yaml(event, read(mirror_paths.verdict(event.template, event.number, body["check"])))
    details = canonical(kept["details"])
    if not rows.is_redacted(event.template, body["version"]):
        require_digest(event, details, body["details"])
    Verdict.objects.create(
        template=rows.templates[event.template],
        version=rows.version(event, body["version"]),
        check_name=body["check"],
        key=body["key"],
        outcome=body["outcome"],
        summary=body["summary"],
        details=details,
        created_at=moment(event),
    )


def _place(rows: Rows, event: Event, body: Mapping[str, Any], quote: str) -> dict[str, Any]:
    said = {name: body[name] for name in ("side", "line", "end_line", "sample", "part")}
    return {**said, "version": rows.version(event, body["version"]), "quote": quote, "created_at": moment(event)}
