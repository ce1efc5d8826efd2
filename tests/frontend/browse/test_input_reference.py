"""The description in words of what callers must send."""

import pytest

from frontend.browse import input_reference


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "maxLength": 4000}, "text, up to 4,000"),
        ({"type": "string", "minLength": 1, "maxLength": 80}, "text, 1 to 80"),
        ({"type": "integer", "minimum": 1}, "whole number, from 1"),
        ({"type": "boolean"}, "yes or no"),
        ({"type": "array"}, "list"),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 8}, "list of texts, up to 8"),
        ({"type": "object", "required": ["name", "plan"]}, "group with name and plan"),
        ({"enum": ["formal", "warm"]}, "formal or warm"),
        ({"type": ["string", "null"]}, "text or nothing"),
        ({"const": 3}, "always 3"),
        ({}, "anything"),
    ],
)
def test_a_schema_is_described_in_a_few_words(schema, words):
    assert input_reference.describe_schema(schema) == words


def test_required_is_what_has_no_default():
    contract = input_reference.describe_inputs(
        {"a": {"type": "string"}, "b": {"type": "string", "default": "x"}}, None, 3
    )
    assert [(row.name, row.required, row.default) for row in contract.rows] == [("a", True, ""), ("b", False, "x")]
    assert contract.summary == "what callers must send to v3: 1 required, 1 with a default"


def test_examples_come_from_the_sample_and_are_short():
    inputs = {"a": {"type": "string"}, "b": {"type": "array"}, "c": {"type": "object"}}
    sample = {"a": "word " * 50, "b": [1], "c": {"name": "Harbour Books"}}
    examples = [row.example for row in input_reference.describe_inputs(inputs, sample, 1).rows]
    assert examples[0].endswith("…")
    assert examples[1:] == ["1 item", "name: Harbour Books"]


def test_no_declared_inputs_make_an_empty_table():
    assert input_reference.describe_inputs(None, {"a": 1}, 1).rows == ()


@pytest.mark.parametrize(
    ("value", "expected_text"),
    [
        (
            "boots that were bought in the sale last week and that have come loose",
            "boots that were bought in the sale last week and that have…",
        ),
        ("a" * 80, "a" * 59 + "…"),
        ("a" * 60, "a" * 60),
    ],
)
def test_an_example_is_cut_between_two_words(value, expected_text):
    [row] = input_reference.describe_inputs({"question": {"type": "string"}}, {"question": value}, 1).rows
    assert row.example == expected_text
