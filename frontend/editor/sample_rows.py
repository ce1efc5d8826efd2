"""Rows of files and datasets that can be selected as samples of the text."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from frontend.editor.input_kinds import list_schemas
from frontend.editor.state import EditorState
from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.evaluations import attachment_queries, dataset_queries, sample_rows
from registry.templates import document_check

__all__ = ["offer_rows"]


def offer_rows(actor: Actor, state: EditorState, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The rows of the file `text` named `file`, or of the dataset `dataset` from the index `start` on; without either,
    the names of the namespace's datasets, those that measure the template first. `columns` maps columns to inputs; by
    default a column maps to the input of the same name. Nothing is stored.
    """
    namespace = state.namespace.name
    if "file" not in fields and "dataset" not in fields:
        return {"datasets": _list_datasets(actor, state)}
    schemas = list_schemas(document_check.read_document(actor, state.document))
    columns = _read_columns(fields.get("columns"))
    if "file" in fields:
        offered = sample_rows.read_file_samples(str(fields.get("text", "")), str(fields["file"]), schemas, columns)
    else:
        start = fields.get("start")
        start = start if type(start) is int and start > 0 else 0
        offered = sample_rows.read_dataset_samples(actor, namespace, str(fields["dataset"]), schemas, start, columns)
    return {
        "rows": [{"name": row.name, "values": row.values} for row in offered.samples],
        "columns": [{"name": name, "target": target} for name, target in offered.columns.items()],
        "targets": sample_rows.list_targets(schemas),
        "total": offered.total,
    }


def _read_columns(sent: Any) -> dict[str, str] | None:
    """The mapping of columns to inputs sent by a script. Raises Invalid if it isn't an object of strings."""
    if sent is None:
        return None
    if not isinstance(sent, dict) or not all(isinstance(target, str) for target in sent.values()):
        raise Invalid(fields={"columns": gettext("this must be an object of texts.")})
    return sent


def _list_datasets(actor: Actor, state: EditorState) -> list[str]:
    attachments = attachment_queries.list_attachments(actor, state.namespace.name)
    measuring = {attachment.dataset.name for attachment in attachments if attachment.fits(state.path)}
    names = dataset_queries.list_dataset_names(actor, namespaces=[state.namespace.name])
    return sorted(names, key=lambda name: name not in measuring)
