"""Adding rows to an existing dataset: from a service's real calls, a playground reply or another dataset."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from django.utils.translation import gettext

from promptuary.evaluation import Row
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, Stale
from registry.evaluations import dataset_queries, datasets
from registry.evaluations.dataset_models import DatasetVersion
from registry.evaluations.datasets import SavedDataset
from registry.namespaces.verbs import Verb

__all__ = ["MAX_ADDED", "add_dataset_rows", "list_new_columns"]

MAX_ADDED = 100  # the most rows in one call
_TRIES = 5  # if others save the dataset concurrently


def add_dataset_rows(
    *,
    actor: Actor,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    message: str = "",
    template: str | None = None,
    limit: int = MAX_ADDED,
) -> SavedDataset:
    """Save the dataset with these rows appended to those of its latest version, whatever that is.

    rows: 1 to `limit`, each {"inputs", "expected"?, "id"?, "tags"?}. A named row that already exists unchanged is left
    out, so that a call can be repeated; Invalid names one that exists with other values. template: as in
    `datasets.save_dataset`, whose other errors are raised too; only the new rows must fit it. Raises Stale if others
    saved the dataset during every attempt.
    """
    if not 1 <= len(rows) <= limit:
        raise Invalid(fields={"rows": gettext("from 1 to {most_added} rows.").format(most_added=limit)})
    dataset_queries.find_dataset(actor, Verb.SAVE, name)
    add = partial(_add, actor, name, rows, message, template)
    for _ in range(_TRIES - 1):
        with suppress(Stale):
            return add()
    return add()


def list_new_columns(actor: Actor, name: str, rows: Sequence[Row]) -> list[str]:
    """The inputs and expectations of these rows that no row of the dataset's latest version has, an expectation as
    `expected <name>`. For actors who may save the dataset.
    """
    dataset_queries.find_dataset(actor, Verb.SAVE, name)
    known_columns = _list_columns(dataset_queries.read_dataset_version(actor, name).rows())
    return [column for column in _list_columns(rows) if column not in known_columns]


def _list_columns(rows: Sequence[Row]) -> list[str]:
    inputs = dict.fromkeys(column for row in rows for column in row.inputs)
    expectations = dict.fromkeys(f"expected {column}" for row in rows for column in row.expected or {})
    return [*inputs, *expectations]


def _add(
    actor: Actor, name: str, rows: Sequence[Mapping[str, Any]], message: str, template: str | None
) -> SavedDataset:
    version = dataset_queries.read_dataset_version(actor, name)
    new_rows = _list_new_rows(version, rows)
    if not new_rows:
        return SavedDataset(version.dataset, version, created=False)
    text = version.text + "".join(json.dumps(row) + "\n" for row in new_rows)
    earlier_rows = version.count
    return datasets.save_dataset(
        actor=actor,
        name=name,
        text=text,
        message=message,
        base=version.digest,
        template=template,
        existing_rows=earlier_rows,
    )


def _list_new_rows(version: DatasetVersion, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows that are not in the version yet. Raises Invalid if one exists with other values."""
    known_rows = {row.id: row.to_dict() for row in version.rows() if row.id}
    new_rows = []
    for number, row in enumerate(map(_complete_row, rows)):
        if not isinstance(row["inputs"], Mapping):
            raise Invalid(fields={f"rows.{number}.inputs": gettext("Give an object of inputs, by their names.")})
        known_row = known_rows.get(row["id"])
        if known_row is None:
            new_rows.append(row)
        elif known_row != row:
            sentence = gettext("there is already a row called {id}, with other values.").format(id=row["id"])
            raise Invalid(fields={f"rows.{number}.id": sentence})
    return new_rows


def _complete_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with all its fields, with a bare expectation as the answer. Unknown fields stay and are refused later."""
    expected = row.get("expected")
    if expected is not None and not isinstance(expected, Mapping):
        expected = {"answer": expected}
    fields = {name: value for name, value in row.items() if name != "tags" or value}
    return {**fields, "id": str(row.get("id") or ""), "inputs": row.get("inputs"), "expected": expected}
