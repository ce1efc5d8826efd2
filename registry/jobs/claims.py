"""Jobs as rows: queued in the caller's transaction, claimed by one worker, queued again when that worker dies."""

import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from registry.jobs.models import Job
from registry.jobs.queue import enqueue

__all__ = [
    "MAX_ATTEMPTS",
    "SILENCE",
    "Progress",
    "claim_job",
    "enqueue",
    "finish_job",
    "requeue_job",
    "requeue_silent_jobs",
]

SILENCE = timedelta(seconds=30)  # a running job that gave no sign for so long has lost its worker
MAX_ATTEMPTS = 5
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """What a running job reports through: that it lives, and how far it is."""

    job_id: int

    def beat(self) -> None:
        """Record that the job still runs."""
        Job.objects.filter(pk=self.job_id, state=Job.RUNNING).update(heartbeat_at=timezone.now())

    def report(self, done: int, total: int) -> None:
        """Record how many steps of how many are done."""
        Job.objects.filter(pk=self.job_id).update(done=done, total=total, heartbeat_at=timezone.now())


def claim_job(without: Collection[str] = ()) -> Job | None:
    """The oldest queued job of a kind that is not among those, now running in this worker's name; None when there is
    none.
    """
    waiting = Job.objects.filter(state=Job.QUEUED).exclude(kind__in=without).order_by("created_at", "pk")
    if not waiting.exists():  # the clock asks every few seconds, and a transaction would stop SQLite's other writers
        return None
    with transaction.atomic():
        if connection.features.has_select_for_update_skip_locked:
            waiting = waiting.select_for_update(skip_locked=True)
        job = waiting.first()
        if job is None:
            return None
        moment = timezone.now()
        job.state, job.attempts, job.started_at, job.heartbeat_at = Job.RUNNING, job.attempts + 1, moment, moment
        job.save(update_fields=["state", "attempts", "started_at", "heartbeat_at"])
        return job


def finish_job(job: Job, error: str = "") -> None:
    """Close a running job: done, or failed with a sentence. One that went to another worker meanwhile is that one's."""
    Job.objects.filter(pk=job.pk, state=Job.RUNNING, attempts=job.attempts).update(
        state=Job.FAILED if error else Job.DONE, error=error, finished_at=timezone.now()
    )


def requeue_job(job: Job) -> None:
    """Queue a running job again, behind all that wait: it did its slice and has more to do."""
    same = Job.objects.filter(pk=job.pk, state=Job.RUNNING, attempts=job.attempts)
    try:
        with transaction.atomic():
            same.update(state=Job.QUEUED, attempts=0, created_at=timezone.now())
    except IntegrityError:  # another one was asked for meanwhile, and does the rest
        finish_job(job)


def requeue_silent_jobs() -> int:
    """Queue again what a killed worker left running; fail what has lost its worker too often. Return how many."""
    silent = Job.objects.filter(state=Job.RUNNING, heartbeat_at__lt=timezone.now() - SILENCE)
    job_count = 0
    for job in silent:
        same = Job.objects.filter(pk=job.pk, state=Job.RUNNING, heartbeat_at=job.heartbeat_at)
        if job.attempts >= MAX_ATTEMPTS:
            error = f"The worker was lost {job.attempts} times during this job."
            job_count += same.update(state=Job.FAILED, error=error, finished_at=timezone.now())
        elif Job.objects.filter(kind=job.kind, subject=job.subject, state=Job.QUEUED).exists():
            job_count += same.update(state=Job.FAILED, error="Superseded by a newer one.", finished_at=timezone.now())
        else:
            job_count += same.update(state=Job.QUEUED)
            logger.warning("job %s lost its worker; queued again", job)
    return job_count
