"""Outcomes of thresholds on the stored scores of a run."""

import json

import pytest

from promptuary.evaluation.gates import parse_gate
from registry.evaluations.gate_outcomes import judge_run
from registry.evaluations.models import Run


def run_with_score(score):
    scores = {"squad_f1": {"answer": {"score": score, "scored": 10, "of": 10}}}
    return Run(scores_text=json.dumps(scores))


@pytest.mark.parametrize(
    ("text", "score", "baseline", "passed", "finding"),
    [
        ("squad_f1 - 0.1", 0.7, 0.8, True, "0.70 after 0.80"),  # 0.8 - 0.1 is more than 0.7
        ("squad_f1 - 0.1", 0.69, 0.8, False, "0.69 after 0.80"),
        ("squad_f1 >= 0.7", 0.7, None, True, "0.70"),
        ("squad_f1 - 0.1", 0.7, None, None, "nothing to compare with"),
        ("squad_f1 >= 0.7", None, None, False, "no row could be scored"),
    ],
)
def test_a_score_is_held_against_its_threshold(text, score, baseline, passed, finding):
    before = None if baseline is None else run_with_score(baseline)
    (outcome,) = judge_run(parse_gate(text), run_with_score(score), before, "nothing to compare with")
    assert (outcome.passed, outcome.finding, outcome.target) == (passed, finding, "answer")
