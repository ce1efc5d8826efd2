"""Line anchors: lines found again in a changed text, and edits of lines applied together."""

from hypothesis import given
from hypothesis import strategies as st

from registry.changes.line_anchors import Anchors, replace_lines, take_lines

TEXT = "one\ntwo\nthree\nfour\n"


def test_lines_are_taken_with_both_ends():
    assert take_lines(TEXT, 2, 3) == "two\nthree\n"
    assert take_lines("a\nb", 2, 2) == "b"


def test_missing_lines_give_none():
    assert [take_lines(TEXT, *lines) for lines in ((0, 1), (3, 2), (4, 5))] == [None, None, None]


def test_lines_are_found_again_where_others_moved_them():
    assert Anchors(TEXT, "zero\none\ntwo\nthree\n").find(2, 3) == (3, 4)


def test_lines_that_were_changed_or_separated_are_lost():
    assert Anchors(TEXT, "one\nTWO\nthree\n").find(2, 3) is None
    assert Anchors(TEXT, "one\ntwo\nnew\nthree\n").find(2, 3) is None


def test_edits_go_in_together():
    assert replace_lines(TEXT, [(1, 1, "ONE\n"), (3, 4, "3\n")]) == "ONE\ntwo\n3\n"


def test_an_empty_edit_takes_the_lines_away():
    assert replace_lines(TEXT, [(2, 3, "")]) == "one\nfour\n"


def test_an_edit_without_a_line_feed_does_not_glue_the_next_line():
    assert replace_lines(TEXT, [(1, 1, "ONE")]) == "ONE\ntwo\nthree\nfour\n"
    assert replace_lines("a\nb", [(2, 2, "B")]) == "a\nB"


@given(st.lists(st.sampled_from(["a\n", "b\n", "c\n"]), min_size=1, max_size=6), st.data())
def test_putting_back_what_was_there_changes_nothing(lines, data):
    text = "".join(lines)
    line = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(line, len(lines)))
    assert replace_lines(text, [(line, end, take_lines(text, line, end))]) == text
    assert Anchors(text, text).find(line, end) == (line, end)


def test_line_ends_stay_as_they_were():
    assert replace_lines("a\r\nb\r\n", [(1, 1, "A\nB\n")]) == "A\r\nB\r\nb\r\n"
