"""A row of a run and its model calls, and what they cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from promptuary.evaluation import Row
from promptuary.evaluation.models import Reply as Answer
from promptuary.renderer.errors import RenderError
from registry.connections.endpoint import Endpoint

__all__ = ["Judged", "RowCall", "compute_row_cost", "sum_of_known"]


@dataclass(frozen=True)
class Judged:
    """A judge's result for a row: `evaluation.judge.Judgement`, all its replies, unusable ones too, and their cost."""

    judgement: dict[str, Any]
    replies: list[Answer]
    cost: Decimal | None


@dataclass
class RowCall:
    """A row of a run and its model calls: its prompts, the replies to them, and its outputs, or what stopped it.

    spent: unusable replies that cost something.
    """

    index: int
    row: Row
    prompts: list[dict[str, Any]] = field(default_factory=list)
    replies: list[Answer] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    problem: dict[str, Any] | None = None
    faults: list[str] = field(default_factory=list)
    spent: list[Answer] = field(default_factory=list)
    milliseconds: int = 0
    judged: Judged | None = None

    @property
    def billed(self) -> list[Answer]:
        """Its replies, including unusable ones."""
        return [*self.replies, *self.spent]

    def actual(self) -> dict[str, Any]:
        """The row's outputs, as `evaluation.TemplateRunnable` names them."""
        texts = [reply.text for reply in self.replies]
        answer = texts[0] if len(texts) == 1 else texts
        counts = [prompt["token_count"] for prompt in self.prompts]
        # Without a vocabulary, a prompt within the limit has no token count; metrics on the count report it as missing.
        tokens = {} if None in counts else {"prompt_tokens": sum(counts)}
        return {"reply": answer, "answer": answer, **tokens, **self.outputs}

    def stop(self, step: str, error: Exception) -> None:
        """Record what stopped the row."""
        message = error.message if isinstance(error, RenderError) else str(error)
        self.problem = {"step": step, "kind": type(error).__name__, "message": message}


def compute_row_cost(endpoint: Endpoint, call: RowCall) -> Decimal | None:
    """The known cost of the row's replies, including unusable ones; None if no cost is known."""
    costs = [_sum_costs(endpoint, replies) for replies in (call.replies, call.spent)]
    known_costs = [cost for cost in costs if cost is not None]
    return sum(known_costs, Decimal(0)) if known_costs else None


def _sum_costs(endpoint: Endpoint, replies: Sequence[Answer]) -> Decimal | None:
    """The cost of the replies that were not cached; None if the price or the tokens are not known."""
    price, total = endpoint.price, Decimal(0)
    if price is None or not replies:
        return None
    for reply in replies:
        if reply.cached:
            continue
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        total += price.compute_cost(reply.prompt_tokens, reply.completion_tokens)
    return total


def sum_of_known(counts: Iterable[int | None]) -> int | None:
    """The sum of the known counts, or None."""
    known_counts = [count for count in counts if count is not None]
    return sum(known_counts) if known_counts else None
