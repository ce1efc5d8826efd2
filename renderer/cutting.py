"""The order in which parts leave a prompt, carried out over running sums: lengths in, who stays out."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, compress
from operator import attrgetter

from renderer.prompt import Part

__all__ = ["Plan", "Shorten"]

Shorten = Callable[[Part, int], tuple[Part, int]]
"""Shortens a part to so many tokens; gives the shorter one and its tokens."""


class Plan:
    """One truncation at work.

    What goes together is a unit: one part, or with `keep_pairs` a user's turn and its answers. `stays` has a 1 for each
    part that stays, `shorter` the parts that stay shortened, with their tokens.
    """

    def __init__(
        self, parts: Sequence[Part], counts: list[int], costs: list[int], *, keep_last: int, keep_pairs: bool
    ) -> None:
        self._parts, self._counts, self._costs = parts, counts, costs
        self.stays = bytearray(b"\1") * len(parts)
        self.shorter: dict[int, tuple[Part, int]] = {}
        priorities = [part.truncation_priority for part in parts]
        candidates = _above_zero(priorities)
        kept = set(candidates[-keep_last:]) if keep_last > 0 else set()
        self._members: dict[int, list[int]] = {}
        if keep_pairs:
            candidates = self._pair(candidates, kept)
        elif kept:
            candidates = candidates[:-keep_last]
        self._order = _by_priority(candidates, priorities)
        self._sums = list(accumulate(map(self._cost, self._order) if keep_pairs else _picked(costs, self._order)))
        self._shrinks = any(map(_shrink_of, parts))
        self._next = 0

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
        if self._shrinks:
            self._take_one_by_one(need, shorten)
            return
        goal = need + (self._sums[self._next - 1] if self._next else 0)
        end = bisect_left(self._sums, goal, self._next) + 1
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


def _above_zero(priorities: list[int]) -> list[int]:
    if priorities and min(priorities) < 0:
        return [index for index, priority in enumerate(priorities) if priority > 0]
    return list(compress(range(len(priorities)), priorities))


def _picked(values: list[int], indices: Sequence[int]) -> Iterable[int]:
    if isinstance(indices, range):
        return values[indices.start : indices.stop]
    return map(values.__getitem__, indices)


def _by_priority(indices: list[int], priorities: list[int]) -> Sequence[int]:
    """Ascending indices by priority, highest first, within one in the template's order."""
    if not indices or priorities.count(priorities[indices[0]]) == len(indices):
        # Neighbours of one priority, as in most chats, are a range, which is cut without looking at each.
        together = indices and indices[-1] - indices[0] == len(indices) - 1
        return range(indices[0], indices[-1] + 1) if together else indices
    return sorted(indices, key=lambda index: -priorities[index])
