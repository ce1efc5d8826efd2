"""How a run fares by the thresholds of the checks that are attached to its template."""

from typing import Any

from frontend.evaluations.score_table import Board, Line
from promptuary.evaluation import gates
from registry.evaluations import attachment_queries
from registry.evaluations.models import Run

__all__ = ["read"]


def read(run: Run, board: Board) -> list[dict[str, Any]]:
    """How the run would fare as the checks that are attached to its template and look at just these rows.

    What a request's version is compared with is held to nothing itself.
    """
    if run.change is not None and run.change.version_id != run.version_id:
        return []
    told = []
    for plan in attachment_queries.plans(run.template):
        if run.state != Run.DONE or (plan.rows_digest, plan.model_digest) != (run.rows_digest, run.model_digest):
            continue
        for text in plan.gates:
            gate = gates.parse_gate(text)
            lines = [one for one in board.lines if one.metric == gate.metric and gate.output in (None, one.target)]
            told += [_weighed(plan.name, gate, line) for line in lines]
    return told


def _weighed(name: str, gate: gates.Gate, line: Line) -> dict[str, Any]:
    said = {"name": name, "gate": str(gate), "title": line.title}
    if gate.floor is not None:
        passed = line.score is not None and line.score >= gate.floor
        return {**said, "passed": passed, "finding": f"{line.shown}, and at least {gate.floor:g} is asked for."}
    if line.before is None or line.score is None:
        return {**said, "passed": None, "finding": "There is no run to compare it with yet."}
    passed = line.score >= line.before - (gate.fall or 0)
    finding = f"{line.shown} after {line.shown_before}, and at most {gate.fall:g} less is allowed."
    return {**said, "passed": passed, "finding": finding}
