"""Adding rows to a dataset of the registry, for services that record their own calls. Does no I/O."""

import json
from collections.abc import Sequence

from promptuary._fetching import make_answer_error
from promptuary._row_sender import AddedRows, Row
from promptuary._transport import Flow, Request
from promptuary.bundles import decode_object
from promptuary.errors import BadAnswer, ConfigurationError
from promptuary.names import is_name

__all__ = ["add_rows", "compute_rows_timeout"]

MAX_CALL_SECONDS = 60.0  # seconds


def compute_rows_timeout(timeout: float) -> float:
    """The timeout of such a call in seconds, given that of a fetch: it is longer, as the registry checks every row."""
    return min(10 * timeout, max(MAX_CALL_SECONDS, timeout))


def add_rows(
    timeout: float, dataset: str, rows: Sequence[Row], *, template: str | None = None, message: str = ""
) -> Flow[AddedRows]:
    """Add these rows to the latest version of the dataset. timeout: seconds.

    Raises ConfigurationError for an invalid name, ValueError for anything but JSON, PromptuaryError for a refusal.
    """
    if not is_name(dataset):
        raise ConfigurationError(f"{dataset!r} is not a dataset name: lower-case slugs joined by '/', namespace first")
    fields = {"rows": [dict(row) for row in rows], "message": message, "template": template}
    try:
        body = json.dumps(fields, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"rows are JSON: {error}") from None
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    answer = yield Request("POST", f"/api/v1/datasets/{dataset}/-/rows", timeout, headers, body)
    if answer.status not in (200, 201):
        raise make_answer_error(answer)
    saved = decode_object(answer.body, "the registry")
    try:
        version, digest = int(saved["version"]), str(saved["digest"])
        warnings = tuple(str(warning) for warning in saved.get("warnings") or ())
    except (KeyError, TypeError, ValueError):
        raise BadAnswer("the registry: this isn't a saved dataset") from None
    return AddedRows(dataset, version, digest, answer.status == 201, warnings)
