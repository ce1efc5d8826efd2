"""Optional packages, imported when a metric first needs them."""

import importlib
from types import ModuleType

from promptuary.evaluation.errors import MetricUnavailable

__all__ = ["import_optional"]


def import_optional(module: str, *, extra: str) -> ModuleType:
    """Import a module of an optional package. Raises MetricUnavailable, which says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MetricUnavailable(f"{module} is not installed: pip install 'promptuary[{extra}]'") from error
