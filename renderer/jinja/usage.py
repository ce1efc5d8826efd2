"""Uses of a value in a text, and the JSON Schema that fits them."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Usage"]

_MAX_PROPERTIES = 64


@dataclass
class Usage:
    """How a value is used. `properties` are the keys read from it, `items` is how each of its items is used.

    `is_any`: it is written as JSON, which any value can be.
    """

    properties: dict[str, "Usage"] = field(default_factory=dict)
    items: "Usage | None" = None
    is_group: bool = False
    is_any: bool = False
    is_number: bool = False
    is_text: bool = False
    is_printed: bool = False
    is_tested: bool = False
    is_compared: bool = False
    default: Any = None
    has_default: bool = False

    def key(self, name: str) -> "Usage":
        """Return the usage of one key."""
        self.is_group = True
        if len(self.properties) >= _MAX_PROPERTIES:
            return self.properties.get(name, Usage())
        return self.properties.setdefault(name, Usage())

    def item(self) -> "Usage":
        """Return the usage of each item."""
        if self.items is None:
            self.items = Usage()
        return self.items

    @property
    def kind(self) -> str:
        """Return the JSON Schema type that best fits all uses."""
        if self.items is not None and not self.properties:
            return "array"
        if self.is_group:
            return "object"
        if self.is_number and not self.is_text:
            return "number"
        if self.is_tested and not (self.is_printed or self.is_text or self.is_compared):
            return "boolean"
        return "string"

    @property
    def reason(self) -> str:
        """Explain the type as a phrase for authors."""
        if self.kind == "array":
            return "used as a list"
        if self.kind == "object":
            return "its fields are used"
        if self.kind == "number":
            return "used in a calculation"
        if self.kind == "boolean":
            return "only tested with if"
        return "compared with words" if self.is_compared and not self.is_printed else "inserted as text"

    def schema(self, depth: int = 0) -> dict[str, Any]:
        """Return a matching JSON Schema. Keys that have a default in the text aren't required."""
        is_plain = self.kind == "string" and not (self.is_printed or self.is_text or self.is_compared)
        schema: dict[str, Any] = {} if self.is_any and is_plain else {"type": self.kind}
        if self.kind == "array":
            schema["items"] = (self.items or Usage()).schema(depth + 1) if depth < 6 else {}
        elif self.kind == "object" and self.properties:
            schema["properties"] = {name: usage.schema(depth + 1) for name, usage in self.properties.items()}
            required = [name for name, usage in self.properties.items() if not usage.has_default]
            if required:
                schema["required"] = required
        if self.has_default and depth == 0:
            schema["default"] = self._find_fitting_default()
        return schema

    def _find_fitting_default(self) -> Any:
        fits = {"array": list, "object": dict, "number": int | float, "boolean": bool, "string": str}[self.kind]
        empty = {"array": [], "object": {}, "number": 0, "boolean": False, "string": ""}[self.kind]
        is_number_for_truth = self.kind == "number" and isinstance(self.default, bool)
        return self.default if isinstance(self.default, fits) and not is_number_for_truth else empty
