"""Queries of outcomes: mean and interval of each score, by version."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from statistics import NormalDist

from django.db.models import Count, Max, Sum

from registry.templates.models import Template
from registry.usage.client_reports import DAYS
from registry.usage.models import Outcome, OutcomeTotal

__all__ = [
    "MIN_COUNT",
    "Score",
    "ScoreChange",
    "compare_scores",
    "read_score_change",
    "read_scores_by_version",
    "read_scores_of_services",
]

MIN_COUNT = 30  # with fewer scores an interval is meaningless
_Z = NormalDist().inv_cdf(0.975)  # of a 95 % interval


@dataclass(frozen=True)
class Score:
    """The scores of one name, reported for one version in the last thirty days.

    low and high bound the mean with 95 % confidence; None below MIN_COUNT scores. is_share: all values are 0 or 1, so
    that the mean is a share. buckets: the number of distinct buckets among the scores.
    """

    version: int
    name: str
    by_person: bool
    count: int
    mean: float
    low: float | None
    high: float | None
    is_share: bool
    buckets: int
    last_at: datetime


@dataclass(frozen=True)
class ScoreChange:
    """A score compared with that of the nearest earlier version that has one; `reading` is better, worse, or unclear if
    the intervals meet or one is missing. It is empty if there is nothing to compare with.
    """

    score: Score
    before: Score | None
    reading: str


def read_scores_by_version(template: Template, days: int = DAYS) -> dict[int, list[Score]]:
    """Map version number, newest first, to its scores by name, those of services first. Two queries."""
    since = datetime.now(UTC).date() - timedelta(days=days)
    rows = OutcomeTotal.objects.filter(version__template=template, day__gt=since).order_by()
    places = rows.values_list("version__number", "name", "by_person")
    sums = places.annotate(Sum("count"), Sum("total"), Sum("squares"), Sum("graded"), Max("last_at"))
    buckets = _count_buckets(template, since)
    scores: dict[int, list[Score]] = {}
    for *place, count, total, squares, graded, last_at in sorted(sums, key=lambda row: (-row[0], *row[1:3])):
        if count:
            number, name, by_person = place
            low, high = _compute_interval(count, total, squares, is_share=not graded)
            bucket_count = buckets.get((number, name, by_person), 0)
            score = Score(number, name, by_person, count, total / count, low, high, not graded, bucket_count, last_at)
            scores.setdefault(number, []).append(score)
    return scores


def read_scores_of_services(places: Collection[tuple[int, date]]) -> dict[tuple[int, date], list[Score]]:
    """The scores that services reported, by name, for each version row since its day (UTC). One query.

    Their buckets are not counted: `buckets` is 0.
    """
    if not places:
        return {}
    rows = OutcomeTotal.objects.filter(
        version__in={version for version, _ in places}, day__gte=min(day for _, day in places), by_person=False
    )
    totals = list(rows.select_related("version").defer("version__bundle").order_by("name", "day"))
    scores: dict[tuple[int, date], list[Score]] = {}
    for place in places:
        counted = [total for total in totals if total.version_id == place[0] and total.day >= place[1] and total.count]
        scores[place] = [_sum_days(list(days)) for _, days in groupby(counted, key=attrgetter("name"))]
    return scores


def _sum_days(days: Sequence[OutcomeTotal]) -> Score:
    """One score of one version over some days."""
    count, total = sum(day.count for day in days), sum(day.total for day in days)
    is_share = not any(day.graded for day in days)
    low, high = _compute_interval(count, total, sum(day.squares for day in days), is_share=is_share)
    number, last_at = days[0].version.number, max(day.last_at for day in days)
    return Score(number, days[0].name, False, count, total / count, low, high, is_share, 0, last_at)


def read_score_change(score: Score, before: Score | None) -> str:
    """Compare the score with the other: better, worse, or unclear if the intervals meet or one is missing.

    Empty if there is nothing to compare with.
    """
    if before is None:
        return ""
    if score.low is None or score.high is None or before.low is None or before.high is None:
        return "unclear"
    if score.low > before.high:
        return "better"
    return "worse" if score.high < before.low else "unclear"


def compare_scores(scores: Mapping[int, list[Score]]) -> dict[int, list[ScoreChange]]:
    """Each score with that of the nearest older version that has one of the same name and kind of reporter.

    A higher value counts as better.
    """
    before: dict[tuple[str, bool], Score] = {}
    changes: dict[int, list[ScoreChange]] = {}
    for number in sorted(scores):
        changes[number] = [
            ScoreChange(score, earlier := before.get((score.name, score.by_person)), read_score_change(score, earlier))
            for score in scores[number]
        ]
        before.update({(score.name, score.by_person): score for score in scores[number]})
    return {number: changes[number] for number in sorted(changes, reverse=True)}


def _count_buckets(template: Template, since: date) -> dict[tuple[int, str, bool], int]:
    rows = Outcome.objects.filter(version__template=template, day__gt=since).exclude(bucket="").order_by()
    places = rows.values_list("version__number", "name", "by_person").annotate(Count("bucket", distinct=True))
    return {(number, name, by_person): count for number, name, by_person, count in places}


def _compute_interval(count: int, total: float, squares: float, *, is_share: bool) -> tuple[float | None, float | None]:
    """The bounds of the mean: Wilson's for a share, the normal approximation for other values."""
    if count < MIN_COUNT:
        return None, None
    mean = total / count
    if is_share:
        denominator = 1 + _Z**2 / count
        middle = (mean + _Z**2 / (2 * count)) / denominator
        half = _Z * math.sqrt(mean * (1 - mean) / count + _Z**2 / (4 * count**2)) / denominator
        return max(middle - half, 0.0), min(middle + half, 1.0)
    variance = max(squares - count * mean * mean, 0.0) / (count - 1)
    half = _Z * math.sqrt(variance / count)
    return mean - half, mean + half
