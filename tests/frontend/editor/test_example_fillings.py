"""Example values made from the names and kinds of inputs."""

from typing import Any

import pytest

from frontend.editor.example_fillings import fill_with_examples


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "Example order"),
        ({"type": "string", "maxLength": 8}, "Example"),
        ({"type": "string", "format": "date"}, "2026-01-31"),
        ({"enum": ["warm", "formal"]}, "warm"),
        ({"const": 7}, 7),
        ({"type": "integer"}, 3),
        ({"type": "number", "minimum": 10}, 10),
        ({"type": "number", "maximum": 0.5}, 0.5),
        ({"type": "boolean"}, True),
        ({"type": "array", "items": {"type": "number"}}, [3, 3]),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, ["Example order 1"]),
        ({"type": "object", "properties": {"size": {"type": "integer"}}}, {"size": 3}),
        ({}, "Example order"),
    ],
)
def test_each_kind_has_a_value_that_its_schema_allows(schema, value):
    assert fill_with_examples({}, {"order": schema}) == {"order": value}


@pytest.mark.parametrize(
    ("name", "value"),
    [("promised_date", "2026-01-31"), ("email", "name@example.com"), ("shop_url", "https://example.com")],
)
def test_a_name_tells_what_a_text_looks_like(name, value):
    assert fill_with_examples({}, {name: {"type": "string"}}) == {name: value}


def test_values_and_defaults_stay_and_groups_are_completed():
    customer = {"type": "object", "properties": {"name": {"type": "string"}, "since": {"type": "integer"}}}
    schemas: dict[str, Any] = {
        "customer": customer,
        "tone": {"type": "string", "default": "warm"},
        "day": {"type": "string"},
    }
    values = {"customer": {"name": "Ada"}, "day": "Monday"}
    assert fill_with_examples(values, schemas) == {"customer": {"name": "Ada", "since": 3}, "day": "Monday"}


def test_earlier_messages_get_a_role_that_a_part_can_have():
    message = {"type": "object", "properties": {"role": {"type": "string"}, "content": {"type": "string"}}}
    schemas: dict[str, Any] = {
        "history": {"type": "array", "items": message, "maxItems": 1},
        "role": {"type": "string"},
        "last": message,
    }
    filled = fill_with_examples({"last": {"content": "Hi"}}, schemas)
    assert filled["history"] == [{"role": "user", "content": "Example content"}]
    assert filled["last"] == {"role": "user", "content": "Hi"}
    assert filled["role"] == "Example role"


def test_a_schema_that_refers_to_itself_ends():
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"]["next"] = schema
    value, depth = fill_with_examples({}, {"node": schema})["node"], 0
    while value:
        value, depth = value["next"], depth + 1
    assert depth == 4
