"""Deletes evaluation runs past their retention, except those that something still refers to."""

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from registry.changes.models import ChangeRequest, CountedScores
from registry.evaluations.live_models import LiveFailure
from registry.evaluations.models import PersonScore, Run, RunRow
from registry.journal import log
from registry.templates.label_models import Label

__all__ = ["delete_old_runs", "list_old_runs"]

_BATCH = 20  # per pass, each with up to 10,000 rows; the next pass follows in minutes
_OVER = (Run.DONE, Run.FAILED, Run.CANCELLED)
logger = logging.getLogger(__name__)


def list_old_runs() -> "QuerySet[Run]":
    """List runs that ended more than `PROMPTUARY_RUN_DAYS` ago and that nothing refers to, oldest first.

    Runs are kept if they belong to an open or published request, to its version, or to a version that a label holds
    (thresholds are read from them, whoever started them), and if their scores by people or their nightly failure are
    recorded. For nightly runs only the last rule applies, since there is one every night.
    """
    lasting = ChangeRequest.objects.exclude(state=ChangeRequest.WITHDRAWN)
    is_measured = Q(version__in=lasting.values("version")) | Q(version__in=Label.objects.values("version"))
    is_recorded = Q(pk__in=CountedScores.objects.values("run")) | Q(pk__in=LiveFailure.objects.values("run"))
    before = log.now() - timedelta(days=settings.PROMPTUARY_RUN_DAYS)
    rows = Run.objects.filter(state__in=_OVER, finished_at__lte=before)
    return rows.exclude(is_recorded | Q(change__in=lasting) | (is_measured & Q(night=None))).order_by("finished_at")


def delete_old_runs() -> int:
    """Delete a batch of old runs with their rows and scores, log them, and return their number; 0 if days are 0."""
    if not settings.PROMPTUARY_RUN_DAYS:
        return 0
    with transaction.atomic():
        numbers = sorted(list_old_runs().values_list("pk", flat=True)[:_BATCH])
        if not numbers:
            return 0
        rows = RunRow.objects.filter(run__in=numbers).count()
        scores = PersonScore.objects.filter(run__in=numbers).count()
        Run.objects.filter(pk__in=numbers).delete()
    logger.info(
        "deleted %d evaluation runs older than %d days, with %d rows and %d scores by people: %s",
        len(numbers),
        settings.PROMPTUARY_RUN_DAYS,
        rows,
        scores,
        ", ".join(map(str, numbers)),
    )
    return len(numbers)
