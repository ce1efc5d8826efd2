"""Agreement of raters: known values, ignored ratings, and independence of names and order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptuary.evaluation import EvaluationError
from promptuary.evaluation.rater_agreement import measure_agreement

RATINGS = st.dictionaries(
    st.sampled_from(["ada", "ben", "cy", "dan"]),
    st.dictionaries(st.sampled_from([f"row{n}" for n in range(6)]), st.integers(1, 5), min_size=1),
    min_size=2,
)


def test_two_raters_have_a_weighted_kappa():
    agreement = measure_agreement({"a": {"x": 1, "y": 5, "z": 3}, "b": {"x": 2, "y": 5, "z": 4}})
    assert (agreement.measure, agreement.raters, agreement.items) == ("cohen_kappa", 2, 3)
    # observed disagreement 2/12, expected 16/36
    assert agreement.value == pytest.approx(1 - (2 / 12) / (16 / 36))


def test_good_and_bad_alone_give_the_plain_kappa():
    first = dict(zip("pqrstuvwxy", [5, 5, 5, 5, 5, 5, 1, 1, 1, 1], strict=True))
    second = dict(zip("pqrstuvwxy", [5, 5, 5, 5, 1, 1, 1, 1, 1, 5], strict=True))
    # agreed 0.7, by chance 0.6 * 0.5 + 0.4 * 0.5
    assert measure_agreement({"a": first, "b": second}).value == pytest.approx((0.7 - 0.5) / (1 - 0.5))


def test_three_raters_have_krippendorffs_alpha():
    # Krippendorff's own example of interval data, without its fourth observer's grades
    grades = {
        "a": {"3": 3, "4": 3, "5": 3, "6": 4},
        "b": {"3": 3, "4": 3, "5": 3, "6": 4},
        "c": {"3": 3, "4": 3, "5": 3, "6": 2},
    }
    agreement = measure_agreement(grades)
    assert (agreement.measure, agreement.raters, agreement.items) == ("krippendorff_alpha", 3, 4)
    # observed: one item with differences 0, 2, 2; expected: over all 12 grades 9 times 3, twice 4, once 2
    observed = 2 * (0 + 4 + 4) / 2 / 12
    expected = 2 * (9 * 2 * 1 + 9 * 1 * 1 + 2 * 1 * 4) / (12 * 11)
    assert agreement.value == pytest.approx(1 - observed / expected)


@pytest.mark.parametrize("grades", [{}, {"a": {"x": 1}}, {"a": {"x": 1}, "b": {"y": 2}}])
def test_without_a_row_that_two_have_graded_there_is_nothing_to_measure(grades):
    assert measure_agreement(grades) is None


def test_one_grade_for_everything_has_no_value():
    agreement = measure_agreement({"a": {"x": 5, "y": 5}, "b": {"x": 5, "y": 5}})
    assert (agreement.value, agreement.items) == (None, 2)


def test_a_grade_out_of_range_is_refused():
    with pytest.raises(EvaluationError, match="a graded x with 6"):
        measure_agreement({"a": {"x": 6}})


@settings(max_examples=80, deadline=None)
@given(RATINGS, st.permutations(["ada", "ben", "cy", "dan"]))
def test_neither_the_names_nor_the_order_of_raters_matter(grades, names):
    renamed = dict(zip(["ada", "ben", "cy", "dan"], names, strict=True))
    other = {renamed[rater]: dict(reversed(graded.items())) for rater, graded in reversed(grades.items())}
    first, second = measure_agreement(grades), measure_agreement(other)
    if first is None or first.value is None:
        assert second == first
    else:
        assert (second.measure, second.raters, second.items) == (first.measure, first.raters, first.items)
        assert second.value == pytest.approx(first.value)
        assert first.value <= 1 + 1e-9
