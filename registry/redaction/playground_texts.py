"""Redaction of the playground: columns that ran a removed version or repeat its text, and inputs that repeat it."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from registry.playground.models import PlaygroundColumn, PlaygroundRun
from registry.playground.replies import NO_TEXTS
from registry.redaction.run_texts import contains_passage
from registry.templates.models import Version

__all__ = ["count_playground_columns", "remove_playground_texts"]


def count_playground_columns(versions: Sequence[Version], passages: Sequence[str]) -> int:
    """How many columns would lose their texts."""
    return _select_columns(versions, passages).count()


def remove_playground_texts(versions: Sequence[Version], passages: Sequence[str]) -> None:
    """Empty them and their runs; a reply in progress is stopped and not stored."""
    columns = _select_columns(versions, passages)
    # A process that is ending one of them finishes first, then finds it emptied.
    going = list(columns.select_for_update().values_list("pk", "run_id"))
    rows = PlaygroundColumn.objects.filter(pk__in=[column_id for column_id, _ in going])
    rows.filter(state=PlaygroundColumn.READY).update(state=PlaygroundColumn.STOPPED)
    rows.update(is_emptied=True, is_stop_asked=True, **NO_TEXTS)
    runs = Q(pk__in={run_id for _, run_id in going}) | contains_passage("inputs", passages)
    PlaygroundRun.objects.filter(runs).update(inputs="{}")


def _select_columns(versions: Sequence[Version], passages: Sequence[str]) -> "QuerySet[PlaygroundColumn]":
    """Columns that ran one of the versions or a draft with its whole text, and those that repeat a passage."""
    repeating = Q(version__in=versions)
    for column in ("bundle", "prompt", "reply", "tool_calls", "output"):
        repeating |= contains_passage(column, passages)
    return PlaygroundColumn.objects.filter(repeating)
