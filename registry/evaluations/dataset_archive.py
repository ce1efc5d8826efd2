"""Archiving and unarchiving datasets."""

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Conflict
from registry.core.input_checks import check_text
from registry.evaluations import dataset_queries
from registry.evaluations.dataset_models import Dataset
from registry.evaluations.events import DatasetArchived, DatasetUnarchived
from registry.evaluations.models import Attachment
from registry.journal import log
from registry.namespaces.verbs import Verb

__all__ = ["archive_dataset", "unarchive_dataset"]


def archive_dataset(*, actor: Actor, name: str, reason: str = "") -> Dataset:
    """Archive a dataset: it can still be read and run, but is not listed and takes no new rows; admins only.

    Raises Conflict with the names of the evaluations that use it. Does nothing if it is already archived.
    """
    check_text("reason", reason)
    with transaction.atomic():
        dataset = _take(actor, name, gettext("archive datasets"))
        if dataset.archived_at is not None:
            return dataset
        _require_unused(dataset)
        at = log.now()
        dataset.archived_at = at
        dataset.save(update_fields=["archived_at"])
        event = DatasetArchived(dataset=name, reason=reason.strip())
        log.append(actor, event, namespace=dataset.namespace, at=at)
    return dataset


def unarchive_dataset(*, actor: Actor, name: str) -> Dataset:
    """Unarchive a dataset; admins only. Does nothing if it is not archived."""
    with transaction.atomic():
        dataset = _take(actor, name, gettext("bring datasets back"))
        if dataset.archived_at is None:
            return dataset
        dataset.archived_at = None
        dataset.save(update_fields=["archived_at"])
        log.append(actor, DatasetUnarchived(dataset=name), namespace=dataset.namespace, at=log.now())
    return dataset


def _take(actor: Actor, name: str, act: str) -> Dataset:
    """Lock the dataset until commit and take the journal's lock. act: the action that an error message names."""
    dataset_queries.find_dataset(actor, Verb.MANAGE, name, act=act)
    dataset_queries.lock_dataset(name)
    log.lock()
    return dataset_queries.find_dataset(actor, Verb.MANAGE, name, act=act)


def _require_unused(dataset: Dataset) -> None:
    names = list(Attachment.objects.filter(dataset=dataset).order_by("name").values_list("name", flat=True))
    if names:
        raise Conflict(
            gettext("These evaluations use it: {names}. Remove them first, or give them another dataset.").format(
                names=", ".join(names)
            ),
            evaluations=names,
        )
