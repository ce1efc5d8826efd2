"""The text of the search field: words and filters are distinguished, and filters can be added and removed."""

from urllib.parse import parse_qs

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from frontend.web.search_text import Filter, SearchText, parse_search, read_search


@pytest.mark.parametrize(
    ("typed", "words", "filters"),
    [
        ("refund policy", "refund policy", ()),
        ("tag:billing refund", "refund", (Filter("tag", "billing"),)),
        ("TAG:billing tag:billing", "", (Filter("tag", "billing"),)),
        ('model:"my model" x', "x", (Filter("model", "my model"),)),
        ('"policy" text', "policy text", ()),
        ('model:"open', "", (Filter("model", "open"),)),
        ("tag: x", "tag: x", ()),
    ],
)
def test_typed_filters_are_distinguished_from_words(typed, words, filters):
    assert parse_search(typed) == SearchText(words, filters)


def test_a_kind_that_there_is_not_is_named_and_searched():
    assert parse_search("colour:red x") == SearchText("colour:red x", (), ("colour",))


def test_an_address_is_not_a_filter():
    assert parse_search("https://example.org").unknown == ()


def test_parameters_and_typed_filters_add_up():
    text = read_search(QueryDict("tag=a&tag=b&q=label:production+x&sort=changed&page=3"))
    assert [chosen.text for chosen in text.filters] == ["tag:a", "tag:b", "label:production"]
    assert (text.words, text.others) == ("x", {"sort": "changed"})


def test_an_address_with_a_filter_less_keeps_the_rest():
    text = read_search(QueryDict("tag=a&label=b&q=x&sort=changed"))
    assert parse_qs(text.without_filter(Filter("tag", "a"))[1:]) == {"q": ["x"], "label": ["b"], "sort": ["changed"]}


@given(st.text())
def test_any_typed_text_is_read(typed):
    text = parse_search(typed)
    assert parse_search(text.words).filters == () or '"' in typed


@given(st.from_regex(r"[^\s\"]+( [^\s\"]+)*", fullmatch=True))
def test_a_filter_is_typed_as_it_is_shown(value):
    chosen = Filter("tag", value)
    assert parse_search(chosen.text).filters == (chosen,)
