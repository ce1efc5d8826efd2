"""Data generated from declared inputs: to try a body without samples, and to find how long its prompt can get."""

from typing import Any

__all__ = ["Longest", "build_bare", "build_full", "find_type"]

_MAX_DEPTH = 12
_MAX_TEXT = 4_000_000


def build_full(schema: Any, depth: int = 0) -> Any:
    """Return a small value with everything that the schema describes: one item per list, every property."""
    schema = schema if isinstance(schema, dict) and depth < _MAX_DEPTH else {}
    for key in ("default", "const"):
        if key in schema and schema[key] not in ("", [], {}, None, False):
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = find_type(schema)
    if kind == "array":
        return [build_full(schema.get("items", {}), depth + 1)] * max(1, min(int(schema.get("minItems", 1)), 10))
    if kind == "object":
        return {name: build_full(part, depth + 1) for name, part in schema.get("properties", {}).items()}
    return {"integer": max(1, int(schema.get("minimum", 1))), "number": 1.5, "boolean": True, "null": None}.get(
        kind, "x"
    )


def build_bare(schema: Any) -> Any:
    """Return the emptiest value of the same type."""
    schema = schema if isinstance(schema, dict) else {}
    if "const" in schema or schema.get("enum"):
        return schema["const"] if "const" in schema else schema["enum"][-1]
    if find_type(schema) == "object":
        needed = schema.get("required", [])
        return {name: build_bare(part) for name, part in schema.get("properties", {}).items() if name in needed}
    return {"array": [], "integer": 0, "number": 0, "boolean": False, "null": None}.get(find_type(schema), "")


def find_type(schema: dict[str, Any]) -> str:
    """Return the type of a schema's values; string if the schema doesn't say."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        kinds = next((kind for kind in kinds if kind != "null"), "null")
    if isinstance(kinds, str):
        return kinds
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema else "string"


class Longest:
    """The longest value of each schema. `unbounded` collects the paths without a limit."""

    def __init__(self) -> None:
        self.unbounded: list[str] = []
        self.size = 0

    def value(self, schema: Any, path: str, depth: int = 0) -> Any:
        schema = schema if isinstance(schema, dict) and depth < _MAX_DEPTH else {}
        choices = [schema["const"]] if "const" in schema else schema.get("enum")
        if choices:
            return max(choices, key=lambda choice: len(str(choice)))
        kind = find_type(schema)
        if kind == "array":
            return self._build_array(schema, path, depth)
        if kind == "object":
            if schema.get("additionalProperties", True) is not False and not schema.get("properties"):
                self.unbounded.append(path)
            parts = schema.get("properties", {})
            return {name: self.value(part, f"{path}.{name}", depth + 1) for name, part in parts.items()}
        if kind == "string":
            return self._build_string(schema, path)
        return {"integer": 10**15, "number": 1.5e15, "boolean": True}.get(kind)

    def _build_string(self, schema: dict[str, Any], path: str) -> str:
        limit = schema.get("maxLength")
        if not isinstance(limit, int):
            self.unbounded.append(path)
            return "x"
        self.size += limit
        return "x" * min(limit, max(0, _MAX_TEXT - self.size + limit))

    def _build_array(self, schema: dict[str, Any], path: str, depth: int) -> list[Any]:
        limit = schema.get("maxItems")
        item = self.value(schema.get("items", {}), f"{path}[]", depth + 1)
        if not isinstance(limit, int):
            self.unbounded.append(path)
            return [item]
        self.size += limit * len(str(item))
        return [item] * min(limit, 10_000)
