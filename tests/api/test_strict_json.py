"""JSON as the API takes it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.strict_json import BadJson, parse

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_every_json_value_comes_through_as_it_is(value):
    assert parse(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b'{"a": 1, "a": 2}', "'a' stands twice"),
        (b'{"a": {"b": 1, "b": 1}}', "'b' stands twice"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b"[1e999]", "too large"),
        (b"[9007199254740993]", "2^53"),
        (b"[" + b"9" * 5000 + b"]", "2^53"),
        (b'["\\u0000"]', "NUL"),
        (b'{"a\\u0000": 1}', "NUL"),
        (b'{"a": ["\\ud800"]}', "'/a/0' holds half of a surrogate pair"),
        (b'{"\\udfff": 1}', "half of a surrogate pair"),
        (b'{"\\ud800": 1, "\\ud800": 2}', "stands twice"),
        (b"[" * 33 + b"]" * 33, "nested deeper than 32"),
        (b"[" * 100_000, "nested deeper than 32"),
        (b'{"a": ', "line 1 column"),
        (b"", "not JSON"),
        (b'"\xff"', "not UTF-8: byte 1"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"{} {}", "Extra data"),
        (b"{'a': 1}", "not JSON"),
        (b'["a\nb"]', "Invalid control character"),
    ],
)
def test_what_readers_could_take_differently_is_refused_with_a_reason(body, sentence):
    with pytest.raises(BadJson, match=sentence.replace("^", r"\^")):
        parse(body)


def test_nesting_up_to_the_limit_is_taken():
    assert parse(b"[" * 32 + b"]" * 32)


def test_a_surrogate_pair_written_as_escapes_is_one_character():
    assert parse(b'"\\ud83d\\ude00"') == "\U0001f600"
