"""Two runs side by side: rows compared, an interval, and no winner while it includes zero."""

import random

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptuary.evaluation import EvaluationError, FunctionRunnable, compare, compare_scores, run


def scipy_interval(values, seed, batch=None):
    from scipy import stats  # noqa: PLC0415 here: it takes half a second, which each process of a run would pay

    return stats.bootstrap(
        (values,),
        numpy.mean,
        n_resamples=9_999,
        batch=batch,
        method="percentile",
        rng=numpy.random.default_rng(seed),
    ).confidence_interval


def scores(values):
    return {"score": None, "individual_scores": values, "scored": len(values), "of": len(values)}


def answered(good):
    inputs = [{"n": n} for n in range(60)]
    runnable = FunctionRunnable("answer", lambda n: {"answer": "yes" if n % good else "no"})
    return run(runnable, inputs, [{"answer": "yes"}] * 60)


def test_rows_are_better_worse_or_the_same():
    comparison = compare_scores(scores([0.0, 1.0, 0.5, None]), scores([1.0, 0.0, 0.5, 1.0]))
    assert comparison.rows == ("better", "worse", "same", None)
    assert (comparison.n, comparison.better, comparison.worse, comparison.same) == (3, 1, 1, 1)


def test_no_winner_is_named_while_the_interval_holds_zero():
    chance = random.Random(3)
    before, after = ([chance.random() for _ in range(40)] for _ in range(2))
    comparison = compare_scores(scores(before), scores(after))
    assert comparison.low < 0 < comparison.high
    assert comparison.winner is None


def test_a_run_that_is_better_on_most_rows_wins():
    comparison = compare(answered(2), answered(10), "exact_match")["answer"]
    assert comparison.winner == "second"
    assert comparison.low <= comparison.difference <= comparison.high


def test_the_interval_is_the_same_every_time():
    first, second = scores([0.1, 0.5, 0.9, 0.4]), scores([0.3, 0.4, 0.8, 0.9])
    assert compare_scores(first, second) == compare_scores(first, second)


def test_runs_on_other_inputs_are_refused():
    result = run(FunctionRunnable("answer", lambda n: {"answer": "yes"}), [{"n": 0}], [{"answer": "yes"}])
    with pytest.raises(EvaluationError, match="different inputs"):
        compare(answered(2), result, "exact_match")


@given(st.lists(st.floats(0, 1, allow_nan=False), min_size=2, max_size=30))
def test_a_run_against_itself_has_no_winner(values):
    comparison = compare_scores(scores(values), scores(values))
    assert (comparison.winner, comparison.same, comparison.difference) == (None, len(values), 0.0)


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1, allow_nan=False), min_size=2, max_size=30, unique=True))
def test_the_interval_is_that_of_scipy(values):
    comparison = compare_scores(scores([0.0] * len(values)), scores(values), seed=7)
    expected = scipy_interval(values, seed=7)
    assert (comparison.low, comparison.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_interval_of_many_rows_is_drawn_in_steps():
    values = [random.Random(5).random() + n / 10 for n in range(150)]
    expected = scipy_interval(values, seed=0, batch=6_666)
    comparison = compare_scores(scores([0.0] * 150), scores(values))
    assert (comparison.low, comparison.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
