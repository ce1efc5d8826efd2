"""The comparison behind diffs, merges and anchors: always a valid alignment, and bounded for any input."""

import difflib
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.syntax import sequence_diff
from promptuary.renderer.syntax.alignment import Effort, Match

ITEMS = st.lists(st.sampled_from("abcde"), max_size=14)
SIZE = 256 * 1024


def hard_pairs():
    """Pairs of texts of at most 256 KB that are slow to compare for methods without a bound."""
    lots = SIZE // 2
    chance = random.Random(7)
    words = [str(number) for number in range(36_000)]
    mixed = words[:]
    chance.shuffle(mixed)
    return {
        "repeated line": ("a\n" * lots, "b\n" + "a\nc\n" * (lots // 2)),
        "two repeated lines": ("a\nb\n" * (lots // 2), "b\na\nc\n" * (lots // 3)),
        "no pattern": tuple("".join(chance.choices(["a\n", "b\n"], k=lots)) for _ in range(2)),
        "wholly different": ("".join(f"{word}\n" for word in words), "".join(f"x{word}\n" for word in words[:-6000])),
        "another order": ("\n".join(words), "\n".join(mixed)),
        "blank lines between": ("\n\n".join(words), "\n\n\n".join(words[:-2000])),
        "one long line": ("a " * lots, "b a c a " * (lots // 4)),
        "nothing but newlines": ("\n" * SIZE, "x\n" + "\n" * (SIZE - 2)),
    }


HARD = hard_pairs()


def is_true(old, new, found):
    at_old = at_new = 0
    for match in found:
        assert match.size > 0
        assert match.old >= at_old
        assert match.new >= at_new
        assert (match.old, match.new) != (at_old, at_new) or (at_old, at_new) == (0, 0), "runs that touch are one"
        at_old, at_new = match.old + match.size, match.new + match.size
        assert old[match.old : at_old] == new[match.new : at_new]
        assert at_old <= len(old)
        assert at_new <= len(new)
    return True


def longest(old, new):
    row = [0] * (len(new) + 1)
    for item in old:
        before = row[:]
        for j, other in enumerate(new):
            row[j + 1] = before[j] + 1 if item == other else max(before[j + 1], row[j])
    return row[-1]


@given(ITEMS, ITEMS)
def test_matches_are_equal_and_in_order(old, new):
    assert is_true(old, new, sequence_diff.find_matches(old, new))


@given(ITEMS, ITEMS, st.integers(0, 200))
def test_an_alignment_cut_short_is_true_all_the_same(old, new, effort):
    assert is_true(old, new, sequence_diff.find_matches(old, new, Effort(effort)))


@given(ITEMS)
def test_a_sequence_is_all_of_itself(items):
    assert sequence_diff.find_matches(items, items) == ((Match(0, 0, len(items)),) if items else ())


def test_repeated_items_are_aligned_nearly_as_far_as_they_can_be():
    """On the whole: single pairs may lose more, because an item that is unique on both sides is aligned first."""
    chance = random.Random(1)
    pairs = [[[chance.choice("ab") for _ in range(14)] for _ in "on"] for _ in range(300)]
    shared = sum(match.size for old, new in pairs for match in sequence_diff.find_matches(old, new))
    assert shared >= 0.9 * sum(longest(old, new) for old, new in pairs)


@given(ITEMS, ITEMS)
def test_the_steps_lead_from_one_side_to_the_other(old, new):
    built, at_old, at_new = [], 0, 0
    for kind, i1, i2, j1, j2 in sequence_diff.find_steps(old, new):
        assert (i1, j1) == (at_old, at_new)
        assert kind == {(True, True): kind, (False, True): "insert", (True, False): "delete"}[i1 < i2, j1 < j2]
        built += old[i1:i2] if kind == "equal" else new[j1:j2]
        at_old, at_new = i2, j2
    assert (built, at_old, at_new) == (new, len(old), len(new))


@pytest.mark.parametrize("seed", range(60))
def test_a_unified_diff_is_written_as_the_standard_library_writes_one(seed):
    chance = random.Random(seed)
    old = [f"{number}\n" for number in range(40)]
    new = [line for line in old if chance.random() > 0.05]
    new.insert(chance.randrange(len(new)), "new\n")
    assert list(sequence_diff.write_unified(old, new, "a", "b")) == list(difflib.unified_diff(old, new, "a", "b"))
    assert list(sequence_diff.write_unified(old, old, "a", "b")) == []


@pytest.mark.parametrize("name", HARD)
def test_any_pair_at_the_size_limit_takes_well_below_a_second(name):
    sequence_diff.clear_cache()
    old, new = (text.splitlines(keepends=True) for text in HARD[name])
    began = time.process_time()
    matches = sequence_diff.find_matches(old, new)
    assert time.process_time() - began < 1
    assert is_true(old, new, matches)


def test_the_cache_holds_positions_and_no_text():
    sequence_diff.clear_cache()
    old, new = ["secret words\n"] * 300, ["secret words\n"] * 299 + ["other\n"]
    first = sequence_diff.find_matches(old, new)
    assert "secret" not in repr(sequence_diff._remembered)
    assert sequence_diff._remembered
    assert sequence_diff.find_matches(old, new) == first
    sequence_diff.clear_cache()
    assert not sequence_diff._remembered


def test_only_so_many_pairs_are_remembered():
    sequence_diff.clear_cache()
    for number in range(300):
        sequence_diff.find_matches(["a\n"] * 400, [f"{number}\n"] * 10)
    assert len(sequence_diff._remembered) <= 128


def test_sequences_of_the_same_text_cut_otherwise_are_not_taken_for_each_other():
    whole, cut = ["ab", "c"] * 300, ["a", "bc"] * 300
    sequence_diff.clear_cache()
    assert sequence_diff.find_matches(whole, whole) == (Match(0, 0, 600),)
    assert sequence_diff.find_matches(cut, whole) == ()
