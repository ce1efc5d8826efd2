"""The order in which parts leave a prompt, carried out over running sums: lengths in, who stays out."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, compress
from operator import attrgetter
from typing import TypeVar

from renderer.prompt import Part

__all__ = ["Plan", "Shorten"]

Shorten = Callable[[Part, int], tuple[Part, int]]
"""Shortens a part to so many tokens; gives the shorter one and its tokens."""


class Plan:
    """One truncation at work.

    What goes together is a unit: one part, or with `keep_pairs` a user's turn and its answers. `stays` has a 1 for each
    part that stays, `shorter` the parts that stay shortened, with their tokens.
    """

    __slots__ = ("_costs", "_counts", "_members", "_next", "_order", "_parts", "_sums", "shorter", "stays")

    def __init__(
        self, parts: Sequence[Part], counts: list[int], costs: list[int], *, keep_last: int, keep_pairs: bool
    ) -> None:
        self._parts, self._counts, self._costs = parts, counts, costs
        self.stays = bytearray(b"\1") * len(parts)
        self.shorter: dict[int, tuple[Part, int]] = {}
        priorities = [part.truncation_priority for part in parts]
        self._members: dict[int, list[int]] = {}
        self._next = 0
        if keep_pairs or keep_last > 0:
            candidates = _above_zero(priorities)
            kept = candidates[-keep_last:] if keep_last > 0 else []
            left = self._pair(candidates, set(kept)) if keep_pairs else candidates[: len(candidates) - len(kept)]
            self._order = _by_priority(left, priorities)
        else:
            self._order = _together(priorities) or _by_priority(_above_zero(priorities), priorities)
        self._sums = list(accumulate(map(self._cost, self._order) if keep_pairs else _picked(costs, self._order)))

    def _pair(self, candidates: list[int], kept: set[int]) -> list[int]:
        """Join each user's turn with what follows it, up to the next; a unit that holds a kept part stays whole."""
        heads: list[int] = []
        before = -2
        for index in candidates:
            part = self._parts[index]
            goes_on = before == index - 1 and self._parts[before].truncation_priority == part.truncation_priority
            if goes_on and part.role != "user":
                self._members[heads[-1]].append(index)
            else:
                heads.append(index)
                self._members[index] = [index]
            before = index
        return [head for head in heads if kept.isdisjoint(self._members[head])]

    def _unit(self, head: int) -> Sequence[int]:
        return self._members.get(head) or (head,)

    def _cost(self, head: int) -> int:
        return sum(map(self._costs.__getitem__, self._unit(head)))

    @property
    def exhausted(self) -> bool:
        """Whether nothing more may go."""
        return self._next >= len(self._order)

    def take(self, need: int, shorten: Shorten) -> None:
        """Take units in order until `need` tokens are gone, or all there are."""
        goal = need + (self._sums[self._next - 1] if self._next else 0)
        end = bisect_left(self._sums, goal, self._next) + 1
        if any(map(_shrink_of, _picked(self._parts, self._order[self._next : end]))):
            self._take_one_by_one(need, shorten)
            return
        if end <= len(self._sums) and self._sums[end - 1] == goal:
            end = self._past_empty(end)
        self._drop(self._order[self._next : end])
        self._next = end

    def _past_empty(self, end: int) -> int:
        """A run of neighbours that is needed whole goes whole, with the empty parts at its end."""
        at = end
        while at < len(self._order) and self._goes_on(at):
            if self._cost(self._order[at]):
                return end
            at += 1
        return at

    def _goes_on(self, at: int) -> bool:
        """Whether the unit at this place of the order is the next neighbour of the one before, of the same priority."""
        head, last = self._order[at], self._unit(self._order[at - 1])[-1]
        return head == last + 1 and self._parts[head].truncation_priority == self._parts[last].truncation_priority

    def _drop(self, heads: Sequence[int]) -> None:
        stays = self.stays
        if isinstance(heads, range):
            stays[heads.start : heads.stop] = bytes(len(heads))
        else:
            for head in heads:
                stays[head] = 0
        for head in heads if self._members else ():
            for index in self._members[head]:
                stays[index] = 0

    def _take_one_by_one(self, need: int, shorten: Shorten) -> None:
        while need > 0 and not self.exhausted:
            head = self._order[self._next]
            self._next += 1
            part, count = self._parts[head], self._counts[head]
            wanted = max(part.min_tokens, count - need)
            if not part.shrink or not isinstance(part.content, str) or len(self._unit(head)) > 1 or wanted <= 0:
                self._drop([head])
                need -= self._cost(head)
            elif wanted < count:
                self.shorter[head] = shorten(part, wanted)
                need -= count - self.shorter[head][1]
        if need == 0 and self._next:
            end = self._past_empty(self._next)
            self._drop(self._order[self._next : end])
            self._next = end


_shrink_of = attrgetter("shrink")
Value = TypeVar("Value")


def _above_zero(priorities: list[int]) -> list[int]:
    if priorities and min(priorities) < 0:
        return [index for index, priority in enumerate(priorities) if priority > 0]
    return list(compress(range(len(priorities)), priorities))


def _together(priorities: list[int]) -> range | None:
    """The places that may go where they are neighbours of one priority, as in most chats: they need no sorting."""
    highest = max(priorities, default=0)
    if highest <= 0:
        return None
    first, count = priorities.index(highest), priorities.count(highest)
    if priorities.count(0) + count < len(priorities) or priorities[first : first + count].count(highest) < count:
        return None  # others may go as well, or something stands between
    return range(first, first + count)


def _picked(values: Sequence[Value], indices: Sequence[int]) -> Iterable[Value]:
    if isinstance(indices, range):
        return values[indices.start : indices.stop]
    return map(values.__getitem__, indices)


def _by_priority(indices: list[int], priorities: list[int]) -> Sequence[int]:
    """Ascending indices by priority, highest first, within one in the template's order."""
    if not indices or priorities.count(priorities[indices[0]]) == len(indices):
        return indices
    return sorted(indices, key=lambda index: -priorities[index])
