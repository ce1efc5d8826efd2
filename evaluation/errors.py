"""Errors of an evaluation.

EvaluationError           the root; every message is a sentence that names the row, column or metric
    MetricError           an unknown metric, or options it doesn't take
        MetricUnavailable the metric needs a package that isn't installed
    DatasetError          rows that can't be read or don't fit the template's inputs
    ChainError            a chain whose wiring is invalid, or inputs that fit two components
    ModelError            a model's answer that can't be used; `retryable` says whether a retry may help
    ReplyError            a model's text that can't be read as the template's `output` declares; `reply` holds it
"""

from typing import Any

from promptuary.evaluation.characters import clean_text

__all__ = [
    "ChainError",
    "DatasetError",
    "EvaluationError",
    "MetricError",
    "MetricUnavailable",
    "ModelError",
    "ReplyError",
]


class EvaluationError(Exception):
    """The root of the family."""


class MetricError(EvaluationError):
    """An unknown metric, or options it doesn't take."""


class MetricUnavailable(MetricError):
    """The metric needs a package that isn't installed."""


class DatasetError(EvaluationError):
    """Rows that can't be read, or that don't fit the template's inputs."""


class ChainError(EvaluationError):
    """A chain whose wiring is invalid, or inputs that fit two components."""


class ModelError(EvaluationError):
    """A model's answer that can't be used. `faults` are the earlier failed attempts, a sentence each.

    spent: what the attempts may cost, each a `models.Reply`: unusable answers of status 200, and a reply without text
    for each request that was sent and not answered.

    status: of the HTTP answer, None if none arrived. reason: the server's own explanation, empty without one.
    """

    faults: tuple[str, ...] = ()

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
        reason: str = "",
        spent: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(clean_text(message))
        self.retryable = retryable
        self.retry_after = retry_after
        self.status = status
        self.reason = clean_text(reason)
        self.spent = spent


class ReplyError(EvaluationError):
    """A model's text that can't be read as the template's `output` declares."""

    def __init__(self, message: str, reply: str) -> None:
        super().__init__(message)
        self.reply = reply
