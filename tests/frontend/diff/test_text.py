"""The pure diff: lines, words, folds."""

import time

from hypothesis import given
from hypothesis import strategies as st

from frontend.diff import text as diff_text
from promptuary.renderer.syntax.sequence_diff import diff_words

TEXTS = st.lists(st.sampled_from(["", "one", "two words", "  indented", "three more words", "x"]), max_size=20).map(
    "\n".join
)


@given(TEXTS, TEXTS)
def test_either_text_can_be_read_back_from_the_diff(old, new):
    lines = diff_text.compare_lines(old, new)
    assert [line.text for line in lines if line.kind != "added"] == old.splitlines()
    assert [line.text for line in lines if line.kind != "removed"] == new.splitlines()


@given(TEXTS, TEXTS)
def test_numbers_count_the_lines_of_their_own_side(old, new):
    lines = diff_text.compare_lines(old, new)
    assert [line.old for line in lines if line.old] == list(range(1, len(old.splitlines()) + 1))
    assert [line.new for line in lines if line.new] == list(range(1, len(new.splitlines()) + 1))


@given(TEXTS, TEXTS)
def test_folding_hides_no_line(old, new):
    lines = diff_text.compare_lines(old, new)
    shown = [
        line
        for entry in diff_text.fold_unchanged(lines)
        for line in (entry.lines if isinstance(entry, diff_text.Fold) else [entry])
    ]
    assert shown == lines


@given(st.text(), st.text())
def test_word_marks_lose_no_character(old, new):
    left, right = diff_words(old, new)
    line_ends = str.maketrans("", "", "\n")
    assert "".join(word.text for word in left).translate(line_ends) == old.translate(line_ends)
    assert "".join(word.text for word in right).translate(line_ends) == new.translate(line_ends)


def test_equal_texts_have_no_change():
    assert {line.kind for line in diff_text.compare_lines("a\nb", "a\nb")} == {"same"}


def test_only_the_changed_words_of_a_line_are_marked():
    removed, added = diff_text.compare_lines("Use only the excerpts, and name them.", "Use only the excerpts.")
    assert [word.text for word in removed.words if word.changed] == [", and name them"]
    assert not any(word.changed for word in added.words)


def test_a_line_that_became_another_is_one_gone_and_one_come():
    removed, added = diff_text.compare_lines("Be brief.", "{% for excerpt in excerpts %}")
    assert (removed.kind, added.kind) == ("removed", "added")
    assert all(word.changed for word in (*removed.words, *added.words))


def test_an_edited_line_is_next_to_its_new_form_in_a_longer_change():
    lines = diff_text.compare_lines("a\nkeep this line\nz", "a\nnew before\nkeep that line\nz")
    assert [(line.kind, line.text) for line in lines[1:4]] == [
        ("added", "new before"),
        ("removed", "keep this line"),
        ("added", "keep that line"),
    ]


def test_a_change_is_counted_in_lines():
    _, counts = diff_text.build_folded_diff("a\nb\nc", "a\nB\nc\nd")
    assert counts == diff_text.Counts(added=2, removed=1)


def test_long_unchanged_runs_fold_and_short_ones_stay_open():
    old = "\n".join(f"line {number}" for number in range(20))
    entries = diff_text.fold_unchanged(diff_text.compare_lines(old, old.replace("line 9", "line nine")), context=3)
    assert [len(entry.lines) for entry in entries if isinstance(entry, diff_text.Fold)] == [6, 7]


def test_a_document_at_the_size_limit_is_compared_in_reasonable_time():
    old = "\n".join("ab"[number % 7 % 2] for number in range(60_000))
    began = time.monotonic()
    diff_text.compare_lines(old, old[::-1])
    assert time.monotonic() - began < 30
