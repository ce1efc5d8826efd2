"""Rows of files and datasets, offered to be ticked as samples of the text that is edited."""

from collections.abc import Mapping
from typing import Any

from frontend.editor.input_kinds import list_schemas
from frontend.editor.state import EditorState
from registry.accounts.actor import Actor
from registry.evaluations import attachment_queries, dataset_queries, sample_rows
from registry.templates import document_check

__all__ = ["offer_rows"]


def offer_rows(actor: Actor, state: EditorState, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The rows of the file `text` called `file`, or of the dataset `dataset` from the index `start` on; without either,
    the names of the namespace's datasets, those that measure the template first. Nothing is stored.
    """
    namespace = state.namespace.name
    if "file" not in fields and "dataset" not in fields:
        return {"datasets": _list_datasets(actor, state)}
    schemas = list_schemas(document_check.check_document(actor, state.document))
    if "file" in fields:
        offered = sample_rows.read_file_samples(str(fields.get("text", "")), str(fields["file"]), schemas)
    else:
        start = fields.get("start")
        start = start if type(start) is int and start > 0 else 0
        offered = sample_rows.read_dataset_samples(actor, namespace, str(fields["dataset"]), schemas, start)
    return {
        "rows": [{"name": each.name, "values": each.values} for each in offered.samples],
        "leftOut": list(offered.left_out),
        "total": offered.total,
    }


def _list_datasets(actor: Actor, state: EditorState) -> list[str]:
    attachments = attachment_queries.list_attachments(actor, state.namespace.name)
    measuring = {attachment.dataset.name for attachment in attachments if attachment.fits(state.path)}
    names = dataset_queries.list_dataset_names(actor, namespaces=[state.namespace.name])
    return sorted(names, key=lambda name: name not in measuring)
