"""An LRU cache for results that depend only on their key.

Caches can contain texts of templates, so each one is registered here and `forget_all` clears all of them, which a
redaction triggers in every process. A `Recent` registers itself; other caches are registered with `register_cache`.
"""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

__all__ = ["Recent", "forget_all", "register_cache"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


_memories: "weakref.WeakSet[Recent[Any, Any]]" = weakref.WeakSet()
_others: list[Callable[[], None]] = []


def register_cache(forget: Callable[[], None]) -> None:
    """Register a cache that can contain texts, by its clearing function: `register_cache(function.cache_clear)`."""
    if forget not in _others:
        _others.append(forget)


def forget_all() -> None:
    """Clear every cache of this process that can contain texts."""
    for memory in list(_memories):
        memory.forget()
    for forget in list(_others):
        forget()


class Recent(Generic[Key, Value]):
    """Keeps up to `limit` recently used results. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._generation = 0
        _memories.add(self)

    def forget(self) -> None:
        """Drop everything, and don't keep results that are being computed now."""
        with self._lock:
            self._kept.clear()
            self._generation += 1

    def get(self, key: Key, work: Callable[[], Value], *, keep: Callable[[Value], bool] = lambda _: True) -> Value:
        """The cached result for the key, else computed now and cached if `keep` allows it."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            generation = self._generation
        value = work()
        if keep(value):
            with self._lock:
                if generation != self._generation:
                    return value
                self._kept[key] = value
                while len(self._kept) > self._limit:
                    self._kept.popitem(last=False)
        return value
