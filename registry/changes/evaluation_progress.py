"""How far the evaluations of a change request are, and what to do where they don't go on by themselves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from promptuary.evaluation.gates import parse_gate
from registry.changes.models import ChangeRequest
from registry.evaluations import attachment_queries, run_queries
from registry.evaluations.attachment_queries import Plan
from registry.evaluations.models import Run, RunRow

__all__ = ["EvaluationProgress", "PlanRuns", "count_unanswered", "find_plan_runs", "measure_progress", "needs_baseline"]

_WAITING = "It has not finished."

# A request's number, its plans, the digest of its head, and that of what the label holds.
Asked = tuple[int, Sequence[Plan], str, str | None]


@dataclass(frozen=True)
class PlanRuns:
    """A plan with the run of the head, and of what the label holds where a threshold compares with that."""

    plan: Plan
    head: Run | None
    baseline: Run | None
    wants_baseline: bool

    @property
    def runs(self) -> list[Run]:
        """The runs there are."""
        return [run for run in (self.head, self.baseline) if run is not None]

    @property
    def missing(self) -> int:
        """How many runs it needs that nobody asked for."""
        return (self.head is None) + (self.wants_baseline and self.baseline is None)


@dataclass(frozen=True)
class EvaluationProgress:
    """The plans of one request with their runs, and by run the number of rows that the model gave no answer for."""

    parts: Sequence[PlanRuns]
    silent: Mapping[int, int]

    def progress(self) -> tuple[str, str]:
        """A sentence on how far it is, and what to do where it doesn't go on by itself."""
        under_way = []
        for one in self.parts:
            if one.plan.fault:
                return (
                    f"{one.plan.name}: {one.plan.fault}",
                    "Ask the operator to list the model, or an admin for another one.",
                )
            for run in one.runs:
                if run.state in (Run.FAILED, Run.CANCELLED):
                    return f"Run {run.number} was ended: {run.error or run.state}.", f"Run it again: run {run.number}."
                if run.state != Run.DONE:
                    under_way.append(f"run {run.number} has {run.done} of {run.total} rows")
                elif silent := self.silent.get(run.pk):
                    return (
                        f"The model gave no answer for {silent} of {run.total} rows of run {run.number}.",
                        f"Run the rows that failed again: run {run.number}.",
                    )
        return f"{_WAITING[:-1]}: {', '.join(under_way)}." if under_way else _WAITING, ""


def find_plan_runs(change: ChangeRequest, against: str | None) -> Sequence[PlanRuns]:
    """Each plan of the request with its runs; `against`: the digest of what the label holds."""
    asked = (change.pk, attachment_queries.plans(change.template), change.version.digest, against)
    return _parts([asked])[change.pk]


def measure_progress(asked: Sequence[Asked]) -> dict[int, EvaluationProgress]:
    """By the number of a request how far its evaluations are, in two queries for all of them."""
    parts = _parts(asked)
    runs = [run for found in parts.values() for one in found for run in one.runs]
    silent = _unanswered(runs)
    return {number: EvaluationProgress(found, silent) for number, found in parts.items()}


def _parts(asked: Sequence[Asked]) -> dict[int, Sequence[PlanRuns]]:
    keys = {
        (number, plan.name): (_key(digest, plan), _key(against, plan))
        for number, plans, digest, against in asked
        for plan in plans
    }
    runs = run_queries.latest({key for pair in keys.values() for key in pair if key})
    found: dict[int, Sequence[PlanRuns]] = {}
    for number, plans, _, against in asked:
        parts = []
        for plan in plans:
            head, baseline = keys[number, plan.name]
            wants = against is not None and needs_baseline(plan)
            parts.append(PlanRuns(plan, runs.get(head), runs.get(baseline) if wants else None, wants))
        found[number] = parts
    return found


def needs_baseline(plan: Plan) -> bool:
    """Whether a threshold compares with what the label holds."""
    return any(parse_gate(gate).fall is not None for gate in plan.gates)


def count_unanswered(run: Run) -> int:
    """How many rows the model gave no answer for: that says nothing of the template."""
    return _unanswered([run]).get(run.pk, 0)


def _unanswered(runs: Iterable[Run]) -> dict[int, int]:
    failed = {run.pk for run in runs if run.failed and run.state == Run.DONE}
    found: dict[int, int] = {}
    for row in RunRow.objects.filter(run__in=failed, is_failed=True) if failed else ():
        found[row.run_id] = found.get(row.run_id, 0) + ((row.problem or {}).get("step") == "model")
    return found


def _key(digest: str | None, plan: Plan) -> str:
    if digest is None or not plan.model_digest:
        return ""
    return run_queries.identity(digest, plan.rows_digest, plan.model_digest)
