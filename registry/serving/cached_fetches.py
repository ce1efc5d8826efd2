"""Decided fetches: what a caller gets for a target, kept until something that was decided on may have changed."""

from collections.abc import Callable
from dataclasses import dataclass

from registry.serving.credentials import Caller
from registry.serving.responses import Answer, ServedVersion

__all__ = ["BUDGET", "CachedFetch", "CachedFetches", "Question"]

BUDGET = 32 * 1024 * 1024  # bytes of responses
_OVERHEAD = 1000  # bytes of one entry besides the response

# Authorization header, target, and for a caller with a bucket whether it gets the candidate of the label's rollout.
Question = tuple[str, str, bool | None]


@dataclass(slots=True)
class CachedFetch:
    """The decision for one caller and target, valid as long as the caller is and the follower's generation is the same.

    version: what the caller gets. answer: for a client that has nothing yet. count: counts a fetch. resolved: what the
    ref resolves to; a caller that gets the candidate of a rollout gets another version.
    """

    version: ServedVersion
    answer: Answer
    count: Callable[[], int]
    caller: Caller
    resolved: ServedVersion
    generation: int


class CachedFetches:
    """The decided fetches of a process, at most `budget` bytes; when there is no more room, all are dropped."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._fetches: dict[Question, CachedFetch] = {}
        self._size = 0

    def find(self, question: Question) -> CachedFetch | None:
        """The decision, or None."""
        return self._fetches.get(question)

    def keep(self, question: Question, fetch: CachedFetch) -> None:
        """Cache the decision."""
        if question not in self._fetches:
            self._size += len(fetch.version.answer.body) + _OVERHEAD
            if self._size > self._budget:
                self.clear()
        self._fetches[question] = fetch

    def clear(self) -> None:
        """Drop everything."""
        self._fetches, self._size = {}, 0
