"""The decimals of figures shown side by side: as few as show that different figures differ."""

import math
from collections.abc import Iterable

__all__ = ["count_change_decimals", "count_decimals"]

_LIMIT = 6  # figures that are equal to so many decimals count as equal


def count_decimals(values: Iterable[float | None]) -> int:
    """The decimals that all these figures need: two, or one if all are 10 or more, and up to six if two different ones
    would otherwise look equal.
    """
    figures = [value for value in values if value is not None]
    fewest = 1 if figures and min(map(abs, figures)) >= 10 else 2
    distinct = len({f"{value:.{_LIMIT}f}" for value in figures})
    for decimals in range(fewest, _LIMIT):
        if len({f"{value:.{decimals}f}" for value in figures}) == distinct:
            return decimals
    return _LIMIT


def count_change_decimals(change: float) -> int:
    """The decimals that a difference needs: two, one from 10 on, up to six if its first digit would not be shown."""
    size = round(abs(change), _LIMIT)
    if size >= 10:
        return 1
    return max(2, math.ceil(-math.log10(size))) if size else 2
