"""The truncation plan: decides from the parts' lengths and priorities which ones stay in the prompt."""

from collections.abc import Callable, Sequence
from operator import attrgetter

from promptuary.renderer.part import Part

__all__ = ["Plan", "Shorten"]

Shorten = Callable[[Part, int], tuple[Part, int]]
"""Shortens a part to this many tokens; returns the shorter part and its tokens."""
_priority_of: Callable[[Part], int] = attrgetter("truncation_priority")


class Plan:
    """The state of one truncation.

    Parts that are cut together are a unit: a single part, or with `keep_pairs` a user's turn and its answers. `stays`
    says for each part whether it stays; `shorter` has the parts that stay shortened, with their tokens.
    """

    __slots__ = ("_costs", "_counts", "_members", "_next", "_order", "_parts", "shorter", "stays")

    def __init__(
        self, parts: Sequence[Part], counts: list[int], costs: list[int], *, keep_last: int, keep_pairs: bool
    ) -> None:
        self._parts, self._counts, self._costs = parts, counts, costs
        self.stays = [True] * len(parts)
        self.shorter: dict[int, tuple[Part, int]] = {}
        self._members: dict[int, list[int]] = {}
        self._next = 0
        priorities = list(map(_priority_of, parts))
        candidates = [index for index, priority in enumerate(priorities) if priority > 0]
        if keep_pairs or keep_last > 0:
            latest = candidates[-keep_last:] if keep_last > 0 else []
            candidates = (
                self._pair_turns(candidates, set(latest)) if keep_pairs else candidates[: len(candidates) - len(latest)]
            )
        # Highest first, and within one priority in the template's order.
        is_one = not candidates or priorities.count(priorities[candidates[0]]) == len(candidates)
        self._order = candidates if is_one else sorted(candidates, key=lambda index: -priorities[index])

    def _pair_turns(self, candidates: list[int], latest: set[int]) -> list[int]:
        """Join each user's turn with what follows, up to the next; a unit with a protected part is kept whole."""
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
        return [head for head in heads if latest.isdisjoint(self._members[head])]

    def _find_unit(self, head: int) -> Sequence[int]:
        return self._members.get(head) or (head,)

    def _sum_costs(self, head: int) -> int:
        return sum(map(self._costs.__getitem__, self._find_unit(head)))

    @property
    def exhausted(self) -> bool:
        """Whether nothing more may be cut."""
        return self._next >= len(self._order)

    def take(self, need: int, shorten: Shorten) -> None:
        """Cut units in order until `need` tokens are gone, or all are cut."""
        parts, costs, stays, members, order, at = (
            self._parts,
            self._costs,
            self.stays,
            self._members,
            self._order,
            self._next,
        )
        if need <= 0 or at == len(order):
            return
        head = order[at]
        for head in order[at:] if at else order:
            if members or parts[head].shrink:
                need -= self._leave(head, need, shorten)
            else:
                stays[head] = False
                need -= costs[head]
            if need <= 0:
                break
        self._next = order.index(head, at) + 1
        if need == 0:
            self._drop_empty()

    def _leave(self, head: int, need: int, shorten: Shorten) -> int:
        """Shorten or remove a unit; returns the tokens saved."""
        saved_tokens = self._shorten(head, need, shorten) if self._parts[head].shrink else None
        return self._drop(head) if saved_tokens is None else saved_tokens

    def _shorten(self, head: int, need: int, shorten: Shorten) -> int | None:
        """Shorten the part instead of removing it, if something of it would be left; returns the tokens saved."""
        part, count = self._parts[head], self._counts[head]
        target = max(part.min_tokens, count - need)
        if not isinstance(part.content, str) or len(self._find_unit(head)) > 1 or target <= 0:
            return None
        if target >= count:
            return 0
        self.shorter[head] = shorten(part, target)
        return count - self.shorter[head][1]

    def _drop(self, head: int) -> int:
        """Remove a unit; returns the tokens saved."""
        for index in self._find_unit(head):
            self.stays[index] = False
        return self._sum_costs(head)

    def _drop_empty(self) -> None:
        """Remove the rest of a run of adjacent units too, if everything left of it is empty."""
        end = self._next
        while end < len(self._order) and self._goes_on(end):
            if self._sum_costs(self._order[end]):
                return
            end += 1
        for head in self._order[self._next : end]:
            self._drop(head)
        self._next = end

    def _goes_on(self, at: int) -> bool:
        """Whether the unit at this position is adjacent to the one before it and has the same priority."""
        head, last = self._order[at], self._find_unit(self._order[at - 1])[-1]
        return head == last + 1 and self._parts[head].truncation_priority == self._parts[last].truncation_priority
