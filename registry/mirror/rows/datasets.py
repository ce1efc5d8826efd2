"""Datasets, and the evaluations that they were attached for, from their events."""

from collections.abc import Mapping
from typing import Any

from registry.evaluations.models import Attachment, Dataset, DatasetVersion
from registry.journal import mirror_paths
from registry.journal.models import Event
from registry.mirror.restorer import Read, Rows, moment, require_digest

__all__ = ["dataset_saved", "evaluation_attached", "evaluation_detached"]


def dataset_saved(rows: Rows, event: Event, body: Mapping[str, Any], read: Read) -> None:
    text = read(mirror_paths.dataset(body["dataset"])).decode()
    require_digest(event, text, body["digest"])
    dataset, _ = Dataset.objects.get_or_create(
        name=body["dataset"],
        defaults={
            "namespace": rows.namespaces[event.namespace],
            "created_by": rows.person(event.person),
            "created_at": moment(event),
            "updated_at": moment(event),
        },
    )
    dataset.latest = DatasetVersion.objects.create(
        dataset=dataset,
        number=body["number"],
        digest=body["digest"],
        text=text,
        count=body["count"],
        base=dataset.versions.get(number=body["base"]) if body["base"] else None,
        author=rows.person(event.person),
        key_id=event.key or None,
        message=body["message"],
        created_at=moment(event),
    )
    dataset.updated_at = moment(event)
    dataset.save(update_fields=["latest", "updated_at"])


def evaluation_attached(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    Attachment.objects.update_or_create(
        namespace=rows.namespaces[event.namespace],
        name=body["name"],
        defaults={
            "pattern": body["pattern"],
            "dataset": Dataset.objects.get(name=body["dataset"]),
            "dataset_version": body["dataset_version"],
            "model": body["model"],
            "gates": body["gates"],
            "metrics": body["metrics"],
            "created_by": rows.person(event.person),
            "created_at": moment(event),
        },
    )


def evaluation_detached(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    Attachment.objects.filter(namespace=rows.namespaces[event.namespace], name=body["name"]).delete()
