"""Queries of people's scores: their mean as a metric, rows with disagreement, and rows without a score."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from promptuary.evaluation.gates import parse_gate
from promptuary.evaluation.rater_agreement import HIGHEST_GRADE, LOWEST_GRADE, RaterAgreement, measure_agreement
from registry.accounts.models import User
from registry.evaluations.models import PersonScore, Run, RunRow

__all__ = [
    "PEOPLE_METRIC",
    "PeopleReading",
    "ScoreQueue",
    "build_score_queue",
    "find_differing_rows",
    "is_people_gate",
    "list_person_scores",
    "measure_run_agreement",
    "read_people_metric",
    "share_of_grade",
    "shuffle_columns",
]

PEOPLE_METRIC = "reviewed_by_people"
_DIFFERENCE = 2  # the smallest difference of two people's grades that counts as disagreement


@dataclass(frozen=True)
class PeopleReading:
    """The metric "Reviewed by people": the mean of all scores from 0 to 1 (None without any), and the numbers of scores
    and people.
    """

    mean: float | None
    count: int
    raters: int


@dataclass(frozen=True)
class ScoreQueue:
    """The rows for a person to score. total: rows with a reply; scored: those whose replies the person has all scored;
    differing: those on which people disagree; waiting: indexes of the unscored rows in order, differing rows last.
    """

    total: int
    scored: int
    differing: frozenset[int]
    waiting: tuple[int, ...]

    def find_next(self, index: int | None) -> int | None:
        """The next waiting row after this one, wrapping around; None if no other is waiting."""
        others = [row for row in self.waiting if row != index]
        if index in self.waiting:
            place = self.waiting.index(index)
            return next(iter([*self.waiting[place + 1 :], *self.waiting[:place]]), None)
        return next((row for row in others if index is None or row > index), next(iter(others), None))


def is_people_gate(text: str) -> bool:
    """Whether a threshold is on scores by people."""
    return parse_gate(text).metric == PEOPLE_METRIC


def share_of_grade(grade: int) -> float:
    """A grade of 1 to 5 as a share of 0 to 1."""
    return (grade - LOWEST_GRADE) / (HIGHEST_GRADE - LOWEST_GRADE)


def list_person_scores(runs: Iterable[Run], indexes: Collection[int] | None = None) -> list[PersonScore]:
    """The scores of these runs (and rows), by run, row and username."""
    scores = PersonScore.objects.filter(run__in=[run.pk for run in runs])
    if indexes is not None:
        scores = scores.filter(index__in=indexes)
    return list(scores.select_related("person").order_by("run_id", "index", "person__username"))


def read_people_metric(scores: Sequence[PersonScore]) -> PeopleReading:
    """The metric of these scores, equally weighted."""
    shares = [share_of_grade(score.grade) for score in scores]
    raters = len({score.person_id for score in scores})
    return PeopleReading(sum(shares) / len(shares) if shares else None, len(shares), raters)


def find_differing_rows(scores: Iterable[PersonScore]) -> frozenset[tuple[int, int]]:
    """Run id and index of the replies that two people graded 2 or more apart."""
    grades: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for score in scores:
        grades[score.run_id, score.index].append(score.grade)
    return frozenset(place for place, listed in grades.items() if max(listed) - min(listed) >= _DIFFERENCE)


def measure_run_agreement(scores: Iterable[PersonScore]) -> RaterAgreement | None:
    """People's agreement on the replies that two or more of them scored; None without such replies."""
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for score in scores:
        grades[score.person.username][f"{score.run_id}/{score.index}"] = score.grade
    return measure_agreement(grades)


def build_score_queue(person: User, runs: Sequence[Run]) -> ScoreQueue:
    """The rows that the person has left to score in these runs over the same rows."""
    replies: defaultdict[int, set[int]] = defaultdict(set)
    rows = RunRow.objects.filter(run__in=[run.pk for run in runs], is_failed=False).order_by("index")
    for run, index in rows.values_list("run_id", "index"):
        replies[index].add(run)
    scores = list_person_scores(runs)
    own: defaultdict[int, set[int]] = defaultdict(set)
    for score in scores:
        if score.person_id == person.pk:
            own[score.index].add(score.run_id)
    complete = {index for index, needed in replies.items() if needed <= own[index]}
    differing = frozenset(index for _, index in find_differing_rows(scores))
    unscored = [index for index in replies if index not in complete]
    again = [index for index in replies if index in complete and index in differing]
    return ScoreQueue(len(replies), len(complete), differing, (*unscored, *again))


def shuffle_columns(runs: Sequence[Run], index: int, username: str) -> list[Run]:
    """Shuffle the runs in an order that depends only on the row and the person."""
    places: Mapping[int, bytes] = {
        run.pk: hashlib.sha256(f"{username}\0{index}\0{run.pk}".encode()).digest() for run in runs
    }
    return sorted(runs, key=lambda run: places[run.pk])
