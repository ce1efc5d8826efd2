"""Redaction of improvements: those for or by a removed version, and those that repeat its text."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q, QuerySet

from registry.evaluations.models import Run
from registry.improvements.models import NO_TEXTS, Improvement
from registry.redaction.run_texts import contains_passage
from registry.templates.models import Version

__all__ = ["count_improvements", "remove_improvement_texts"]


def count_improvements(versions: Sequence[Version], passages: Sequence[str]) -> int:
    """How many improvements would lose their texts."""
    return _select_improvements(versions, passages).count()


def remove_improvement_texts(versions: Sequence[Version], passages: Sequence[str], *, at: datetime) -> None:
    """Empty them and the runs that measure their texts; those under way are stopped and end now."""
    # A worker that is writing one of them finishes first, then finds it stopped.
    numbers = list(_select_improvements(versions, passages).select_for_update().values_list("pk", flat=True))
    rows = Improvement.objects.filter(pk__in=numbers)
    rows.filter(state__in=Improvement.BEFORE_MEASURING).update(state=Improvement.STOPPED, ended_at=at)
    measurements = [pk for pk in rows.values_list("measurement", flat=True) if pk]
    rows.update(**NO_TEXTS, guidance="")
    runs = Run.everything.filter(Q(pk__in=measurements) | contains_passage("draft_bundle", passages), is_draft=True)
    runs.filter(state__in=(Run.QUEUED, Run.RUNNING)).update(state=Run.CANCELLED, finished_at=at)
    runs.update(draft_bundle="")


def _select_improvements(versions: Sequence[Version], passages: Sequence[str]) -> "QuerySet[Improvement]":
    """Improvements for or by one of the versions, and those that repeat a passage."""
    repeating = Q(run__version__in=versions) | Q(prompt__in=versions)
    for column in (*NO_TEXTS, "guidance"):
        repeating |= contains_passage(column, passages)
    return Improvement.objects.filter(repeating)
