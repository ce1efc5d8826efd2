"""JSON Schema for checking data: unusable schemas are refused as such."""

from typing import Any

import pytest

from promptuary.renderer.schemas import validation


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"if": {"type": "boolean"}, "else": {"$ref": "#"}, "unevaluatedItems": {"minItems": 2}},
        {"anyOf": [{"if": {"prefixItems": [{"type": "integer"}], "$ref": "#"}, "else": {"type": "array"}}]},
    ],
)
def test_a_schema_that_refers_to_itself_without_end_is_unusable(schema: dict[str, Any]) -> None:
    with pytest.raises(validation.Unusable, match="without end"):
        list(validation.find_errors(schema, "A1"))


@pytest.mark.parametrize("depth", range(8))
def test_it_is_unusable_however_deep_the_stack_is_then(depth: int) -> None:
    schema = {"if": {"type": "boolean"}, "then": {}, "else": {"$ref": "#"}, "contains": {"type": "string"}}

    def check_below(levels: int) -> list[Any]:
        return check_below(levels - 1) if levels else list(validation.find_errors(schema, "A1"))

    with pytest.raises(validation.Unusable, match="without end"):
        check_below(depth)


def test_a_schema_that_ends_with_its_value_is_used() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    assert list(validation.find_errors(tree, {"next": {"next": {}}})) == []
    assert len(list(validation.find_errors(tree, {"next": {"next": 1}}))) == 1
