"""Truncation: which parts of a prompt over its limit are removed, in Hermes' order and by Hermes' step rule.

Let T be the prompt's tokens, L the limit and S the step. Over the limit, parts are removed until `ceil((T - L) / S) *
S` tokens are gone: highest `truncation_priority` first, within a priority in the template's order, priority 0 and below
never. Parts are removed whole, but one with `shrink` may be shortened instead. With a step above 1 the cut stays the
same while a chat grows by less than a step, which preserves a model's prefix cache.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import add, attrgetter

from promptuary.renderer.errors import InputError, TruncationError
from promptuary.renderer.output import targets
from promptuary.renderer.part import Counts, Part
from promptuary.renderer.profiles import Profile
from promptuary.renderer.prompt import Cut
from promptuary.renderer.tokens.base import Tokenizer
from promptuary.renderer.tokens.lazy import LazyTokenizer
from promptuary.renderer.truncation import plan as truncation_plan
from promptuary.renderer.truncation import shrink as truncation_shrink

__all__ = ["FittedParts", "choose_step", "choose_token_limit", "fit_parts", "leave_reserve"]

_count_of: Callable[[Part], int] = attrgetter("token_count")


@dataclass(frozen=True, slots=True)
class FittedParts:
    """Parts that fit; what was cut, in the template's order; and the prompt's tokens including markup.

    A prompt that is certain to fit is counted on demand.
    """

    parts: list[Part]
    cuts: list[Cut]
    counts: Counts

    @property
    def token_count(self) -> int:
        """The prompt's tokens, including markup."""
        return self.counts.total


@dataclass(frozen=True, slots=True)
class _Ruler:
    """Measures a prompt: has the profile whose markup counts, or the parts' own (`framed`), and the tokenizer."""

    profile: Profile | None
    tokenizer: Tokenizer
    framed: bool

    def counts(self, parts: Sequence[Part]) -> list[int]:
        return targets.count_parts(parts, self.profile, self.tokenizer)

    def surely_fits(self, parts: Sequence[Part], limit: int | None) -> bool:
        """Whether the parts fit in any case, judging without a loaded vocabulary."""
        if not isinstance(self.tokenizer, LazyTokenizer):
            return False
        bound = targets.bound_tokens(parts, self.profile, self.tokenizer)
        return limit is None or bound <= limit

    def markup(self, parts: Sequence[Part]) -> int:
        if self.profile is None and not self.framed:
            return 0
        return targets.count_markup(parts, self.profile, self.tokenizer)

    def costs(self, parts: Sequence[Part], counts: list[int]) -> list[int]:
        """The tokens that removing each part saves: its own, and the markup removed with it."""
        if self.profile is None or self.profile.markup is None:
            if not self.framed:
                return counts
            return list(map(add, counts, targets.count_frames(parts, self.profile, self.tokenizer)))
        roles = {part.role for part in parts}
        around = {role: targets.compute_turn_cost(role, self.profile, self.tokenizer) for role in roles}
        return [count + around[part.role] for count, part in zip(counts, parts, strict=True)]

    def shortened(self, part: Part, tokens: int) -> tuple[Part, int]:
        shorter = truncation_shrink.shorten_part(part, tokens, self.tokenizer)
        return shorter, self.counts([shorter])[0]


def fit_parts(
    parts: Sequence[Part],
    tokenizer: Tokenizer,
    profile: Profile | None = None,
    *,
    limit: int | None = None,
    step: int = 1,
    keep_last: int = 0,
    keep_pairs: bool = False,
) -> FittedParts:
    """Count parts and cut them to `limit` tokens, including markup; None means no limit.

    `keep_last` protects the last so many parts that have a priority; `keep_pairs` removes a user's turn together with
    its answers. Raises TruncationError if the parts that may not be cut exceed the limit by themselves.
    """
    ruler = _Ruler(profile, tokenizer, targets.has_frames(parts))
    if ruler.surely_fits(parts, limit):
        return _keep_uncounted(parts, ruler)
    counts = ruler.counts(parts)
    total = sum(counts) + ruler.markup(parts)
    if limit is None or total <= limit:
        return FittedParts(_add_counts(parts, counts), [], Counts(total))
    need = -(-(total - limit) // step) * step
    pairs = keep_pairs or bool(profile and profile.user_first)
    plan = truncation_plan.Plan(parts, counts, ruler.costs(parts, counts), keep_last=keep_last, keep_pairs=pairs)
    fitting, total_after = _cut(parts, counts, ruler, plan, total, total - need)
    if total_after > limit:
        raise _refuse_to_fit(fitting, total_after, limit)
    return FittedParts(fitting, _list_cuts(parts, counts, plan, total - limit), Counts(total_after))


def _keep_uncounted(parts: Sequence[Part], ruler: _Ruler) -> FittedParts:
    """All parts unchanged, counted together when the tokens of any part, or the total, are first needed."""

    def count() -> tuple[int, list[int]]:
        counts = ruler.counts(parts)
        return sum(counts) + ruler.markup(parts), counts

    counts = Counts(count=count)
    return FittedParts([part.uncounted(counts, index) for index, part in enumerate(parts)], [], counts)


def _cut(
    parts: Sequence[Part], counts: list[int], ruler: _Ruler, plan: truncation_plan.Plan, tokens: int, goal: int
) -> tuple[list[Part], int]:
    """Run the plan until at most `goal` tokens are left or nothing more may be cut; return the rest and its tokens."""
    while True:
        plan.take(tokens - goal, ruler.shortened)
        staying = _add_counts(compress(parts, plan.stays), compress(counts, plan.stays))
        if plan.shorter:
            staying = _add_counts(*zip(*_replace_shortened(parts, counts, plan), strict=True))
        # If a profile joins adjacent parts, removing one saves less than its share: measure, and continue if needed.
        tokens = sum(map(_count_of, staying)) + ruler.markup(staying)
        if tokens <= goal or plan.exhausted:
            return staying, tokens


def _replace_shortened(parts: Sequence[Part], counts: list[int], plan: truncation_plan.Plan) -> list[tuple[Part, int]]:
    stay = compress(range(len(parts)), plan.stays)
    return [plan.shorter.get(index) or (parts[index], counts[index]) for index in stay]


def _add_counts(parts: Iterable[Part], counts: Iterable[int]) -> list[Part]:
    pairs = zip(parts, counts, strict=True)
    return [part if part.token_count == count else _add_count(part, count) for part, count in pairs]


def _add_count(part: Part, count: int) -> Part:
    # Like dataclasses.replace but five times faster, which matters for a chat of thousands of turns.
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
        part.label,
    )


def _list_cuts(parts: Sequence[Part], counts: list[int], plan: truncation_plan.Plan, over: int) -> list[Cut]:
    """List what was cut, in the template's order."""
    removed = [index for index, stays in enumerate(plan.stays) if not stays]
    priorities = {parts[index].truncation_priority for index in removed}
    reasons: dict[int, str] = {priority: f"dropped: {_explain_cut(priority, over)}" for priority in priorities}
    cuts = [
        Cut(part.name, at, counts[at], reasons[part.truncation_priority]) for at, part in _select_parts(parts, removed)
    ]
    for index, (_, count) in plan.shorter.items():
        part = parts[index]
        where = "in the middle" if part.shrink == "middle" else f"at the {part.shrink}"
        reason = f"shortened {where}: {_explain_cut(part.truncation_priority, over)}"
        cuts.append(Cut(part.name, index, counts[index] - count, reason))
    return sorted(cuts, key=lambda cut: cut.index) if plan.shorter else cuts


def _select_parts(parts: Sequence[Part], indices: list[int]) -> Iterable[tuple[int, Part]]:
    return zip(indices, map(parts.__getitem__, indices), strict=True)


def _explain_cut(priority: int, over: int) -> str:
    return f"priority {priority}, prompt {over} tokens over its limit"


def _refuse_to_fit(staying: list[Part], tokens: int, limit: int) -> TruncationError:
    protected = [part.label for part in staying]
    largest = sorted(staying, key=lambda part: -(part.token_count or 0))[:8]
    part_list = ", ".join(f"{part.label} ({part.token_count})" for part in largest)
    more = f" and {len(staying) - 8} more" if len(staying) > 8 else ""
    message = (
        f"The prompt can't be cut to {limit} tokens: the parts that may not be cut take {tokens}, {tokens - limit} "
        "too many. "
        f"Largest of them: {part_list}{more}."
    )
    return TruncationError(message, protected=protected, shortfall=tokens - limit)


def choose_token_limit(requested: int | None, declared: int | None, context: int | None) -> int | None:
    """Return a rendering's token limit, None for no limit: the caller's (-1: no limit), the document's or the models'.

    Raises InputError.
    """
    if requested is None:
        return context if declared is None else declared
    if type(requested) is not int or (requested < 1 and requested != -1):
        message = f"token_limit must be a whole number of at least 1, or -1 for none, not {requested!r}"
        raise InputError(message, code="PT606")
    return None if requested == -1 else requested


def leave_reserve(limit: int | None, reserve: int) -> int | None:
    """Return the limit for the prompt after reserving tokens for the reply. Raises InputError if nothing is left."""
    room = None if limit is None else limit - reserve
    if room is not None and room < 1:
        raise InputError(f"a limit of {limit} tokens leaves no room beside the reserve of {reserve}", code="PT606")
    return room


def choose_step(requested: int | None, declared: int) -> int:
    """The truncation step in tokens: the caller's, else the document's. Raises InputError."""
    if requested is None:
        return declared
    if type(requested) is not int or requested < 1:
        raise InputError(f"truncation_step must be a whole number of at least 1, not {requested!r}", code="PT606")
    return requested
