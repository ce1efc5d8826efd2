"""A placeholder for a missing value that supports almost any use, so that a body can be tried without data."""

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["StandIn", "StandIns"]


class StandIn:
    """Answers every question with `truth`, prints as `x` or nothing accordingly, and iterates once or never."""

    __slots__ = ("_iterates", "_truth")

    def __init__(self, truth: bool, iterates: bool) -> None:
        self._truth = truth
        self._iterates = iterates

    def _return_self(self, *args: Any, **kwargs: Any) -> "StandIn":
        return self

    def _answer(self, other: Any = None) -> bool:
        return self._truth

    def __str__(self) -> str:
        return "x" if self._truth else ""

    def __getattr__(self, name: str) -> "StandIn":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self) -> Iterator["StandIn"]:
        return iter([self] if self._iterates else [])

    def __len__(self) -> int:
        return int(self._iterates)

    def __int__(self) -> int:
        return 1

    def __float__(self) -> float:
        return 1.0

    def __index__(self) -> int:
        return 1

    def __hash__(self) -> int:
        return 0

    def __format__(self, spec: str) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return self._truth

    __repr__ = __str__
    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _answer
    __call__ = __getitem__ = __neg__ = __pos__ = __abs__ = __round__ = _return_self
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = _return_self
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __pow__ = __rpow__ = _return_self


class StandIns(Mapping[str, Any]):
    """Data in which the requested names are stand-ins."""

    def __init__(self, names: frozenset[str], *, truth: bool, iterates: bool) -> None:
        self._names = names
        self._value = StandIn(truth, iterates)

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._value

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
