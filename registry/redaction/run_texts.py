"""Redaction of evaluation runs: prompts, replies that repeat the removed text, and cached replies."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.db.models.lookups import Contains

from registry.connections.endpoint import ECHO
from registry.evaluations.model_calls import compute_reply_key
from registry.evaluations.models import Reply, Run, RunRow
from registry.redaction.passages import list_spellings
from registry.templates.models import Version

__all__ = ["REMOVED", "contains_passage", "count_replies", "list_repeating_rows", "remove_run_texts"]

REMOVED = "[redacted]"


def contains_passage(column: str, passages: Iterable[str]) -> Q:
    """The condition that a text or JSON column contains one of the passages in any form; false without passages."""
    condition = Q(pk__in=[])
    for passage in passages:
        for spelling in list_spellings(passage):
            condition |= Q(Contains(Cast(F(column), TextField()), spelling))  # a JSON column can't be searched as text
    return condition


def list_repeating_rows(versions: Sequence[Version], passages: Sequence[str]) -> "QuerySet[RunRow]":
    """Rows of runs that used one of the versions as prompt or judge, and rows of others that repeat a passage."""
    uses = Q(run__version__in=versions) | Q(run__judge__in=versions)
    return RunRow.objects.filter(
        uses | contains_passage("result", passages) | contains_passage("judgement_text", passages)
    )


def count_replies(versions: Sequence[Version], passages: Sequence[str]) -> int:
    """How many cached replies would be deleted."""
    return _select_replies(versions, passages).count()


def remove_run_texts(versions: Sequence[Version], passages: Sequence[str], *, at: datetime) -> None:
    """Remove the text; runs under way with one of the versions are cancelled and end now. Scores, and answers that
    don't repeat it, stay.
    """
    runs = Run.everything.filter(Q(version__in=versions) | Q(judge__in=versions))
    list(runs.select_for_update().values_list("pk"))  # a worker that is writing rows of one finishes first, then stops
    runs.filter(state__in=(Run.QUEUED, Run.RUNNING)).update(state=Run.CANCELLED, finished_at=at)
    _select_replies(versions, passages).delete()
    ids = {version.pk for version in versions}
    for row in list_repeating_rows(versions, passages).select_related("run").iterator():
        _clean(row, passages, is_of_version=row.run.version_id in ids, is_judged_by=row.run.judge_id in ids)


def _clean(row: RunRow, passages: Sequence[str], *, is_of_version: bool, is_judged_by: bool) -> None:
    result = json.loads(row.result)
    if is_of_version:
        result["prompts"] = []
    # The echo model answers with the prompt, so nothing of its replies may stay.
    is_echo = is_of_version and row.run.model == ECHO
    fields = {
        name: _clean_value(value, passages, everything=is_echo) for name, value in result.items() if name != "problem"
    }
    row.result = json.dumps({**fields, "problem": _clean_problem(result.get("problem"), passages, everything=is_echo)})
    judgement = row.judgement_text
    if judgement and (is_echo or (is_judged_by and row.run.judge_model == ECHO) or _contains_any(judgement, passages)):
        row.judgement_text = ""
    row.save(update_fields=["result", "judgement_text"])


def _clean_problem(problem: dict[str, str] | None, passages: Sequence[str], *, everything: bool) -> Any:
    """The problem with its message removed if it repeats a passage; step and kind are fixed words."""
    return problem and {**problem, "message": _clean_value(problem["message"], passages, everything=everything)}


def _clean_value(value: Any, passages: Sequence[str], *, everything: bool) -> Any:
    """The value with every text that repeats a passage replaced; with `everything`, every text."""
    if isinstance(value, str):
        return REMOVED if value and (everything or _contains_any(value, passages)) else value
    if isinstance(value, list):
        return [_clean_value(item, passages, everything=everything) for item in value]
    if isinstance(value, dict):
        return {name: _clean_value(item, passages, everything=everything) for name, item in value.items()}
    return value


def _contains_any(text: str, passages: Iterable[str]) -> bool:
    return any(spelling in text for passage in passages for spelling in list_spellings(passage))


def _select_replies(versions: Sequence[Version], passages: Sequence[str]) -> "QuerySet[Reply]":
    """Cached replies to prompts of the versions, and others that repeat a passage."""
    return Reply.objects.filter(Q(key__in=list(_list_keys(versions))) | contains_passage("text", passages))


def _list_keys(versions: Sequence[Version]) -> Iterator[str]:
    for row in RunRow.objects.filter(run__version__in=versions).select_related("run__version").iterator():
        settings = json.loads(row.run.version.settings)
        for messages in row.prompts:
            yield compute_reply_key(messages, row.run.model_digest, settings)
