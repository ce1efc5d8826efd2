"""Gates: explicit bounds, never implied ones, and the reports for continuous integration."""

from xml.etree import ElementTree as ET

import pytest

from promptuary.evaluation import EvaluationError, FunctionRunnable, gates, run


def answered(right, of=4):
    runnable = FunctionRunnable("answer", lambda n: {"answer": "yes" if n < right else "no"})
    return run(runnable, [{"n": n} for n in range(of)], [{"answer": "yes"}] * of)


def judged(text, result, baseline=None):
    return gates.judge(result, [gates.parse_gate(text)], baseline)[0]


def test_a_floor_is_reached_or_not():
    assert judged("exact_match >= 0.75", answered(3)).passed
    failed = judged("exact_match >= 0.8", answered(3))
    assert not failed.passed
    assert "0.75, at least 0.8" in failed.finding


def test_a_fall_behind_the_baseline_is_allowed_up_to_its_bound():
    assert judged("exact_match - 0.25", answered(2), answered(3)).passed
    failed = judged("exact_match - 0.2", answered(2), answered(3))
    assert (failed.passed, failed.comparison.worse) == (False, 1)


def test_a_fall_of_exactly_the_bound_is_allowed():
    assert judged("exact_match - 0.1", answered(7, of=10), answered(8, of=10)).passed  # 0.8 - 0.1 is more than 0.7
    assert not judged("exact_match - 0.1", answered(699, of=1000), answered(800, of=1000)).passed


@pytest.mark.parametrize(
    ("text", "score", "baseline", "passes"),
    [
        ("f1 >= 0.3", 0.3, None, True),
        ("f1 >= 0.3", 0.1 + 0.2 - 1e-12, None, True),
        ("f1 >= 0.3", 0.2999, 0.1, False),
        ("f1 - 0", 2 / 3, 2 / 3, True),
        ("f1 - 0.05", 0.6, None, None),
    ],
)
def test_a_gate_compares_a_score_with_its_floor_or_with_the_baseline(text, score, baseline, passes):
    assert gates.parse_gate(text).passes(score, baseline) is passes


def test_a_gate_that_could_score_nothing_fails():
    result = run(FunctionRunnable("broken", lambda n: 1 / n), [{"n": 0}], [{"answer": "yes"}])
    assert not judged("exact_match[answer] >= 0", result).passed


@pytest.mark.parametrize("text", ["exact_match", "exact_match > 1", ">= 0.5", "exact_match >= x"])
def test_a_gate_without_a_bound_is_refused(text):
    with pytest.raises(EvaluationError, match="not a gate"):
        gates.parse_gate(text)


def test_a_comparison_without_a_baseline_is_refused():
    with pytest.raises(EvaluationError, match="needs a baseline"):
        judged("exact_match - 0.1", answered(2))


def test_a_baseline_on_other_inputs_is_refused():
    with pytest.raises(EvaluationError, match="other inputs"):
        judged("exact_match - 0.1", answered(2), answered(2, of=5))


def test_reports_say_what_failed_and_why():
    verdicts = [judged("exact_match >= 0.5", answered(3)), judged("exact_match >= 0.9", answered(3))]
    suite = ET.fromstring(gates.to_junit("reply", verdicts))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert "at least 0.9" in suite.find(".//failure").get("message")
    assert "**failed** | `exact_match >= 0.9`" in gates.to_markdown("reply", verdicts)


def test_rows_that_failed_are_in_both_reports():
    broken = run(FunctionRunnable("broken", lambda n: 1 / n), [{"n": 0}])
    suite = ET.fromstring(gates.to_junit("reply", [], list(broken.errors())))
    assert (suite.get("errors"), suite.find(".//error").get("type")) == ("1", "ZeroDivisionError")
    assert "row 1: ZeroDivisionError" in gates.to_markdown("reply", [], list(broken.errors()))


def test_reports_hold_any_message():
    odd = [(0, {"kind": "ModelError", "message": "a|b\x00\n<c>"})]
    assert ET.fromstring(gates.to_junit("reply", [], odd)).find(".//error") is not None
    assert "a\\|b" in gates.to_markdown("reply", [], odd)
