"""Syntax highlighting of a document."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontend.web import highlight


@given(st.text(alphabet=st.sampled_from("ab:{}%# -'\"\n0123456789"), max_size=200))
def test_colouring_changes_no_character(text):
    lines = highlight.highlight(text)
    assert "\n".join("".join(run.text for run in line) for line in lines) == text.removesuffix("\n")


def find_kinds(text):
    return [(run.text, run.kind) for line in highlight.highlight(text) for run in line if run.kind]


def test_keys_strings_numbers_and_comments_have_their_kinds():
    assert find_kinds('token_limit: 6000  # "half"') == [
        ("token_limit", "key"),
        ("6000", "literal"),
        ('# "half"', "comment"),
    ]
    assert find_kinds("tone: 'warm'") == [("tone", "key"), ("'warm'", "string")]


def test_jinja_inside_a_string_keeps_its_own_kind():
    assert find_kinds('content: "[{{ n }}]"')[1:] == [('"[', "string"), ("{{ n }}", "expression"), (']"', "string")]


def test_a_statement_may_reach_over_lines():
    assert find_kinds("{% if a\n %}") == [("{% if a", "statement"), (" %}", "statement")]


def test_carriage_returns_are_line_ends():
    assert len(highlight.highlight("a\r\nb\rc\n")) == 3


def test_a_text_too_long_to_colour_is_shown_plain():
    text = "key: 1\n" * 40_000
    assert all(run.kind == "" for line in highlight.highlight(text) for run in line)


@pytest.mark.parametrize(
    "text", ["{{" * 90_000, "{%" * 90_000, '"' + '\\"' * 90_000, "'a\n" * 60_000, "{, " * 60_000, "{{}}" * 50_000]
)
def test_text_that_is_slow_to_colour_takes_less_than_a_second(text):
    began = time.process_time()
    lines = highlight.highlight(text)
    assert time.process_time() - began < 1.5
    assert "\n".join("".join(run.text for run in line) for line in lines) == text.removesuffix("\n")
