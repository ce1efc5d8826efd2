"""Exports of a run: the evaluation package's result, rows for spreadsheets and programs, and a readable report."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from promptuary.evaluation import EvaluationResult, MetricsResult, reports
from promptuary.evaluation.results import Recorder
from registry.core.errors import Conflict, Invalid
from registry.core.spreadsheets import neutralize_formula
from registry.evaluations import run_queries
from registry.evaluations.models import Run, RunRow

__all__ = ["FORMS", "list_run_metrics", "write_export", "write_result"]

FORMS: Mapping[str, str] = {
    "jsonl": "application/x-ndjson",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
}


def write_export(run: Run, form: str, folder: Path, baseline: Run | None = None) -> Path:
    """Write the run into the folder and return the file.

    form: csv and json have one row per line with its inputs, outputs and scores; jsonl is
    `evaluation.EvaluationResult`'s format, from which everything can be recomputed; html is a report, against a
    baseline if one is given.
    """
    if form not in FORMS:
        raise Invalid(fields={"form": gettext("one of {names}.").format(names=", ".join(FORMS))})
    path = folder / f"run-{run.number}.{form}"
    if form == "jsonl":
        write_result(run, path)
        return path
    result, metrics = write_result(run, folder / "result.jsonl"), list_run_metrics(run)
    if form == "html":
        path.write_text(_report(run, result, metrics, baseline, folder), encoding="utf-8")
        return path
    report = reports.detail(result, metrics)
    report["id"] = [row.id for row in run_queries.list_rows_of_run(run)]
    report["error"] = ["; ".join(error["message"] for error in row["errors"]) for row in result.rows()]
    if form == "csv":
        cells_by_name = {neutralize_formula(name): map(neutralize_formula, cells) for name, cells in report.items()}
        report = reports.Report({name: list(cells) for name, cells in cells_by_name.items()})
    report.save(path)
    return path


def write_result(run: Run, path: Path, *, with_judgements: bool = False) -> EvaluationResult:
    """Write the run as the evaluation package's result file; an unasked row counts as failed.

    with_judgements: whether to add each row's judgement to its outputs, so that gates can use its scores.
    """
    rows = run_queries.list_rows_of_run(run)
    run_rows = RunRow.objects.filter(run=run).order_by("index").iterator(chunk_size=500)
    definition = {
        "kind": "template",
        "name": run.template.name,
        "version": run.version.number,
        "bundle": None if run.version.is_redacted or (run.is_draft and not run.draft_bundle) else run.asked_bundle,
        "model": run.model,
    }
    described = {
        "name": f"{run.template.name}@{run.version.number}",
        "digest": run.key,
        "definition": definition,
        "chain": False,
    }
    blind = not any(row.expected for row in rows)
    with Recorder(described, blind=blind, path=path) as recorder:
        following = next(run_rows, None)
        for index, row in enumerate(rows):
            run_row = following if following is not None and following.index == index else None
            if run_row is not None:
                following = next(run_rows, None)
            # no text: for a file
            problem = run_row.problem if run_row else {"kind": "NotAsked", "message": "This row was not asked."}
            recorder.add(
                {
                    "inputs": row.inputs,
                    "expected": None if blind else row.expected,
                    "actual": _describe_outputs(run_row, with_judgements=with_judgements) if run_row else None,
                    "isolated": {},
                    "errors": [_describe_error(problem)] if problem else [],
                },
                index,
            )
        return recorder.finish()


def list_run_metrics(run: Run) -> dict[str, MetricsResult]:
    """The run's scores in the package's form, by metric; empty until it is done."""
    return {
        metric: MetricsResult({target: run_queries.read_scores_of_run(run, metric, target) for target in targets})
        for metric, targets in run.scores.items()
    }


def _describe_error(problem: dict[str, str]) -> dict[str, str]:
    return {"component": "", "mode": "integrated", "kind": problem["kind"], "message": problem["message"]}


def _describe_outputs(row: RunRow, *, with_judgements: bool) -> dict[str, Any] | None:
    outputs = row.actual
    if outputs is None or not with_judgements or row.judgement is None:
        return outputs
    return {**outputs, "judgement": row.judgement}


def _report(
    run: Run, result: EvaluationResult, metrics: Mapping[str, MetricsResult], baseline: Run | None, folder: Path
) -> str:
    against = None
    if baseline is not None:
        if not baseline.shares_rows_with(run):
            raise Conflict(
                gettext("Runs {number} and {run_number} went over different rows.").format(
                    number=baseline.number, run_number=run.number
                )
            )
        against = (write_result(baseline, folder / "baseline.jsonl"), list_run_metrics(baseline))
    title = f"Run {run.number}: {run.template.name}@{run.version.number}"
    return reports.to_html(title, result, metrics, against, [row.id for row in run_queries.list_rows_of_run(run)])
