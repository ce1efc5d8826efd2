"""Jobs: asking the worker for work, in the transaction that makes it necessary."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.db import transaction

from registry.jobs.models import Job
from registry.journal import log
from registry.journal.event import format_canonical_json

__all__ = ["CHECKS", "EVALUATION", "IMPROVEMENT", "SCHEDULE", "enqueue", "list_lost_numbers", "subscribe"]

CHECKS = "change.checks"  # payload: {"change": number}
EVALUATION = "evaluation.run"  # payload: {"run": number}; done in slices, so that it keeps nothing else waiting
IMPROVEMENT = "improvement.ask"  # payload: {"improvement": number}; one call of a model at a time
SCHEDULE = "schedule.publish"  # payload: {"change" or "release": number, "at": microseconds since 1970 UTC}
_subscribers: list[Callable[[], None]] = []


def enqueue(kind: str, *, subject: str = "", payload: Mapping[str, Any] | None = None) -> Job:
    """Queue a job in the caller's transaction, and wake the worker after it. Return it, or the job that waits already
    for the same subject: that one is locked, so that it doesn't run before the caller's changes are committed.
    """
    with transaction.atomic():
        job, _is_new = Job.objects.select_for_update().get_or_create(
            kind=kind,
            subject=subject,
            state=Job.QUEUED,
            defaults={"payload": format_canonical_json(dict(payload or {})), "created_at": log.now()},
        )
    for wake in _subscribers:  # for a job that waited too: a worker that looked meanwhile has passed the locked row
        transaction.on_commit(wake, robust=True)
    return job


def list_lost_numbers(kind: str, noun: str, numbers: Collection[int]) -> list[int]:
    """List the numbers for which no job of the kind is queued or running. A job's subject is `noun number`."""
    if not numbers:
        return []
    jobs = Job.objects.filter(kind=kind, state__in=(Job.QUEUED, Job.RUNNING))
    subjects = set(jobs.values_list("subject", flat=True))
    return [number for number in numbers if f"{noun} {number}" not in subjects]


def subscribe(wake: Callable[[], None]) -> None:
    """Call `wake` after each commit that queued a job, in the process that did."""
    if wake not in _subscribers:
        _subscribers.append(wake)
