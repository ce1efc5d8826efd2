"""Datasets that a version can't render, found from the first rows of each before one is chosen."""

import json
from collections.abc import Sequence

from django.db.models.functions import Substr

from promptuary.evaluation import Row
from promptuary.renderer.errors import RenderError
from registry.evaluations.dataset_models import Dataset, DatasetVersion
from registry.evaluations.row_fit import SEVERAL_PROMPTS, render_rows
from registry.templates.models import Version

__all__ = ["explain_misfits"]

_LIMIT = 60  # the most datasets checked
_ROWS = 2  # rows of each
_CHARACTERS = 20_000  # characters of each that are read


def explain_misfits(version: Version, datasets: Sequence[Dataset]) -> dict[int, str]:
    """Map the id of each dataset whose first rows the version can't render to what stops the first row.

    Datasets with a very long first row and those after the first `_LIMIT` are not checked.
    """
    rows_of_datasets = _read_first_rows(datasets[:_LIMIT])
    listed = [(pk, row) for pk, rows in rows_of_datasets.items() for row in rows]
    outcomes = render_rows(version.unpacked(), [row for _, row in listed])
    faults: dict[int, str] = {}
    fitting: set[int] = set()
    for (pk, _), outcome in zip(listed, outcomes, strict=True):
        if isinstance(outcome, RenderError) and outcome.code != SEVERAL_PROMPTS:
            faults.setdefault(pk, outcome.message)
        else:
            fitting.add(pk)
    return {pk: message for pk, message in faults.items() if pk not in fitting}


def _read_first_rows(datasets: Sequence[Dataset]) -> dict[int, list[Row]]:
    """The first rows of each dataset's latest version, by the dataset's id; as many as its first characters contain."""
    versions = DatasetVersion.objects.filter(pk__in=[dataset.latest_id for dataset in datasets])
    beginnings = versions.annotate(beginning=Substr("text", 1, _CHARACTERS)).values_list("dataset", "beginning")
    rows: dict[int, list[Row]] = {}
    for pk, beginning in beginnings:
        *lines, last_line = beginning.split("\n")
        whole = [*lines, last_line] if len(beginning) < _CHARACTERS else lines
        rows[pk] = [Row.from_dict(json.loads(line)) for line in [line for line in whole if line][:_ROWS]]
    return rows
