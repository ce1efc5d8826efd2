"""The order of the tests in a run of several processes: each begins with its share of what is slow.

xdist cuts the list into as many even pieces as there are processes, which take tests from each other's ends when they
have none left. What is slow must not be left to the end, if one process would work and the others wait.
"""

from collections.abc import Hashable, Sequence
from typing import TypeVar

__all__ = ["spread_slow_groups"]

_Item = TypeVar("_Item")


def spread_slow_groups(
    items: Sequence[_Item], groups: Sequence[Hashable], slow: Sequence[bool], pieces: int
) -> list[_Item]:
    """The items in an order in which each of the even pieces begins with slow groups.

    groups: of each item, the module it is in; modules of nothing but slow items are spread over the pieces, and keep
    their items together. slow: whether each item is. All else stays in its order.
    """
    quick_groups = {group for group, is_slow in zip(groups, slow, strict=True) if not is_slow}
    slow_groups = [group for group in dict.fromkeys(groups) if group not in quick_groups]
    place_of = {group: position % pieces for position, group in enumerate(slow_groups)}
    rest = [item for item, group in zip(items, groups, strict=True) if group in quick_groups]
    ordered: list[_Item] = []
    for place in range(pieces):
        ordered += [item for item, group in zip(items, groups, strict=True) if place_of.get(group) == place]
        missing = max(0, len(items) * (place + 1) // pieces - len(ordered))
        ordered += rest[:missing]
        rest = rest[missing:]
    return ordered + rest
