"""How far the evaluations of a change request are, and what to do where they don't go on by themselves."""

from dataclasses import dataclass

from evaluation.gates import parse_gate
from registry.models import ChangeRequest, Run, RunRow
from registry.queries import attachments, evaluations
from registry.queries.attachments import Plan

__all__ = ["Measured", "measured", "needs_baseline", "progress", "unanswered"]

_WAITING = "It has not finished."


@dataclass(frozen=True)
class Measured:
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


def measured(change: ChangeRequest, against: str | None) -> list[Measured]:
    """Each plan of the request with its runs; `against`: the digest of what the label holds."""
    plans = attachments.plans(change.template)
    keys = {plan.name: (_key(change.version.digest, plan), _key(against, plan)) for plan in plans}
    runs = evaluations.latest({key for pair in keys.values() for key in pair if key})
    found = []
    for plan in plans:
        head, baseline = keys[plan.name]
        wants = against is not None and needs_baseline(plan)
        found.append(Measured(plan, runs.get(head), runs.get(baseline) if wants else None, wants))
    return found


def needs_baseline(plan: Plan) -> bool:
    """Whether a threshold compares with what the label holds."""
    return any(parse_gate(gate).fall is not None for gate in plan.gates)


def progress(change: ChangeRequest, against: str | None) -> tuple[str, str]:
    """A sentence on how far it is, and what to do where it doesn't go on by itself."""
    under_way = []
    for one in measured(change, against):
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
            elif silent := unanswered(run):
                return (
                    f"The model gave no answer for {silent} of {run.total} rows of run {run.number}.",
                    f"Run the rows that failed again: run {run.number}.",
                )
    return f"{_WAITING[:-1]}: {', '.join(under_way)}." if under_way else _WAITING, ""


def unanswered(run: Run) -> int:
    """How many rows the model gave no answer for: that says nothing of the template."""
    if not run.failed:
        return 0
    failed = RunRow.objects.filter(run=run, is_failed=True)
    return sum((row.problem or {}).get("step") == "model" for row in failed)


def _key(digest: str | None, plan: Plan) -> str:
    if digest is None or not plan.model_digest:
        return ""
    return evaluations.identity(digest, plan.rows_digest, plan.model_digest)
