"""Upkeep that isn't urgent: expired data, reminders, nightly runs, and the upkeep of database and mirror."""

from datetime import timedelta

from django.utils import timezone

from registry.changes import old_runs
from registry.core.database_statistics import update_statistics
from registry.core.steps import run_steps
from registry.evaluations import nightly_runs, reply_cache
from registry.idempotency import answers
from registry.improvements import services as improvement_services
from registry.jobs import claims
from registry.jobs.models import Job
from registry.notifications import emergency_reminders, unused_keys
from registry.playground import services as playground_services
from registry.templates import drafts
from registry.usage import outcomes
from registry.webhooks import delivery

__all__ = ["run_upkeep"]

_BETWEEN_REPACKS = timedelta(days=1)
_BETWEEN_CHECKS = timedelta(days=7)


def run_upkeep() -> None:
    """Delete expired data, send reminders of emergencies and unused keys, start the nightly runs of live versions,
    collect SQLite's statistics of grown tables, and queue the mirror's repack and check of objects when they are due.
    """
    run_steps(
        delivery.delete_old_deliveries,
        drafts.delete_old_drafts,
        playground_services.delete_old_runs,
        improvement_services.delete_old_improvements,
        outcomes.delete_old_outcomes,
        reply_cache.delete_old_replies,
        old_runs.delete_old_runs,
        answers.delete_old_answers,
        emergency_reminders.remind_of_emergencies,
        unused_keys.notify_of_unused_keys,
        _start_nightly_runs,
        update_statistics,
        _request_repack,
        _request_check,
    )


def _start_nightly_runs() -> None:
    nightly_runs.start_nightly_runs(timezone.now())


def _request_repack() -> None:
    _enqueue_if_due("mirror.repack", _BETWEEN_REPACKS)


def _request_check() -> None:
    _enqueue_if_due("mirror.check", _BETWEEN_CHECKS)


def _enqueue_if_due(kind: str, interval: timedelta) -> None:
    """Queue a job of this kind unless one was queued within the interval."""
    since = timezone.now() - interval
    if not Job.objects.filter(kind=kind, created_at__gt=since).exists():
        claims.enqueue(kind)
