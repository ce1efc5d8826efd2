"""The JSON that the API accepts."""

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core.input_checks import BadJson, parse_json

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_every_json_value_is_parsed_unchanged(value):
    assert parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b'{"a": 1, "a": 2}', "'a' occurs twice"),
        (b'{"a": {"b": 1, "b": 1}}', "'b' occurs twice"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b"[1e999]", "too large"),
        (b"[9007199254740993]", "2^53"),
        (b"[" + b"9" * 5000 + b"]", "2^53"),
        (b'["\\u0000"]', "'/0' has a NUL character on line 1,"),
        (b'{"document": "a\\nb\\n\\u0000"}', "'/document' has a NUL character on line 3,"),
        (b'["\\u00e9\\n\\u0000"]', "'/0' has a NUL character on line 2,"),
        (b'{"a\\u0000": 1}', "NUL"),
        (b'{"a": ["\\n\\ud800"]}', "'/a/0' has half of a surrogate pair on line 2,"),
        (b'{"\\udfff": 1}', "half of a surrogate pair"),
        (b'{"\\ud800": 1, "\\ud800": 2}', "occurs twice"),
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
def test_ambiguous_json_is_refused_with_a_reason(body, sentence):
    with pytest.raises(BadJson, match=sentence.replace("^", r"\^")):
        parse_json(body)


def test_nesting_up_to_the_limit_is_taken():
    assert parse_json(b"[" * 32 + b"]" * 32)


def test_a_surrogate_pair_written_as_escapes_is_one_character():
    assert parse_json(b'"\\ud83d\\ude00"') == "\U0001f600"


def _seconds(body):
    began = time.process_time()
    with contextlib.suppress(BadJson):
        parse_json(body)
    return time.process_time() - began


KEYS = ", ".join(f'"{number}": 0' for number in range(150_000))


@pytest.mark.parametrize(
    "body",
    [
        f'{{{KEYS}, "149999": 1}}',
        f'[{KEYS.replace(":", ",")}, "\\ud800"]',
        '{"' + "k" * 1_000_000 + '": [' + "0," * 400_000 + "0]}",
        '{"' + "k" * 500_000 + '": {"' + "m" * 500_000 + '": [' + "[]," * 200_000 + '"\\u0000"]}}',
        '{"a": ' + "1" * 1_900_000 + "}",
        '{"a": 0.' + "1" * 1_900_000 + "}",
        '{"a": 1e' + "9" * 1_900_000 + "}",
        '["' + "\\ud800" * 300_000 + '"]',
        "[" * 1_900_000,
        '{"a":' * 300_000,
        '"' + "\\" * 1_900_000,
    ],
    ids=[
        "keys",
        "items",
        "a long key",
        "long keys",
        "digits",
        "decimals",
        "exponent",
        "halves",
        "lists",
        "objects",
        "open",
    ],
)
def test_a_body_at_the_size_limit_is_read_in_linear_time(body):
    assert len(body) <= 2 * 1024 * 1024 + 400_000
    assert min(_seconds(body.encode()) for _ in range(3)) < 2  # a busy machine may slow one of them


def test_twice_as_many_keys_take_twice_as_long_and_not_four_times():
    body = ",".join(f'"{number}":0' for number in range(150_000))
    half = ",".join(f'"{number}":0' for number in range(75_000))
    whole_seconds, half_seconds = (
        min(_seconds(f'{{{keys},"0":1}}'.encode()) for _ in range(3)) for keys in (body, half)
    )  # a busy machine may slow one of them
    assert whole_seconds < 10 * max(half_seconds, 0.02)


def test_a_place_deep_inside_is_named_with_long_keys_cut_short():
    with pytest.raises(BadJson, match=r"has a NUL character"):
        parse_json(b'{"' + b"k" * 100_000 + b'": ["ok", {"b": "\\u0000"}]}')
    with pytest.raises(BadJson) as caught:
        parse_json(b'{"' + b"k" * 100_000 + b'": "\\u0000"}')
    assert len(str(caught.value)) < 200
