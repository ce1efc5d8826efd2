"""Reports on one or two runs: aggregated, detailed or comparative; as a mapping, CSV, a pandas table or HTML."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from promptuary.evaluation.errors import EvaluationError
from promptuary.evaluation.html_report import to_html
from promptuary.evaluation.optional import import_optional
from promptuary.evaluation.results import EvaluationResult, MetricsResult
from promptuary.renderer.files import replace_file, save_file

__all__ = ["Report", "aggregate", "compare_in_detail", "detail", "to_html"]


class Report(dict[str, list[Any]]):
    """Columns by name, all of equal length."""

    def save(self, path: str | Path) -> None:
        """Write as CSV (values other than text and numbers as JSON) or JSON, by the file's suffix."""
        path = Path(path)
        if path.suffix == ".json":
            save_file(path, (json.dumps(self, indent=2, ensure_ascii=False) + "\n").encode("utf-8"))
        elif path.suffix == ".csv":
            with replace_file(path) as new_path, new_path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(self)
                writer.writerows([_format_cell(value) for value in row] for row in zip(*self.values(), strict=True))
        else:
            raise EvaluationError(f"a report is saved as .csv or .json, not {path.suffix or path.name!r}")

    def to_pandas(self) -> Any:
        """The report as a pandas DataFrame."""
        return import_optional("pandas", extra="pandas").DataFrame(self)


def aggregate(metrics: Mapping[str, MetricsResult]) -> Report:
    """One row per metric and target: its score, and how many rows were scored out of how many."""
    report = Report(metrics=[], score=[], scored=[], of=[])
    for name, column in _list_columns(metrics):
        report["metrics"].append(name)
        for key in ("score", "scored", "of"):
            report[key].append(column.get(key))
    return report


def detail(result: EvaluationResult, metrics: Mapping[str, MetricsResult]) -> Report:
    """One row per dataset row: inputs, expected and actual outputs, and each metric's value."""
    report = Report()
    rows = list(result.rows())
    for kind in ("inputs", "expected", "actual"):
        for name in _list_names(rows, kind):
            report[f"{kind}.{name}"] = [(row[kind] or {}).get(name) for row in rows]
    for name, column in _list_columns(metrics):
        if "individual_scores" in column:
            report[name] = list(column["individual_scores"])
    return report


def compare_in_detail(
    runs: Mapping[str, tuple[EvaluationResult, Mapping[str, MetricsResult]]], keep: Sequence[str] = ()
) -> Report:
    """Inputs once, then each run's metrics as `<run>.<metric>`; `keep` names further columns of `detail` for each run.

    The runs must have different names and the same inputs.
    """
    details = {name: detail(result, metrics) for name, (result, metrics) in runs.items()}
    if len({result.inputs_digest for result, _metrics in runs.values()}) > 1:
        raise EvaluationError("these runs were on different inputs, so their rows can't be set side by side")
    report = Report()
    for name, columns in details.items():
        scores = {column for column, _ in _list_columns(runs[name][1])}
        for column, values in columns.items():
            if column.startswith("inputs."):
                report.setdefault(column, values)
            elif column in scores or column in keep:
                report[f"{name}.{column}"] = values
    return report


def _list_columns(metrics: Mapping[str, MetricsResult]) -> list[tuple[str, Any]]:
    """(column name, score): the metric's name, with its target if the metric has several.

    A custom metric may return a bare number for a target.
    """
    return [
        (
            name if len(targets) == 1 else f"{name} {target}",
            column if isinstance(column, Mapping) else {"score": column},
        )
        for name, targets in metrics.items()
        for target, column in cast("dict[str, Any]", targets).items()
    ]


def _list_names(rows: Sequence[Mapping[str, Any]], kind: str) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in (row[kind] or {})))


def _format_cell(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False)
