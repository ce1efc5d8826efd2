"""Lazy imports of expensive packages, loaded on first use."""

import importlib
from types import ModuleType
from typing import Any

__all__ = ["Deferred"]


class Deferred(ModuleType):
    """Stands in for a package until an attribute is used.

    Declared next to an import for type checkers and linters only:

        if TYPE_CHECKING:
            import jsonschema
        else:
            jsonschema = Deferred("jsonschema")
    """

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module(self.__name__)
        value = getattr(module, name)
        setattr(self, name, value)
        return value
