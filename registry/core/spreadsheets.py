"""Cells of files that people open in a spreadsheet."""

from typing import Any

__all__ = ["neutralize_formula"]

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def neutralize_formula(value: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would run as a formula; anything else stays as it is."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value
