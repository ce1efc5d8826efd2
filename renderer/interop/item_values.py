"""What code of another program makes of an item of a loop: no single input can hold it, so it is a key of the item."""

import re
from collections.abc import Iterable, Sequence

from promptuary.renderer.interop.imported import Difference

__all__ = ["write_item_value"]

_METHODS = {name for kind in (str, dict, list) for name in dir(kind)}


def write_item_value(
    shown: str, paths: Iterable[str], items: Sequence[str], *, may_be_whole: bool = True, line: int | None = None
) -> tuple[str, Difference] | None:
    """Return the Jinja for an expression that is about an item, and the difference; None if it is about none.

    shown: the expression as it is spelled. paths: the values in it, as Jinja. items: the names of the items of the open
    loops. may_be_whole: an expression about a whole item prints the item; else it is a key of it too.
    """
    for path in paths:
        item = next((item for item in items if path == item or path.startswith((f"{item}.", f"{item}["))), None)
        if item is None:
            continue
        if path == item and may_be_whole:
            return item, Difference(f"`{shown}` prints the item as it is, without the code of its program", line)
        name = re.sub(r"\W+", "_", re.sub(rf"\b{re.escape(item)}\.", "", shown)).strip("_").lower()[:60] or "value"
        name = f"{name}_value" if name in _METHODS or name[0].isdigit() else name
        return f"{item}.{name}", Difference(
            f"`{shown}` is the key `{name}` of each item: give there what the code of its program makes", line
        )
    return None
