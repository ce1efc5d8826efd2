"""The rows of a dataset's version as a file: JSON lines for programs, CSV for spreadsheets."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from promptuary.evaluation import datasets
from promptuary.evaluation.datasets import Row
from registry.core.spreadsheets import neutralize_formula
from registry.evaluations.dataset_models import DatasetVersion

__all__ = ["CONTENT_TYPES", "write_dataset_file"]

CONTENT_TYPES: Mapping[str, str] = {
    "jsonl": "application/x-ndjson; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
_BYTE_ORDER_MARK = "\ufeff"  # without it Excel reads UTF-8 as Windows-1252
_RESERVED = ("id", "tags", "expected")


def write_dataset_file(version: DatasetVersion, form: str) -> str:
    """Return the file's text; `form` is one of CONTENT_TYPES.

    JSON lines are the rows exactly as they were saved. CSV has the columns that `evaluation.datasets.read` reads:
    values other than text are JSON there, and a text that a spreadsheet would run as a formula gets an apostrophe.
    """
    if form == "jsonl":
        return version.text
    return _BYTE_ORDER_MARK + _write_csv(datasets.parse(version.text, "jsonl").rows)


def _write_csv(rows: Sequence[Row]) -> str:
    input_names = list(dict.fromkeys(name for row in rows for name in row.inputs))
    output_names = list(dict.fromkeys(name for row in rows for name in row.expected or {}))
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    inputs = [f"inputs.{name}" if name.partition(".")[0] in _RESERVED else name for name in input_names]
    outputs = ["expected" if name == "answer" else f"expected.{name}" for name in output_names]
    writer.writerow(map(neutralize_formula, ("id", *inputs, *outputs, "tags")))
    for row in rows:
        expected = row.expected or {}
        cells = [
            *(_write_cell(row.inputs, name) for name in input_names),
            *(_write_cell(expected, name) for name in output_names),
        ]
        writer.writerow(map(neutralize_formula, (row.id, *cells, ",".join(row.tags))))
    return file.getvalue()


def _write_cell(values: Mapping[str, Any], name: str) -> str:
    """The value's text or JSON; an empty cell where there is no such value."""
    value = values.get(name, "")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
