"""Reasons why rows of runs failed, each with its rows."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from registry.evaluations.models import Run, RunRow
from registry.evaluations.stored_failures import reword_problem

__all__ = ["FailureReason", "find_rows", "group_failures"]


@dataclass(frozen=True)
class FailureReason:
    """A sentence that says why rows failed, in any of the runs. key: its identifier in a URL; indexes: the rows."""

    key: str
    message: str
    indexes: frozenset[int]

    @property
    def count(self) -> int:
        """How many rows failed for this reason."""
        return len(self.indexes)


def group_failures(runs: Sequence[Run]) -> tuple[FailureReason, ...]:
    """The reasons of all failed rows of these runs, most frequent first. One query regardless of the number of rows."""
    rows = RunRow.objects.filter(run__in=[run.pk for run in runs], is_failed=True)
    indexes: dict[str, set[int]] = {}
    for index, text in rows.order_by("index").values_list("index", "result").iterator():
        problem = reword_problem(json.loads(text).get("problem")) or {}
        indexes.setdefault(problem.get("message", ""), set()).add(index)
    reasons = [FailureReason(_make_key(message), message, frozenset(places)) for message, places in indexes.items()]
    return tuple(sorted(reasons, key=lambda reason: (-reason.count, min(reason.indexes))))


def find_rows(reasons: Sequence[FailureReason], key: str) -> Collection[int]:
    """The rows of the reason with this key; empty if no row fails for it now."""
    return next((reason.indexes for reason in reasons if reason.key == key), frozenset())


def _make_key(message: str) -> str:
    return hashlib.sha256(message.encode()).hexdigest()[:12]
