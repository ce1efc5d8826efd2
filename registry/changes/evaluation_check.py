"""The check `evaluation`: whether the head of a change request reaches the thresholds of the attached evaluations.

The required runs are started here, once: runs of the same bundle, rows and model are shared. Nothing passes by
omission: a gate that scored no row fails, and rows without an answer from the model keep the check open until they are
run again.
"""

import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from promptuary.evaluation.gates import parse_gate
from registry.changes import counted_scores
from registry.changes.counted_scores import PeopleEvidence
from registry.changes.models import ChangeRequest
from registry.evaluations import attachment_queries, exports, run_queries, scoring_process, start_runs
from registry.evaluations.attachment_queries import EvaluationPlan
from registry.evaluations.models import Run, RunRow
from registry.templates.models import Version

__all__ = [
    "EvaluationProgress",
    "EvaluationResult",
    "PlanRuns",
    "check_evaluations",
    "count_unanswered",
    "find_plan_runs",
    "measure_progress",
    "needs_baseline",
]

_KEPT = ("gate", "target", "passed", "score", "baseline", "scored", "of", "finding", "comparison")
_WAITING = gettext_lazy("It has not finished.")

# A request's number, its plans, the digest of its head, and the digest of what the label holds.
PlanRequest = tuple[int, Sequence[EvaluationPlan], str, str | None]


@dataclass(frozen=True)
class PlanRuns:
    """A plan with the run of the head, and of what the label holds if a threshold compares with that.

    evidence: the scores by people for its thresholds; None if there are no such thresholds, or too few scores.
    """

    plan: EvaluationPlan
    head: Run | None
    baseline: Run | None
    wants_baseline: bool
    evidence: PeopleEvidence | None = None

    @property
    def runs(self) -> list[Run]:
        """The existing runs."""
        return [run for run in (self.head, self.baseline) if run is not None]

    @property
    def missing(self) -> int:
        """How many required runs were never started."""
        return (self.head is None) + (self.wants_baseline and self.baseline is None)

    @property
    def waits_for_people(self) -> bool:
        """Whether a threshold on scores by people has too few of them."""
        return bool(self.plan.people_gates) and self.evidence is None


@dataclass(frozen=True)
class EvaluationProgress:
    """The plans of one request with their runs; the number of rows without an answer from the model, by run; and the
    people whose scores don't count.
    """

    parts: Sequence[PlanRuns]
    silent: Mapping[int, int]
    contributors: Collection[str] = ()

    def describe(self) -> tuple[str, str]:
        """A sentence on the progress, and what to do if it doesn't continue by itself."""
        under_way = []
        for part in self.parts:
            if part.plan.fault:
                return (
                    f"{part.plan.name}: {part.plan.fault}",
                    gettext("Ask the operator to list the model, or an admin for another one."),
                )
            for run in part.runs:
                if run.state in (Run.FAILED, Run.CANCELLED):
                    ended = gettext("Run {run} was ended: {error}.")
                    again = gettext("Run it again: run {run}.").format(run=run.number)
                    return ended.format(run=run.number, error=run.error or run.state), again
                if run.state != Run.DONE:
                    under_way.append(
                        gettext("run {run} has {done} of {total} rows").format(
                            run=run.number, done=run.done, total=run.total
                        )
                    )
                elif silent := self.silent.get(run.pk):
                    return (
                        gettext("The model gave no answer for {silent} of {total} rows of run {run}.").format(
                            silent=silent, total=run.total, run=run.number
                        ),
                        gettext("Run the rows that failed again: run {run}.").format(run=run.number),
                    )
        if under_way:
            return gettext("It has not finished: {runs}.").format(runs=", ".join(under_way)), ""
        return self._describe_progress_of_people() or (str(_WAITING), "")

    def _describe_progress_of_people(self) -> tuple[str, str] | None:
        for part in self.parts:
            if part.waits_for_people and part.head is not None:
                count = len(counted_scores.list_countable_scores(part.head, self.contributors))
                needed = part.plan.scores_needed
                if count < needed:
                    return (
                        gettext("{plan} has {count} of {needed} scores by people who did not contribute.").format(
                            plan=part.plan.name, count=count, needed=needed
                        ),
                        gettext("Score the replies of run {head}: /runs/{head}/score.").format(head=part.head.number),
                    )
        return None


@dataclass(frozen=True)
class EvaluationResult:
    """Whether every threshold is reached, a summary, and the result of each one."""

    passed: bool
    summary: str
    details: list[dict[str, Any]] = field(default_factory=list)


def check_evaluations(
    change: ChangeRequest, against: Version | None, contributors: Collection[str] = ()
) -> EvaluationResult | None:
    """Judge the head by every plan that evaluates its template, starting the required runs. None until all runs, and
    the scores by people that thresholds need, are complete.
    """
    plan_runs = _add_evidence(change, find_plan_runs(change, against.digest if against else None), contributors)
    for part in plan_runs:
        _start_missing(change, against, part)
    if any(part.missing or not all(map(_is_usable, part.runs)) for part in plan_runs):
        return None
    details = [detail for part in plan_runs for detail in _list_details(part)]
    failing = [detail for detail in details if not detail["passed"]]
    if failing:
        first = failing[0]
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        return EvaluationResult(False, f"{first['evaluation']}: {first['gate']}: {first['finding']}{more}.", details)
    if any(part.waits_for_people for part in plan_runs):
        return None
    return EvaluationResult(
        True, "; ".join(f"{detail['evaluation']}: {detail['finding']}" for detail in details) + ".", details
    )


def _add_evidence(
    change: ChangeRequest, plan_runs: Sequence[PlanRuns], contributors: Collection[str]
) -> Sequence[PlanRuns]:
    if not any(part.plan.people_gates for part in plan_runs):
        return plan_runs
    recorded = counted_scores.read_recorded_scores([change.pk])
    return [
        replace(
            part,
            evidence=counted_scores.read_evidence(
                recorded.get((change.pk, part.plan.name)), change.version_id, part.plan, contributors
            ),
        )
        if part.plan.people_gates
        else part
        for part in plan_runs
    ]


def _start_missing(change: ChangeRequest, against: Version | None, part: PlanRuns) -> None:
    if part.plan.fault:
        return
    if part.head is None:
        start_runs.create_plan_run(change.template, change.version, part.plan, change.pk)
    same = against is not None and against.digest == change.version.digest
    if part.wants_baseline and part.baseline is None and against is not None and not same:
        start_runs.create_plan_run(change.template, against, part.plan, change.pk)


def _is_usable(run: Run) -> bool:
    return run.state == Run.DONE and not count_unanswered(run)


def _list_details(part: PlanRuns) -> list[dict[str, Any]]:
    head = part.head
    if head is None:
        return []
    about = {
        "evaluation": part.plan.name,
        "run": head.number,
        "baseline_run": part.baseline.number if part.baseline else None,
        "dataset": f"{part.plan.dataset}@{part.plan.dataset_version}",
        "digest": part.plan.rows_digest,
        "model": part.plan.model,
    }
    comparing = [gate for gate in part.plan.computed_gates if parse_gate(gate).fall is not None]
    gates = [gate for gate in part.plan.computed_gates if part.wants_baseline or gate not in comparing]
    with tempfile.TemporaryDirectory(prefix="promptuary-judge-") as folder:
        path, before = Path(folder) / "head.jsonl", Path(folder) / "baseline.jsonl"
        exports.write_result(head, path, with_judgements=True)
        if part.baseline is not None:
            exports.write_result(part.baseline, before, with_judgements=True)
        results = scoring_process.judge_result(path, gates, before if part.baseline else None) if gates else {}
    details = [{**about, **{name: verdict[name] for name in _KEPT}} for verdict in results.get("verdicts", ())]
    details += [{**about, **_fail_gate("score", fault)} for fault in results.get("faults", ())]
    if not part.wants_baseline:
        nothing = "the label serves nothing yet that it could fall behind"
        details += [{**about, **_pass_gate(gate, nothing)} for gate in comparing]
    details += [{**about, **_judge_people(gate, part.evidence)} for gate in part.plan.people_gates if part.evidence]
    return [*details, *_judge_rows(about, head, part.baseline)]


def _judge_people(gate: str, evidence: PeopleEvidence) -> dict[str, Any]:
    passed, finding = counted_scores.judge_people_gate(gate, evidence)
    count = len(evidence.scores)
    facts = {"passed": passed, "score": evidence.mean, "scored": count, "of": count, "finding": finding}
    return {**dict.fromkeys(_KEPT), "gate": gate, "target": "people", **facts}


def _judge_rows(about: Mapping[str, Any], head: Run, baseline: Run | None) -> list[dict[str, Any]]:
    """Rows that the template itself fails on are not skipped: they fail the check, unless they failed before."""
    if head.failed <= (baseline.failed if baseline else 0):
        return []
    return [{**about, **_fail_gate("rows", f"{head.failed} of {head.total} rows fail")}]  # no text: stored in the check


def _pass_gate(gate: str, finding: str) -> dict[str, Any]:
    return {**dict.fromkeys(_KEPT), "gate": gate, "target": "", "passed": True, "finding": finding}


def _fail_gate(gate: str, finding: str) -> dict[str, Any]:
    return {**dict.fromkeys(_KEPT), "gate": gate, "target": "", "passed": False, "finding": finding.rstrip(".")}


def find_plan_runs(change: ChangeRequest, against: str | None) -> Sequence[PlanRuns]:
    """Each plan of the request with its runs. against: the digest of what the label holds."""
    key = (change.pk, attachment_queries.list_plans_of_template(change.template), change.version.digest, against)
    return _group_by_change([key])[change.pk]


def measure_progress(
    requests: Sequence[PlanRequest], contributors: Mapping[int, Collection[str]]
) -> dict[int, EvaluationProgress]:
    """Measure the progress of evaluations by request number, in two queries for all, and one more per request that
    waits for scores by people. contributors: the people whose scores don't count, by request number.
    """
    parts = _group_by_change(requests)
    runs = [run for plan_runs in parts.values() for part in plan_runs for run in part.runs]
    silent = _count_unanswered(runs)
    return {
        number: EvaluationProgress(plan_runs, silent, contributors.get(number, ()))
        for number, plan_runs in parts.items()
    }


def _group_by_change(requests: Sequence[PlanRequest]) -> dict[int, Sequence[PlanRuns]]:
    keys = {
        (number, plan.name): (_make_key(digest, plan), _make_key(against, plan))
        for number, plans, digest, against in requests
        for plan in plans
    }
    runs = run_queries.find_newest_runs_by_key({key for pair in keys.values() for key in pair if key})
    runs_by_plan: dict[int, Sequence[PlanRuns]] = {}
    for number, plans, _, against in requests:
        parts = []
        for plan in plans:
            head, baseline = keys[number, plan.name]
            wants = against is not None and needs_baseline(plan)
            parts.append(PlanRuns(plan, runs.get(head), runs.get(baseline) if wants else None, wants))
        runs_by_plan[number] = parts
    return runs_by_plan


def needs_baseline(plan: EvaluationPlan) -> bool:
    """Whether a threshold compares with what the label holds."""
    return any(parse_gate(gate).fall is not None for gate in plan.computed_gates)


def count_unanswered(run: Run) -> int:
    """How many rows got no answer from the model, which says nothing about the template."""
    return _count_unanswered([run]).get(run.pk, 0)


def _count_unanswered(runs: Iterable[Run]) -> dict[int, int]:
    failed = {run.pk for run in runs if run.failed and run.state == Run.DONE}
    rows = RunRow.objects.filter(run__in=failed, is_failed=True) if failed else ()
    return Counter(row.run_id for row in rows if (row.problem or {}).get("step") == "model")


def _make_key(digest: str | None, plan: EvaluationPlan) -> str:
    return plan.run_key(digest) if digest is not None and plan.model_digest else ""
