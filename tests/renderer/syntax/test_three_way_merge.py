"""The three-way merge: clean merges, conflicts, and decided conflicts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.syntax.three_way_merge import merge_texts, resolve_conflicts, split_lines

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\r\n", "\n"]), max_size=8).map("".join)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb\nc\n", "a\nb\nc\n", "a\nb\nC\n", "a\nb\nC\n"),
        ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
        ("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n"),
        ("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n"),
        ("a\n", "a\nmine\n", "first\na\n", "first\na\nmine\n"),
        ("a", "a\nb", "a", "a\nb"),
        ("", "x\n", "", "x\n"),
    ],
)
def test_changes_that_do_not_meet_are_both_taken(base, ours, theirs, merged):
    result = merge_texts(base, ours, theirs)
    assert (result.text, result.is_clean) == (merged, True)


def test_changes_of_one_line_are_a_conflict_that_loses_nothing():
    result = merge_texts("a\nb\nc\n", "a\nmine\nc\n", "a\nyours\nc\n", our_name="version 3", their_name="version 2")
    assert result.text == "a\n<<<<<<< version 3\nmine\n=======\nyours\n>>>>>>> version 2\nc\n"
    (conflict,) = result.conflicts
    assert (conflict.line, conflict.base, conflict.ours, conflict.theirs) == (2, "b\n", "mine\n", "yours\n")


def test_a_last_line_without_its_end_does_not_run_into_a_marker():
    assert merge_texts("a", "b", "c").text == "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"


@given(TEXTS, TEXTS)
def test_an_unchanged_side_takes_the_other_sides_text(base, other):
    assert merge_texts(base, base, other).text == other
    assert merge_texts(base, other, base).text == other
    assert merge_texts(base, other, other).text == other


@given(TEXTS, TEXTS, TEXTS)
def test_sides_can_be_swapped(base, ours, theirs):
    one, other = merge_texts(base, ours, theirs), merge_texts(base, theirs, ours)
    assert one.is_clean == other.is_clean
    if one.is_clean:
        assert one.text == other.text


@given(st.text(alphabet="ab\n\r\u2028", max_size=20))
def test_lines_put_together_are_the_text(text):
    assert "".join(split_lines(text)) == text


def test_resolutions_replace_their_conflicts():
    merged = merge_texts("a\nb\nc\nd\n", "A\nb\nc\nours\n", "x\nb\nc\ntheirs\n")
    assert len(merged.conflicts) == 2
    assert resolve_conflicts(merged, ["both", "ours\ntheirs\n"]) == "both\nb\nc\nours\ntheirs\n"
    assert resolve_conflicts(merged, ["", "z"]) == "b\nc\nz"


def test_resolutions_get_the_line_ends_of_the_text():
    merged = merge_texts("a\r\nb\r\n", "ours\r\nb\r\n", "theirs\r\nb\r\n")
    assert resolve_conflicts(merged, ["one\ntwo"]) == "one\r\ntwo\r\nb\r\n"


@given(TEXTS, TEXTS, TEXTS)
def test_taking_our_side_of_every_conflict_leaves_no_marker(base, ours, theirs):
    merged = merge_texts(base, ours, theirs)
    settled = resolve_conflicts(merged, [conflict.ours for conflict in merged.conflicts])
    assert "<<<<<<<" not in settled
    assert ">>>>>>>" not in settled
