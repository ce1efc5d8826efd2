"""The fast check agrees with the full validator whenever it gives an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from promptuary.renderer.errors import InputError
from promptuary.renderer.schemas.fast_check import build_acceptor, is_plain
from promptuary.renderer.values.json_values import check_plain

numbers = st.one_of(st.integers(-3, 3), st.sampled_from([0.0, 1.0, 1.5, -2.0, float("nan"), float("inf")]))
texts = st.sampled_from(["", "a", "ab", "abc", "\ud800", "é"])
values = st.recursive(
    st.one_of(texts, numbers, st.booleans(), st.none(), st.just(b"x"), st.just((1,))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["x", "y", "z"]), inner, max_size=3)
    ),
    max_leaves=6,
)
small = st.integers(0, 2)
simple = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {"type": st.just("string")}, optional={"minLength": small, "maxLength": small, "title": st.just("t")}
    ),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])}, optional={"minimum": small, "maximum": small}
    ),
    st.fixed_dictionaries({"type": st.sampled_from(["boolean", "null"])}),
    st.fixed_dictionaries(
        {"type": st.lists(st.sampled_from(["string", "null", "integer", "array", "object"]), min_size=1, unique=True)}
    ),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from(["a", "ab", ""]), min_size=1, unique=True)}),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from([1, True, 0.0, "a"]), min_size=1, max_size=2)}),
    st.fixed_dictionaries({"pattern": st.just("a"), "type": st.just("string")}),
    st.fixed_dictionaries({"maxLength": small}),
)
schemas = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("array")}, optional={"items": inner, "minItems": small, "maxItems": small}
        ),
        st.fixed_dictionaries(
            {"type": st.just("object")},
            optional={
                "properties": st.dictionaries(st.sampled_from(["x", "y"]), inner, max_size=2),
                "required": st.lists(st.sampled_from(["x", "y"]), max_size=2, unique=True),
                "additionalProperties": st.one_of(st.booleans(), inner),
            },
        ),
    ),
    max_leaves=4,
)


def plain(value):
    try:
        check_plain(value)
    except InputError:
        return False
    return True


@given(schema=schemas, value=values)
def test_a_quick_yes_is_a_yes_of_the_validator(schema, value):
    accept = build_acceptor(schema)
    if accept is not None and accept(value):
        assert plain(value)
        Draft202012Validator(schema).validate(value)


@given(value=values)
def test_plain_values_are_plain_by_both_checks(value):
    assert not is_plain(value) or plain(value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, {"a": [1, None, "x", 1.5, True]}),
        ({"type": "string", "maxLength": 2}, "ab"),
        (
            {"type": "array", "items": {"type": "object", "properties": {"t": {"type": "string"}}, "required": ["t"]}},
            [{"t": "x"}] * 3,
        ),
        ({"enum": ["a", "b"]}, "b"),
        ({"type": "integer", "minimum": 0}, 3),
        ({"type": ["string", "null"]}, None),
    ],
)
def test_common_data_get_a_quick_yes(schema, value):
    assert build_acceptor(schema)(value)


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "a"},
        {"anyOf": []},
        {"type": "string", "format": "date"},
        {"enum": [1]},
        {"maxLength": 1},
        {"$ref": "#/$defs/x"},
        {"type": ["number", {}]},
        {"type": [["string"]]},
        True,
    ],
)
def test_other_schemas_are_left_to_the_validator(schema):
    assert build_acceptor(schema) is None


odd = st.one_of(st.integers(-1, 2), st.just("x"), st.just(True), st.just([]), st.just({}), st.just(1.5), st.none())


@given(
    schema=st.dictionaries(
        st.sampled_from(["type", "enum", "minLength", "maxItems", "minimum", "required", "properties", "items", "title",
            "description", "examples"]),
        st.one_of(odd, st.sampled_from(["string", "array", "object", ["string", "null"], ["x", "x"], [["string"]]])),
        max_size=3,
    )
)  # fmt: skip
def test_a_schema_with_a_quick_check_is_a_sound_one(schema):
    if build_acceptor(schema) is not None:
        Draft202012Validator.check_schema(schema)
