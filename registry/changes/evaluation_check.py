"""Thresholds: whether the head of a change request reaches what the attached evaluations ask for.

The runs that are needed are started here, once: runs of the same bundle, rows and model are the same run, whoever asked for
them first. Nothing passes by omission: a gate that scored no row fails, and rows the model gave no answer for keep the check
open until they were asked again.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from promptuary.evaluation.gates import parse_gate
from registry.accounts import actor
from registry.changes import evaluation_progress
from registry.changes.evaluation_progress import PlanRuns
from registry.changes.models import ChangeRequest
from registry.evaluations import model_endpoints, scoring_process, start_runs
from registry.evaluations import run_queries as queries
from registry.evaluations.attachment_queries import Plan
from registry.evaluations.models import DatasetVersion, Run
from registry.evaluations.start_runs import Measure
from registry.templates.models import Version

__all__ = ["EvaluationResult", "check_evaluations"]

_KEPT = ("gate", "target", "passed", "score", "baseline", "scored", "of", "finding", "comparison")


@dataclass(frozen=True)
class EvaluationResult:
    """Whether every threshold is reached, in a sentence, and one by one."""

    passed: bool
    summary: str
    details: list[dict[str, Any]] = field(default_factory=list)


def check_evaluations(change: ChangeRequest, against: Version | None) -> EvaluationResult | None:
    """Judge the head by every plan that measures its template, starting the runs it needs; None until they are all there."""
    found = evaluation_progress.find_plan_runs(change, against.digest if against else None)
    for one in found:
        _start_missing(change, against, one)
    if any(one.missing or not all(map(_is_usable, one.runs)) for one in found):
        return None
    details = [detail for one in found for detail in _details(one)]
    failing = [detail for detail in details if not detail["passed"]]
    if failing:
        first = failing[0]
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        return EvaluationResult(False, f"{first['evaluation']}: {first['gate']}: {first['finding']}{more}.", details)
    return EvaluationResult(True, "; ".join(f"{one['evaluation']}: {one['finding']}" for one in details) + ".", details)


def _start_missing(change: ChangeRequest, against: Version | None, one: PlanRuns) -> None:
    if one.plan.fault:
        return
    if one.head is None:
        _start(change, change.version, one.plan)
    same = against is not None and against.digest == change.version.digest
    if one.wants_baseline and one.baseline is None and against is not None and not same:
        _start(change, against, one.plan)


def _start(change: ChangeRequest, version: Version, plan: Plan) -> None:
    dataset = DatasetVersion.objects.get(dataset__name=plan.dataset, number=plan.dataset_version)
    endpoint = model_endpoints.find(plan.model, change.template.namespace.name)
    metrics = list(dict.fromkeys([*(parse_gate(gate).metric for gate in plan.gates), *plan.metrics]))
    measure = Measure(dataset.digest, dataset.rows(), dataset_version=dataset)
    start_runs.begin(change.template, version, measure, endpoint, metrics, actor.operator_actor().person, change.pk)


def _is_usable(run: Run) -> bool:
    return run.state == Run.DONE and not evaluation_progress.count_unanswered(run)


def _details(one: PlanRuns) -> list[dict[str, Any]]:
    head = one.head
    if head is None:
        return []
    about = {
        "evaluation": one.plan.name,
        "run": head.number,
        "baseline_run": one.baseline.number if one.baseline else None,
        "dataset": f"{one.plan.dataset}@{one.plan.dataset_version}",
        "digest": one.plan.rows_digest,
        "model": one.plan.model,
    }
    comparing = [gate for gate in one.plan.gates if parse_gate(gate).fall is not None]
    asked = [gate for gate in one.plan.gates if one.wants_baseline or gate not in comparing]
    with tempfile.TemporaryDirectory(prefix="promptuary-judge-") as folder:
        path, before = Path(folder) / "head.jsonl", Path(folder) / "baseline.jsonl"
        queries.write(head, path)
        if one.baseline is not None:
            queries.write(one.baseline, before)
        found = scoring_process.judge(path, asked, before if one.baseline else None) if asked else {}
    details = [{**about, **{name: verdict[name] for name in _KEPT}} for verdict in found.get("verdicts", ())]
    details += [{**about, **_failed("score", fault)} for fault in found.get("faults", ())]
    if not one.wants_baseline:
        nothing = "the label serves nothing yet that it could fall behind"
        details += [{**about, **_passed(gate, nothing)} for gate in comparing]
    return [*details, *_of_rows(about, head, one.baseline)]


def _of_rows(about: Mapping[str, Any], head: Run, baseline: Run | None) -> list[dict[str, Any]]:
    """Rows that the template itself fails on are no rows left out: they fail the check, unless they failed before."""
    if head.failed <= (baseline.failed if baseline else 0):
        return []
    return [{**about, **_failed("rows", f"{head.failed} of {head.total} rows fail")}]


def _passed(gate: str, finding: str) -> dict[str, Any]:
    return {**dict.fromkeys(_KEPT), "gate": gate, "target": "", "passed": True, "finding": finding}


def _failed(gate: str, finding: str) -> dict[str, Any]:
    return {**dict.fromkeys(_KEPT), "gate": gate, "target": "", "passed": False, "finding": finding.rstrip(".")}
