"""Memory of roles for one request that only reads: each is asked of the database once, however often it is needed.

Without it everything works the same with more queries. A request that writes must not use it, since a role may change
between its checks.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

from django.db.models import Model

__all__ = ["remember_roles", "remembered"]

P = ParamSpec("P")
R = TypeVar("R")
_known: ContextVar[dict[tuple[object, ...], object] | None] = ContextVar("known_roles", default=None)


@contextlib.contextmanager
def remember_roles() -> Iterator[None]:
    """Remember what `remembered` functions read until the block ends; what they read before is not used."""
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def remembered(read: Callable[P, R]) -> Callable[P, R]:
    """Have a function that reads something of its positional arguments, rows and hashable values, do so once in a block
    of `remember_roles`.
    """

    @functools.wraps(read)
    def read_once(*args: P.args, **kwargs: P.kwargs) -> R:
        known = _known.get()
        if known is None or kwargs:
            return read(*args, **kwargs)
        key = (read.__name__, *((type(it).__name__, it.pk) if isinstance(it, Model) else it for it in args))
        if key not in known:
            known[key] = read(*args, **kwargs)
        found: R = known[key]  # type: ignore[assignment]  # what this function gave for these rows
        return found

    return read_once
