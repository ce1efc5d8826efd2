"""Scheduled publishing: queues a job for what is due; each job publishes one change request or release.

A job is requeued if its worker died, and a publication is one transaction that closes what it publishes: it can be
late, but never happens twice.
"""

from collections.abc import Mapping
from datetime import timedelta

from django.db.models import Q

from registry.changes import schedules as change_schedules
from registry.jobs.models import Job
from registry.jobs.queue import SCHEDULE, enqueue
from registry.journal import log
from registry.journal.event import from_microseconds, to_microseconds
from registry.releases import schedules as release_schedules

__all__ = ["publish_scheduled", "request_due_publishes"]

_AGAIN = timedelta(minutes=1)  # delay before a failed job is queued again


def request_due_publishes() -> int:
    """Queue a job for each change request and release that is due; for the clock. Returns how many."""
    due_rows = [("change", *row) for row in change_schedules.list_due_changes()]
    due_rows += [("release", *row) for row in release_schedules.list_due_releases()]
    return sum(_request(kind, number, to_microseconds(at)) for kind, number, at in due_rows)


def publish_scheduled(payload: Mapping[str, int]) -> None:
    """Run a job; a no-op if it was published, withdrawn or rescheduled meanwhile."""
    at = from_microseconds(payload["at"])
    if "release" in payload:
        release_schedules.publish_scheduled_release(number=payload["release"], at=at)
    else:
        change_schedules.publish_scheduled_change(number=payload["change"], at=at)


def _request(kind: str, number: int, at: int) -> bool:
    subject = f"{kind} {number} at {at}"
    jobs = Job.objects.filter(kind=SCHEDULE, subject=subject)
    if jobs.filter(Q(state__in=(Job.QUEUED, Job.RUNNING)) | Q(created_at__gt=log.now() - _AGAIN)).exists():
        return False
    enqueue(SCHEDULE, subject=subject, payload={kind: number, "at": at})
    return True
