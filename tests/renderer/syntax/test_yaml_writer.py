"""The mirror's YAML parses back to exactly the same values."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.syntax import yaml_writer
from promptuary.renderer.syntax.yaml_reader import Bounds, compose, read_value

_texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    [
        "a\nb",
        "a\nb\n",
        "\na",
        " a\nb",
        "a\n \nb",
        "a\n\n",
        "null",
        "true",
        "1e3",
        "~",
        "- a",
        "a: b",
        "#",
        "a\tb\nc",
        "",
    ]
)
_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
    max_leaves=12,
)


def read(text):
    return read_value(compose(text, Bounds(depth=60, nodes=100_000)))


@given(st.dictionaries(_texts, _values, max_size=4))
def test_every_json_value_is_read_back_unchanged(value):
    assert read(yaml_writer.write_yaml(value)) == value


def test_keys_are_in_order_independently_of_the_order_given():
    assert yaml_writer.write_yaml({"b": 1, "a": 2}) == yaml_writer.write_yaml({"a": 2, "b": 1}) == "a: 2\nb: 1\n"


@given(st.dictionaries(_texts, _values, max_size=4))
def test_the_outer_keys_keep_their_order_when_asked_and_the_inner_ones_are_sorted(value):
    text = yaml_writer.write_yaml(value, sort_keys=False)
    assert list(read(text)) == list(value)
    assert read(text) == value
    pieces = "".join(yaml_writer.write_yaml({key: item}) for key, item in value.items())
    assert text == (pieces or yaml_writer.write_yaml(value))


def test_a_text_of_several_lines_is_written_line_by_line():
    assert yaml_writer.write_yaml({"note": "one\n\ntwo\n"}) == "note: |\n  one\n\n  two\n"


@pytest.mark.parametrize(
    "text", ["yes", "012", "2024-01-01", "1_000", "=", "<<", "!tag", "&a", "*a", "null", "\u0085", "x" * 3000]
)
def test_a_text_that_looks_like_something_else_stays_text(text):
    assert read(yaml_writer.write_yaml({"a": text, text: "a"})) == {"a": text, text: "a"}


def test_lists_of_mappings_stay_readable():
    assert (
        yaml_writer.write_yaml({"rows": [{"a": 1, "b": [True]}, []]})
        == "rows:\n  - a: 1\n    b:\n      - true\n  - []\n"
    )


def test_a_value_is_plain_json_after_the_way_through():
    value = {"deep": {"deeper": [{"x": [[[1.5]]]}]}}
    assert json.dumps(read(yaml_writer.write_yaml(value))) == json.dumps(value)
