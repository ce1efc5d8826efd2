"""Lazy imports of expensive packages, loaded on first use."""

import importlib
from types import ModuleType
from typing import Any

__all__ = ["Deferred"]


class Deferred(ModuleType):
    """Stands for a package until an attribute is wanted.

    Declared beside an import that only type checkers see, so that types and linters know the package:

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
