"""Truncation: Hermes' order and step rule, protection, pairs, shortening, and errors that name the obstacle."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer import profiles
from promptuary.renderer.errors import TruncationError
from promptuary.renderer.output import targets
from promptuary.renderer.part import Mark, Part, Site
from promptuary.renderer.tokens import tokenizers
from promptuary.renderer.truncation import fitting
from promptuary.renderer.truncation import shrink as truncation_shrink

WORDS = tokenizers.find_tokenizer(str.split)


def part(name, count, priority=0, **more):
    return Part(
        name, content=" ".join(f"{name}{number}" for number in range(count)), truncation_priority=priority, **more
    )


def chat(*counts, priority=1):
    return [part(f"m{at}", count, priority, role="assistant" if at % 2 else "user") for at, count in enumerate(counts)]


def names(fitted):
    return [part.name for part in fitted.parts]


def hermes(parts, counts, limit, step):
    """The rule as research wrote it down, told another way than the code does: the indices that stay, or None."""
    total = sum(counts)
    need = math.ceil(max(0, total - limit) / step) * step
    gone = set()
    for priority in sorted({each.truncation_priority for each in parts if each.truncation_priority > 0}, reverse=True):
        at = 0
        while at < len(parts):
            run = []
            while at < len(parts) and parts[at].truncation_priority == priority:
                run.append(at)
                at += 1
            at += 1
            if need <= 0 or not run:
                continue
            if sum(counts[index] for index in run) <= need:
                gone.update(run)
                need -= sum(counts[index] for index in run)
                continue
            for index in run:
                gone.add(index)
                need -= counts[index]
                if need <= 0:
                    break
    indexes = [index for index in range(len(parts)) if index not in gone]
    return indexes if sum(counts[index] for index in indexes) <= limit else None


def test_a_prompt_within_its_limit_is_left_alone():
    fitted = fitting.fit_parts(chat(3, 3), WORDS, limit=6)
    assert (names(fitted), fitted.cuts, fitted.token_count) == (["m0", "m1"], [], 6)


def test_no_limit_cuts_nothing():
    assert fitting.fit_parts(chat(300), WORDS).token_count == 300


def test_the_highest_priority_goes_first_then_the_oldest():
    parts = [part("a", 2, 1), part("b", 2, 5), part("c", 2, 1), part("d", 2, 5)]
    assert names(fitting.fit_parts(parts, WORDS, limit=6)) == ["a", "c", "d"]
    assert names(fitting.fit_parts(parts, WORDS, limit=3)) == ["c"]


def test_priority_zero_and_below_never_go():
    parts = [part("a", 3, 0), part("b", 3, -2), part("c", 3, 1)]
    assert names(fitting.fit_parts(parts, WORDS, limit=6)) == ["a", "b"]


def test_a_step_takes_more_so_that_the_cut_stays_put():
    first = fitting.fit_parts(chat(*[5] * 20), WORDS, limit=90, step=20)
    grown = fitting.fit_parts(chat(*[5] * 22), WORDS, limit=90, step=20)
    assert names(first)[0] == names(grown)[0] == "m4"


def test_a_step_beyond_all_that_may_go_is_not_an_error():
    parts = [part("system", 2), *chat(3, 3, 3)]
    assert names(fitting.fit_parts(parts, WORDS, limit=9, step=1000)) == ["system"]


def test_empty_parts_at_the_end_of_a_run_go_with_it():
    parts = [part("a", 3, 1), part("empty", 0, 1), part("system", 3)]
    assert names(fitting.fit_parts(parts, WORDS, limit=3)) == ["system"]
    assert names(fitting.fit_parts([*parts[:2], part("b", 1, 1), parts[2]], WORDS, limit=4)) == ["empty", "b", "system"]


def test_a_cut_names_the_removed_part_and_the_reason():
    fitted = fitting.fit_parts([part("system", 2), *chat(3, 4)], WORDS, limit=6)
    [cut] = fitted.cuts
    assert (cut.name, cut.index, cut.tokens) == ("m0", 1, 3)
    assert cut.reason == "dropped: priority 1, prompt 3 tokens over its limit"


def test_the_error_names_the_protected_parts_and_the_shortfall():
    parts = [part("rules", 5), *chat(3), part("question", 4)]
    with pytest.raises(
        TruncationError, match=r"cut to 6 tokens.*take 9, 3 too many.*rules \(5\), question \(4\)"
    ) as caught:
        fitting.fit_parts(parts, WORDS, limit=6)
    assert (caught.value.protected, caught.value.shortfall) == (["rules", "question"], 3)


def test_the_last_parts_can_be_kept():
    fitted = fitting.fit_parts([part("system", 1), *chat(2, 2, 2, 2)], WORDS, limit=5, keep_last=2)
    assert names(fitted) == ["system", "m2", "m3"]
    with pytest.raises(TruncationError):
        fitting.fit_parts(chat(2, 2, 2), WORDS, limit=3, keep_last=2)
    assert names(fitting.fit_parts(chat(2, 2), WORDS, limit=4, keep_last=9)) == ["m0", "m1"]


def test_a_question_and_its_answers_go_together():
    parts = [*chat(2, 2), part("tool", 1, 1, role="tool"), *chat(2, 2)[0:2]]
    assert [fitted.role for fitted in fitting.fit_parts(parts, WORDS, limit=8, keep_pairs=True).parts] == [
        "user",
        "assistant",
    ]


def test_a_pair_with_a_kept_part_stays_whole():
    parts = [
        part(name, 2, 1, role=role)
        for name, role in (("u1", "user"), ("a1", "assistant"), ("u2", "user"), ("a2", "assistant"))
    ]
    assert names(fitting.fit_parts(parts, WORDS, limit=5, keep_pairs=True, keep_last=1)) == ["u2", "a2"]


@pytest.mark.parametrize(("shrink", "content"), [
    ("end", "p0 p1 p2"), ("start", "p5 p6 p7"), ("middle", "p0 … p7"),
])  # fmt: skip
def test_a_part_can_be_shortened_instead_of_dropped(shrink, content):
    fitted = fitting.fit_parts([part("q", 2), part("p", 8, 1, shrink=shrink)], WORDS, limit=5)
    shrunk = fitted.parts[1]
    assert isinstance(shrunk.content, str)
    assert (shrunk.content.split(), shrunk.token_count, fitted.token_count) == (content.split(), 3, 5)
    assert (fitted.cuts[0].tokens, fitted.cuts[0].reason.split(":")[0]) == (
        5,
        f"shortened {'in the middle' if shrink == 'middle' else f'at the {shrink}'}",
    )


def test_a_part_is_not_shortened_below_its_least():
    parts = [part("p", 8, 2, shrink="end", min_tokens=5), part("m", 4, 1)]
    assert [(left.name, left.token_count) for left in fitting.fit_parts(parts, WORDS, limit=8).parts] == [("p", 5)]
    with pytest.raises(TruncationError) as caught:
        fitting.fit_parts(parts, WORDS, limit=4)
    assert caught.value.protected == ["p"]


def test_spans_move_with_the_text_that_stays():
    site = Site("name", 3, 1)
    marked = Part(
        "p",
        content="one two three four",
        truncation_priority=1,
        shrink="start",
        marks=(Mark(0, 3, site), Mark(8, 13, site)),
    )
    part = fitting.fit_parts([marked], WORDS, limit=2).parts[0]
    assert [part.content[span.start : span.end] for span in part.spans] == ["three"]


def test_a_chat_profile_counts_its_markup():
    profile = profiles.check(profiles.find_builtin_profile("openai-chat"))
    counter = profiles.tokenizer(profile)
    parts = [Part("s", "system", "Be brief."), *[Part(f"m{at}", "user", f"message {at}", 1) for at in range(9)]]
    whole = fitting.fit_parts(parts, counter, profile)
    assert (
        whole.token_count
        == len(targets.encode_prompt(whole.parts, profile, counter))
        > sum(p.token_count for p in whole.parts)
    )
    cut = fitting.fit_parts(parts, counter, profile, limit=30)
    assert 30 >= cut.token_count == len(targets.encode_prompt(cut.parts, profile, counter))


def test_a_family_that_starts_with_the_user_never_loses_half_a_turn():
    profile = profiles.check(profiles.find_builtin_profile("mistral-v7-tekken") | {"user_first": True})
    parts = [part("s", 3, role="system"), *chat(5, 5, 5, 5, 5)]
    fitted = fitting.fit_parts(parts, WORDS, profile, limit=25)
    assert [kept.role for kept in fitted.parts][:2] == ["system", "user"]


PARTS = st.lists(st.tuples(st.integers(0, 7), st.integers(-1, 3)).map(lambda pair: pair), min_size=0, max_size=14).map(
    lambda pairs: [part(f"p{at}", count, priority) for at, (count, priority) in enumerate(pairs)]
)


@given(PARTS, st.integers(1, 40), st.integers(1, 12))
def test_the_kept_parts_follow_the_reference_rule(parts, limit, step):
    counts = [len(each.content.split()) for each in parts]
    expected = hermes(parts, counts, limit, step)
    if expected is None:
        with pytest.raises(TruncationError):
            fitting.fit_parts(parts, WORDS, limit=limit, step=step)
        return
    fitted = fitting.fit_parts(parts, WORDS, limit=limit, step=step)
    assert names(fitted) == [parts[index].name for index in expected]


@given(PARTS, st.integers(1, 40), st.integers(1, 12), st.integers(0, 3), st.booleans())
def test_fitted_parts_are_within_the_limit_and_fit_again_unchanged(parts, limit, step, keep_last, keep_pairs):
    rules = {"limit": limit, "step": step, "keep_last": keep_last, "keep_pairs": keep_pairs}
    try:
        fitted = fitting.fit_parts(parts, WORDS, **rules)
    except TruncationError:
        return
    assert fitted.token_count == len(targets.encode_prompt(fitted.parts, None, WORDS)) <= limit
    assert fitting.fit_parts(fitted.parts, WORDS, **rules).parts == fitted.parts
    assert {cut.name for cut in fitted.cuts}.isdisjoint(names(fitted))
    assert len(fitted.cuts) + len(fitted.parts) == len(parts)


@given(
    st.lists(
        st.tuples(st.sampled_from(["system", "user", "assistant"]), st.integers(0, 6), st.integers(0, 2)), max_size=12
    ),
    st.integers(20, 90),
    st.sampled_from(["chatml", "deepseek", "gemma3", "mistral-v3", "claude", "openai-chat", "llama3.1"]),
)
def test_with_a_profile_the_whole_prompt_is_within_the_limit(rows, limit, family):
    profile = profiles.check(
        profiles.find_builtin_profile(family) | {"user_first": False, "tokenizer": "estimate", "sha256": ""}
    )
    counter = profiles.tokenizer(profile)
    parts = [part(f"p{at}", count, priority, role=role) for at, (role, count, priority) in enumerate(rows)]
    try:
        fitted = fitting.fit_parts(parts, counter, profile, limit=limit)
    except TruncationError:
        return
    assert fitted.token_count == len(targets.encode_prompt(fitted.parts, profile, counter)) <= limit


@given(st.text(min_size=1, max_size=200), st.sampled_from(["start", "middle", "end"]), st.integers(1, 30))
def test_shortened_text_is_at_most_the_limit_and_a_piece_of_the_old(text, shrink, limit):
    text = re.sub("[\ud800-\udfff]", "", text)
    counter = tokenizers.find_tokenizer("o200k_base")
    shrunk = Part("p", content=text, truncation_priority=1, shrink=shrink, min_tokens=1)
    try:
        part = fitting.fit_parts([shrunk], counter, limit=limit).parts[0].content
    except TruncationError:
        return
    assert isinstance(part, str)
    assert counter.count(part) <= limit
    if shrink == "middle" and part != text:
        first, _, last = part.partition(truncation_shrink.GAP)
        assert text.startswith(first)
        assert text.endswith(last)
    else:
        assert text.endswith(part) if shrink == "start" else text.startswith(part)
