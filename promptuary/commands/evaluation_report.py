"""The result of `promptuary test`: printed, as JSON, and as JUnit, Markdown and HTML reports."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from promptuary import evaluation
from promptuary.commands.judging import print_unjudged_rows
from promptuary.commands.output import print_line, write_json
from promptuary.evaluation import datasets, gates
from promptuary.renderer.files import save_file

__all__ = ["EvaluationReport", "print_report", "render_html", "write_findings", "write_reports"]

_RowError = tuple[int, dict[str, str]]
_Scores = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class EvaluationReport:
    """What the command reports. errors: of rows without a reply. not_judged: rows that the judge gave no score."""

    title: str
    rows: datasets.Dataset
    result: evaluation.EvaluationResult
    verdicts: list[gates.Verdict]
    errors: list[_RowError]
    not_judged: list[_RowError]
    scores: _Scores

    @property
    def has_failed(self) -> bool:
        """Whether a row failed, or a gate wasn't reached."""
        return bool(self.errors) or any(not verdict.passed for verdict in self.verdicts)


def write_reports(report: EvaluationReport, junit: Path | None, markdown: Path | None) -> None:
    """Write the reports for which a path is given."""
    for path, write in ((junit, gates.to_junit), (markdown, gates.to_markdown)):
        if path:
            save_file(path, write(report.title, report.verdicts, report.errors).encode("utf-8"))


def render_html(report: EvaluationReport, bounds: list[gates.Gate], before: evaluation.EvaluationResult | None) -> str:
    """The HTML report. bounds: the gates, whose metrics it shows. before: the result to compare with, or None."""
    metrics = list(dict.fromkeys([*(gate.metric for gate in bounds), *report.scores]))
    baseline = (before, {name: before.calculate_metrics(name) for name in metrics}) if before else None
    values = {name: report.result.calculate_metrics(name) for name in metrics}
    row_ids = [row.id for row in report.rows.rows]
    return evaluation.reports.to_html(report.title, report.result, values, baseline, row_ids)


def write_findings(report: EvaluationReport) -> None:
    """Print the report as JSON."""
    rows = report.rows

    def name_rows(row_errors: list[_RowError]) -> list[dict[str, Any]]:
        return [{"row": row, "id": rows.rows[row].id, **error} for row, error in row_errors]

    write_json(
        {
            "ok": not report.has_failed,
            "rows": len(rows.rows),
            "dataset": rows.digest,
            "verdicts": [verdict.to_dict() for verdict in report.verdicts],
            "scores": [
                {"metric": metric, "output": target, **{name: score[name] for name in ("score", "scored", "of")}}
                for metric, target, score in _list_scores(report.scores)
            ],
            "errors": name_rows(report.errors),
            "not_judged": name_rows(report.not_judged),
        }
    )


def _list_scores(scores: _Scores) -> Iterable[tuple[str, str, Any]]:
    return ((metric, target, score) for metric, targets in scores.items() for target, score in targets.items())


def print_report(report: EvaluationReport) -> None:
    """Print the report for people: failed rows, gates, further scores and a summary."""
    rows = report.rows.rows
    for row, error in report.errors:
        name = f" ({rows[row].id})" if rows[row].id else ""
        print_line(f"row {row + 1}{name}: {error['kind']}: {error['message']}", "red")
    for verdict in report.verdicts:
        style = "green" if verdict.passed else "red"
        print_line(
            f"{'passed' if verdict.passed else 'FAILED'}  {verdict.gate} ({verdict.target}): {verdict.finding}", style
        )
    for metric, target, score in _list_scores(report.scores):
        value = "no row could be scored" if score["score"] is None else f"{score['score']:.4g}"
        print_line(f"        {metric} ({target}): {value}, {score['scored']} of {score['of']} rows scored")
    row_count, gate_count = len(rows), len(report.verdicts)
    print_line(
        f"{row_count} row{'s' if row_count != 1 else ''}, {len(report.errors)} failed; "
        f"{gate_count} gate{'s' if gate_count != 1 else ''}"
    )
    print_unjudged_rows(report.not_judged)
