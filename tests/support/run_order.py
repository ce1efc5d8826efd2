"""The order of the tests in a run with several processes: each starts with its share of the slow ones.

xdist splits the list into even pieces, one per process. A process without tests takes some from the end of another's
piece. Slow tests must not be last, or one process would work while the others wait.
"""

from collections.abc import Hashable, Sequence
from typing import TypeVar

__all__ = ["spread_slow_groups"]

_Item = TypeVar("_Item")


def spread_slow_groups(
    items: Sequence[_Item], groups: Sequence[Hashable], slow: Sequence[bool], pieces: int
) -> list[_Item]:
    """Order the items so that each of the even pieces begins with slow groups.

    groups: the module of each item; modules that contain only slow items are spread over the pieces and kept together.
    slow: whether each item is slow. All other items keep their order.
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
