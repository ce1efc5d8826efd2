"""The difference between two versions of a dataset."""

import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from promptuary.evaluation import Row
from promptuary.renderer.digest import encode_canonical_json
from registry.evaluations import datasets
from registry.evaluations.dataset_difference import RowDifference, diff_dataset_versions
from registry.evaluations.dataset_models import DatasetVersion

NAME = "support/questions"


def write(row: Row) -> str:
    return encode_canonical_json(row.to_dict()).decode()


def make_version(*rows: Row) -> DatasetVersion:
    return DatasetVersion(text="\n".join(map(write, rows)), count=len(rows))


def unnamed(question: str, answer: object = None, *tags: str) -> Row:
    return Row({"q": question}, None if answer is None else {"a": answer}, tags=tags)


def named(name: str, question: str) -> Row:
    return Row({"q": question}, None, name)


def diff(before: list[Row], after: list[Row]) -> RowDifference:
    return diff_dataset_versions(make_version(*before), make_version(*after))


def summarize(found: RowDifference) -> tuple[list[str], list[str], list[tuple[str, str]], int, int]:
    """The questions of added, removed and changed rows, and the numbers of the same and moved ones."""
    return (
        [row.inputs["q"] for _, row in found.added],
        [row.inputs["q"] for _, row in found.removed],
        [(was.inputs["q"], row.inputs["q"]) for _, was, row in found.changed],
        found.same,
        found.moved,
    )


def test_rows_with_an_id_are_matched_by_it():
    before = [named("a", "1"), named("b", "2"), named("c", "3"), named("d", "4")]
    after = [named("d", "4"), named("a", "1"), named("b", "two"), named("e", "5")]
    difference = diff(before, after)
    assert summarize(difference) == (["5"], ["3"], [("2", "two")], 2, 1)
    assert ([index for index, _ in difference.added], [index for index, _ in difference.removed]) == ([3], [2])
    assert [index for index, _, _ in difference.changed] == [2]


def test_a_row_with_an_id_is_matched_by_nothing_else():
    assert summarize(diff([named("a", "1")], [named("b", "1")])) == (["1"], ["1"], [], 0, 0)
    assert summarize(diff([unnamed("1")], [named("b", "1")])) == (["1"], ["1"], [], 0, 0)
    assert summarize(diff([named("a", "1")], [unnamed("1")])) == (["1"], ["1"], [], 0, 0)


def test_rows_without_an_id_are_matched_by_their_inputs():
    difference = diff(
        [unnamed("1", "x"), unnamed("1", "x"), unnamed("2")], [unnamed("2"), unnamed("1", "x"), unnamed("1")]
    )
    assert summarize(difference) == ([], [], [("1", "1")], 2, 1)


def test_the_same_content_is_matched_before_the_same_inputs():
    assert summarize(diff([unnamed("1", "x"), unnamed("1", "y")], [unnamed("1", "y")])) == ([], ["1"], [], 1, 0)
    before = [unnamed("1", "x"), unnamed("1", "y"), unnamed("2", "z")]
    after = [unnamed("3", "v"), unnamed("1", "y"), unnamed("4", "w")]
    assert summarize(diff(before, after)) == ([], [], [("1", "3"), ("2", "4")], 1, 0)


def test_one_of_equal_rows_is_edited():
    difference = diff([unnamed("1"), unnamed("1"), unnamed("1")], [unnamed("1"), unnamed("one"), unnamed("1")])
    assert summarize(difference) == ([], [], [("1", "one")], 2, 0)


def test_an_edited_row_without_an_id_is_changed():
    before = [unnamed("1"), unnamed("2"), unnamed("3")]
    assert summarize(diff(before, [unnamed("1"), unnamed("two"), unnamed("3")])) == ([], [], [("2", "two")], 2, 0)
    assert summarize(diff(before, [unnamed("one"), *before[1:]])) == ([], [], [("1", "one")], 2, 0)
    assert summarize(diff(before, [*before[:2], unnamed("three")])) == ([], [], [("3", "three")], 2, 0)


def test_an_edited_row_is_found_by_its_own_value_wherever_it_moved():
    before = [unnamed("1", "first"), unnamed("2", "second"), unnamed("3", "third"), unnamed("4", "Yes")]
    after = [unnamed("3", "third"), unnamed("one", "first"), unnamed("five", "Yes")]
    # The answer Yes belongs to one row on both sides too, so that the last row counts as edited.
    assert summarize(diff(before, after)) == ([], ["2"], [("1", "one"), ("4", "five")], 1, 1)


def test_a_value_that_several_rows_have_matches_none():
    before = [unnamed("1", "Yes"), unnamed("2", "Yes"), unnamed("3", "No")]
    after = [unnamed("2", "Yes"), unnamed("3", "No"), unnamed("4", "Yes")]
    assert summarize(diff(before, after)) == (["4"], ["1"], [], 2, 0)


def test_the_row_that_shares_most_values_is_the_one():
    def row(*values: str) -> Row:
        return Row(dict(zip("abc", values, strict=True)))

    before = [row("1", "2", "3"), row("4", "5", "6")]
    after = [row("4", "2", "3x"), row("4x", "5", "6")]
    difference = diff(before, after)
    assert [(index, was, now) for index, was, now in difference.changed] == [
        (0, before[0], after[0]),
        (1, before[1], after[1]),
    ]


def test_a_column_added_to_every_row_changes_them():
    before = [unnamed(str(number)) for number in range(6)]
    after = [Row({"q": str(number), "lang": "en"}) for number in range(6) if number != 2]
    assert summarize(diff(before, after)) == ([], ["2"], [(each, each) for each in "01345"], 0, 0)


def test_rows_at_one_place_are_not_matched_if_their_numbers_differ():
    before = [unnamed("1"), unnamed("2"), unnamed("3"), unnamed("4")]
    assert summarize(diff(before, [unnamed("1"), unnamed("x"), unnamed("4")])) == (["x"], ["2", "3"], [], 2, 0)


def test_values_of_different_types_differ():
    difference = diff([unnamed("1", answer=1)], [unnamed("1", answer=True)])
    assert summarize(difference) == ([], [], [("1", "1")], 0, 0)


def test_tags_alone_are_a_change(author):
    text = '{"inputs": {"q": "1"}}\n'
    first = datasets.save_dataset(actor=author, name=NAME, text=text).version
    row = {"inputs": {"q": "1"}, "tags": ["late"]}
    second = datasets.save_dataset(actor=author, name=NAME, text=json.dumps(row), base=first.digest)
    assert second.created
    ((index, was, now),) = diff_dataset_versions(first, second.version).changed
    assert (index, was.tags, now.tags) == (0, (), ("late",))


few = st.sampled_from("abcd")
unnamed_rows = st.builds(unnamed, few, st.none() | few | st.booleans() | st.integers(0, 1))
named_rows = st.builds(lambda name, row: Row(row.inputs, row.expected, name), st.sampled_from("mnop"), unnamed_rows)
versions = st.lists(unnamed_rows | named_rows, max_size=9, unique_by=lambda row: row.id or object())


@given(versions, versions)
def test_each_row_is_counted_once(before, after):
    difference = diff(before, after)
    assert len(difference.added) + len(difference.changed) + difference.same == len(after)
    assert len(difference.removed) + len(difference.changed) + difference.same == len(before)
    indexes = [index for index, _ in difference.added] + [index for index, _, _ in difference.changed]
    assert len(set(indexes)) == len(indexes)
    assert all(after[index] == row for index, _, row in difference.changed)
    assert [after[index] for index, _ in difference.added] == [row for _, row in difference.added]
    assert [before[place] for place, _ in difference.removed] == [row for _, row in difference.removed]
    # Without them both versions have the same rows. As texts, because to Python 1 and True are equal.
    left = Counter(map(write, after)) - Counter(write(after[index]) for index in indexes)
    missing = [row for _, row in difference.removed] + [was for _, was, _ in difference.changed]
    assert left == Counter(map(write, before)) - Counter(map(write, missing))
    assert 0 <= difference.moved <= difference.same + len(difference.changed)


@given(versions, versions)
def test_rows_with_an_id_are_matched_with_that_id_alone(before, after):
    difference = diff(before, after)
    assert all(was.id == row.id for _, was, row in difference.changed)
    ids = {row.id for row in before} & {row.id for row in after} - {""}
    assert not ids & {row.id for _, row in [*difference.added, *difference.removed]}


@given(versions, st.data())
def test_one_edited_row_is_one_changed_row(rows, data):
    if not rows:
        return
    place = data.draw(st.integers(0, len(rows) - 1))
    edited = Row({"q": "new"}, rows[place].expected, rows[place].id)
    difference = diff(rows, [*rows[:place], edited, *rows[place + 1 :]])
    assert (len(difference.added), len(difference.removed), len(difference.changed)) == (0, 0, 1)


@given(versions)
def test_a_version_has_no_difference_from_itself(rows):
    assert summarize(diff(rows, rows)) == ([], [], [], len(rows), 0)
