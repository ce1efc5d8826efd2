"""Outcomes of thresholds, computed from a finished run's stored scores."""

# no texts here: findings are stored

from dataclasses import dataclass

from promptuary.evaluation.decimals import count_decimals
from promptuary.evaluation.gates import Gate
from registry.evaluations.models import Run
from registry.evaluations.person_score_queries import PEOPLE_METRIC

__all__ = ["GateOutcome", "judge_run"]


@dataclass(frozen=True)
class GateOutcome:
    """The outcome of one threshold on one output. passed: None if the run can't decide it; `finding` then says why."""

    gate: str
    target: str
    passed: bool | None
    finding: str


def judge_run(gate: Gate, run: Run, baseline: Run | None, without_baseline: str) -> list[GateOutcome]:
    """The threshold's outcome for each output that the run was scored on. baseline: the run that a relative threshold
    compares with. without_baseline: the finding of such a threshold without a baseline.
    """
    if gate.metric == PEOPLE_METRIC:
        return [GateOutcome(str(gate), "people", None, "people score the replies of each change")]
    scores = run.scores.get(gate.metric, {})
    targets = [target for target in scores if gate.output in (None, target)]
    if not targets:
        return [GateOutcome(str(gate), gate.output or "", None, "the run was not scored by it")]
    return [_judge_output(gate, target, run, baseline, without_baseline) for target in targets]


def _judge_output(gate: Gate, target: str, run: Run, baseline: Run | None, without_baseline: str) -> GateOutcome:
    score = run.scores[gate.metric][target]["score"]
    if score is None:
        return GateOutcome(str(gate), target, False, "no row could be scored")
    if gate.floor is not None:
        decimals = count_decimals((score, gate.floor))
        return GateOutcome(str(gate), target, gate.passes(score, None), f"{score:.{decimals}f}")
    if baseline is None:
        return GateOutcome(str(gate), target, None, without_baseline)
    before = baseline.scores.get(gate.metric, {}).get(target, {}).get("score")
    if before is None:
        return GateOutcome(str(gate), target, None, "the run that it compares with was not scored by it")
    decimals = count_decimals((score, before, gate.find_lowest(before)))
    finding = f"{score:.{decimals}f} after {before:.{decimals}f}"
    return GateOutcome(str(gate), target, gate.passes(score, before), finding)
