"""The events of evaluations: datasets, and evaluations that change requests have to pass."""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.journal.event import Cache, JournalEvent, event

__all__ = ["DatasetSaved", "EvaluationAttached", "EvaluationDetached", "RunFinished"]


@event("dataset.saved", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class DatasetSaved(JournalEvent):
    """A version of a dataset was saved. digest: of its rows. base: the number of the version before."""

    dataset: str
    number: int
    digest: str
    count: int
    base: int | None
    message: str

    def sentence(self) -> str:
        return f"saved version {self.number} of the dataset {self.dataset}"


@event("evaluation.attached", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class EvaluationAttached(JournalEvent):
    """Templates whose path fits the pattern are evaluated from now on. dataset_version: a number, None for the latest."""

    name: str
    pattern: str
    dataset: str
    dataset_version: int | None
    model: str
    gates: Sequence[str]
    metrics: Sequence[str]

    def sentence(self) -> str:
        return f"attached the evaluation {self.name} over {self.dataset}"


@event("evaluation.detached", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class EvaluationDetached(JournalEvent):
    """An attached evaluation was taken away."""

    name: str

    def sentence(self) -> str:
        return f"took the evaluation {self.name} away"


@dataclass(frozen=True)
class RunFinished:
    """A run ended with its scores. No event of the journal: others only react to it."""
