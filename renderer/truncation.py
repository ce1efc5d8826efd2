"""Truncation: which parts leave a prompt that is over its limit, in Hermes' order and by Hermes' step rule.

Let T be the prompt's tokens, L the limit and S the step. Over the limit, parts are taken away until
`ceil((T - L) / S) * S` tokens are gone: highest `truncation_priority` first, within a priority in the template's order,
priority 0 and below never. Whole parts go; one with `shrink` may be shortened instead. With a step above 1 the cut stays
where it is while a chat grows by less than a step, which keeps a model's prefix cache warm.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add

from renderer import layout, shrinking, targets
from renderer.counting import Tokenizer
from renderer.errors import TruncationError
from renderer.profiles import Profile
from renderer.prompt import Cut, Part

__all__ = ["Fitted", "fit"]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Parts that fit, counted; what was cut, in the template's order; and the prompt's tokens with its markup."""

    parts: list[Part]
    cuts: list[Cut]
    token_count: int


def fit(
    parts: Sequence[Part],
    tokenizer: Tokenizer,
    profile: Profile | None = None,
    *,
    limit: int | None = None,
    step: int = 1,
    keep_last: int = 0,
    keep_pairs: bool = False,
) -> Fitted:
    """Count parts and cut them down to `limit` tokens, markup included; None is no limit.

    `keep_last` protects the last so many parts that have a priority; `keep_pairs` takes a user's turn and its answers
    together. Raises TruncationError when the parts that may not be cut are over the limit by themselves.
    """
    counted = _counted(parts, profile, tokenizer)
    total = _total(counted, profile, tokenizer)
    if limit is None or total <= limit:
        return Fitted(counted, [], total)
    need = -(-(total - limit) // step) * step
    pairs = keep_pairs or bool(profile and profile.user_first)
    cutting = _Cutting(counted, profile, tokenizer, keep_last=keep_last, keep_pairs=pairs)
    left = cutting.take(need, total)
    if left > limit:
        raise _cannot_fit(cutting.kept(), left, limit)
    return Fitted(cutting.kept(), cutting.cuts(total - limit), left)


def _counted(parts: Sequence[Part], profile: Profile | None, tokenizer: Tokenizer) -> list[Part]:
    counts = targets.part_counts(parts, profile, tokenizer)
    return [
        part if part.token_count == count else _with_count(part, count)
        for part, count in zip(parts, counts, strict=True)
    ]


def _with_count(part: Part, count: int) -> Part:
    # What dataclasses.replace does, five times faster; a chat of thousands of turns feels the difference.
    return Part(
        part.name,
        part.role,
        part.content,
        part.truncation_priority,
        count,
        part.input_tokens,
        part.marks,
        part.shrink,
        part.min_tokens,
        part.line,
        part.frame,
    )


def _total(parts: Sequence[Part], profile: Profile | None, tokenizer: Tokenizer) -> int:
    return sum(part.token_count or 0 for part in parts) + targets.markup_count(parts, profile, tokenizer)


@dataclass(slots=True)
class _Unit:
    """Parts that go together: one, or with `keep_pairs` a user's turn and its answers. `cost` is in tokens."""

    indices: list[int]
    cost: int


class _Cutting:
    """One truncation at work: what may go, in order, and what has gone."""

    def __init__(
        self, parts: list[Part], profile: Profile | None, tokenizer: Tokenizer, *, keep_last: int, keep_pairs: bool
    ) -> None:
        self._parts = parts
        self._profile, self._tokenizer = profile, tokenizer
        self._dropped: set[int] = set()
        self._shortened: dict[int, Part] = {}
        self._costs = self._part_costs()
        self._units = _unit_runs(parts, self._costs, keep_last, keep_pairs)

    def _part_costs(self) -> list[int]:
        """What each part's leaving saves: its tokens, and the markup around a turn of its role."""
        counts = [part.token_count or 0 for part in self._parts]
        if layout.framed(self._parts, self._profile):
            return list(map(add, counts, targets.frame_counts(self._parts, self._profile, self._tokenizer)))
        if self._profile is None or self._profile.markup is None:
            return counts
        roles = {part.role for part in self._parts}
        around = {role: targets.turn_cost(role, self._profile, self._tokenizer) for role in roles}
        return [count + around[part.role] for count, part in zip(counts, self._parts, strict=True)]

    def kept(self) -> list[Part]:
        if not self._shortened:
            return [part for index, part in enumerate(self._parts) if index not in self._dropped]
        kept = ((index, part) for index, part in enumerate(self._parts) if index not in self._dropped)
        return [self._shortened.get(index, part) for index, part in kept]

    def take(self, need: int, total: int) -> int:
        """Take away `need` tokens or whatever there is; returns the tokens left."""
        left, goal = total, total - need
        runs = self._units
        for _ in range(len(self._parts) + 1):
            runs = self._take_once(left - goal, runs)
            if self._profile is None:
                left = total - self._gone()
            else:
                # Where a profile joins neighbours, a part's leaving saves less than its share: measure, go on if needed.
                left = _total(self.kept(), self._profile, self._tokenizer)
            if left <= goal or not runs:
                break
        return left

    def _gone(self) -> int:
        shortened = sum(self._costs[index] - (part.token_count or 0) for index, part in self._shortened.items())
        return sum(map(self._costs.__getitem__, self._dropped)) + shortened

    def _take_once(self, need: int, runs: list[list[_Unit]]) -> list[list[_Unit]]:
        """Take units in order until `need` tokens are gone; returns the runs not looked at."""
        for place, run in enumerate(runs):
            if sum(unit.cost for unit in run) <= need and not any(self._shrinks(unit) for unit in run):
                for unit in run:
                    self._dropped.update(unit.indices)
                    need -= unit.cost
                if need <= 0:
                    return runs[place + 1 :]
                continue
            for at, unit in enumerate(run):
                need -= self._take_unit(unit, need)
                if need <= 0:
                    return [run[at + 1 :], *runs[place + 1 :]] if run[at + 1 :] else runs[place + 1 :]
        return []

    def _shrinks(self, unit: _Unit) -> bool:
        return any(self._parts[index].shrink for index in unit.indices)

    def _take_unit(self, unit: _Unit, need: int) -> int:
        part = self._parts[unit.indices[0]]
        if len(unit.indices) == 1 and part.shrink and isinstance(part.content, str):
            count = part.token_count or 0
            wanted = max(part.min_tokens, count - need)
            if wanted >= count:
                return 0
            if wanted > 0:
                shorter = shrinking.shortened(part, wanted, self._tokenizer)
                shorter = _counted([shorter], self._profile, self._tokenizer)[0]
                self._shortened[unit.indices[0]] = shorter
                return count - (shorter.token_count or 0)
        self._dropped.update(unit.indices)
        return unit.cost

    def cuts(self, over: int) -> list[Cut]:
        """Say what was cut, in the template's order."""
        reasons: dict[int, str] = {}
        found = []
        for index, part in enumerate(self._parts):
            if index in self._dropped:
                reason = reasons.get(part.truncation_priority)
                if reason is None:
                    reason = f"dropped: priority {part.truncation_priority}, prompt {over} tokens over its limit"
                    reasons[part.truncation_priority] = reason
                found.append(Cut(part.name, index, part.token_count or 0, reason))
            elif index in self._shortened:
                saved = (part.token_count or 0) - (self._shortened[index].token_count or 0)
                where = "in the middle" if part.shrink == "middle" else f"at the {part.shrink}"
                reason = f"shortened {where}: priority {part.truncation_priority}, prompt {over} tokens over its limit"
                found.append(Cut(part.name, index, saved, reason))
        return found


def _unit_runs(parts: list[Part], costs: list[int], keep_last: int, keep_pairs: bool) -> list[list[_Unit]]:
    """The parts that may go, as runs of neighbours of one priority, in the order in which they go."""
    candidates = [index for index, part in enumerate(parts) if part.truncation_priority > 0]
    protected = set(candidates[len(candidates) - keep_last :] if keep_last > 0 else ())
    runs: list[tuple[int, list[_Unit]]] = []
    before = None
    for index in candidates:
        if index in protected and not keep_pairs:
            continue
        priority = parts[index].truncation_priority
        if before is not None and before == index - 1 and runs[-1][0] == priority:
            units = runs[-1][1]
            if keep_pairs and parts[index].role != "user":
                units[-1].indices.append(index)
                units[-1].cost += costs[index]
            else:
                units.append(_Unit([index], costs[index]))
        else:
            runs.append((priority, [_Unit([index], costs[index])]))
        before = index
    runs.sort(key=lambda run: -run[0])
    if keep_pairs and protected:
        # A turn of which one part is protected stays whole.
        spared = ([unit for unit in units if protected.isdisjoint(unit.indices)] for _, units in runs)
        return [units for units in spared if units]
    return [units for _, units in runs]


def _cannot_fit(kept: list[Part], left: int, limit: int) -> TruncationError:
    protected = [part.name for part in kept]
    named = ", ".join(f"{part.name} ({part.token_count})" for part in _largest(kept))
    more = f" and {len(kept) - 8} more" if len(kept) > 8 else ""
    message = (
        f"The prompt can't be cut to {limit} tokens: the parts that may not be cut take {left}, {left - limit} too many. "
        f"Largest of them: {named}{more}."
    )
    return TruncationError(message, protected=protected, shortfall=left - limit)


def _largest(parts: list[Part]) -> Iterator[Part]:
    return iter(sorted(parts, key=lambda part: -(part.token_count or 0))[:8])
