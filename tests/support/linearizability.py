"""Checks whether a history of concurrent operations on one compare-and-set register is linearizable.

A write names the expected value and the new one. `order` lists the successful writes with their writers in the order in
which the register says they took effect; each writer runs one operation at a time. A history is linearizable if every
operation has a point between its call and its return at which it fits: a successful write at its place in that order, a
refusal at a point when the register had the value that the refusal reported. (Herlihy and Wing 1990; with the order
known, checking is linear.)
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Operation", "fault_of"]


@dataclass(frozen=True)
class Operation:
    """One compare-and-set with the times of its call and its return, by one clock.
    `actual` is the value that a refusal reported."""

    who: str
    called: float
    returned: float
    expected: int
    target: int
    went_through: bool
    actual: int | None = None


def fault_of(first: int, history: Sequence[Operation], order: Sequence[tuple[str, int, int]]) -> str:
    """Why the history isn't linearizable, or nothing. first: the initial value; order: (who, expected, target)."""
    value = first
    for place, (_, expected, target) in enumerate(order):
        if expected != value:
            return f"write {place} replaced {expected} while the register held {value}"
        value = target
    writes, fault = _match_writes([one for one in history if one.went_through], order)
    if fault:
        return fault
    points, fault = _find_intervals(writes)
    if fault:
        return fault
    values = [first, *(target for _, _, target in order)]
    for one in history:
        if not one.went_through and (fault := _check_refusal(one, points, values)):
            return fault
    return ""


def _match_writes(done: Sequence[Operation], order: Sequence[tuple[str, int, int]]) -> tuple[list[Operation], str]:
    """The writes in the register's order; those of one writer are in the order of their calls."""
    waiting: dict[str, deque[Operation]] = {}
    for one in sorted(done, key=lambda one: one.called):
        waiting.setdefault(one.who, deque()).append(one)
    writes = []
    for place, (who, expected, target) in enumerate(order):
        theirs = waiting.get(who)
        first = theirs.popleft() if theirs else None
        if first is None or (first.expected, first.target) != (expected, target):
            return [], f"write {place}, {expected} to {target} by {who}, was reported by nobody"
        writes.append(first)
    left = sum(map(len, waiting.values()))
    return writes, f"{left} writes were reported that the register does not know" if left else ""


def _find_intervals(writes: Sequence[Operation]) -> tuple[list[tuple[float, float]], str]:
    """The interval in which each write can have taken effect, by its own times and its place in the order."""
    earliest: list[float] = []
    for one in writes:
        earliest.append(max([one.called, *earliest[-1:]]))
    latest: list[float] = []
    for one in reversed(writes):
        latest.append(min([one.returned, *latest[-1:]]))
    latest.reverse()
    for place, (start, end) in enumerate(zip(earliest, latest, strict=True)):
        if start > end:
            return [], f"write {place} took effect after a later one had returned, or before an earlier one was called"
    return list(zip(earliest, latest, strict=True)), ""


def _check_refusal(one: Operation, points: Sequence[tuple[float, float]], values: Sequence[int]) -> str:
    """Check that a refusal reported an unexpected value that the register may have had during the call."""
    if one.actual == one.expected:
        return f"a write expecting {one.expected} was refused although the register held it"
    least = bisect_right([end for _, end in points], one.called)  # this many writes had certainly taken effect before
    most = bisect_right([start for start, _ in points], one.returned)  # and at most this many can have
    if one.actual not in values[least : most + 1]:
        return f"a refusal reported {one.actual}, which the register did not hold between call and return"
    return ""
