"""The order of the tests in a run of several processes."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.run_order import spread_slow_groups


def order(text, pieces):
    """Items such as `a1` in the group of their letter; capital letters are slow."""
    items = text.split()
    ordered = spread_slow_groups(items, [item[0] for item in items], [item.isupper() for item in items], pieces)
    return " ".join(ordered)


def test_each_piece_begins_with_its_share_of_the_slow_modules():
    assert order("a1 a2 B1 c1 c2 D1 e1 e2", 2) == "B1 a1 a2 c1 D1 c2 e1 e2"


def test_one_process_begins_with_all_of_them_and_without_any_the_order_stays():
    assert order("a1 B1 c1 D1", 1) == "B1 D1 a1 c1"
    assert order("b1 a1 c1", 2) == "b1 a1 c1"


def test_a_module_with_a_quick_test_stays_where_it_is():
    items = ["x", "y", "z"]
    assert spread_slow_groups(items, ["one", "two", "two"], [False, True, False], 1) == items


def test_more_slow_tests_than_a_piece_holds_lose_none():
    assert order("A1 A2 A3 A4 b1 C1", 2) == "A1 A2 A3 A4 C1 b1"
    assert order("", 3) == ""


@given(st.lists(st.tuples(st.integers(0, 8), st.booleans())), st.integers(1, 5))
def test_every_test_is_there_once(rows, pieces):
    items = list(range(len(rows)))
    ordered = spread_slow_groups(items, [group for group, _ in rows], [slow for _, slow in rows], pieces)
    assert sorted(ordered) == items
