"""Agreement of raters: Cohen's kappa for two, Krippendorff's alpha for more, with the same results as NLTK."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from promptuary.evaluation.errors import EvaluationError
from promptuary.evaluation.optional import import_optional

__all__ = ["HIGHEST_GRADE", "LOWEST_GRADE", "RaterAgreement", "measure_agreement"]

LOWEST_GRADE, HIGHEST_GRADE = 1, 5
_RANGE = HIGHEST_GRADE - LOWEST_GRADE


@dataclass(frozen=True)
class RaterAgreement:
    """How far raters agree beyond chance: at most 1, and 0 is chance level.

    value: None if everyone gave everything the same grade, so that agreement by chance is undefined. items: how many
    were graded by two or more raters; only these count.
    """

    measure: Literal["cohen_kappa", "krippendorff_alpha"]
    value: float | None
    raters: int
    items: int


def measure_agreement(grades: Mapping[str, Mapping[str, int]]) -> RaterAgreement | None:
    """Measure agreement from each rater's grades (1 to 5) by item; None if no item has two grades.

    Two raters: Cohen's kappa with linear weights. More: Krippendorff's alpha for interval data. Raises EvaluationError
    for a grade out of range, MetricUnavailable if NLTK is not installed.
    """
    for rater, graded in grades.items():
        for item, grade in graded.items():
            if not LOWEST_GRADE <= grade <= HIGHEST_GRADE:
                raise EvaluationError(f"{rater} graded {item} with {grade}: grades are 1 to 5")
    counts: dict[str, int] = {}
    for graded in grades.values():
        for item in graded:
            counts[item] = counts.get(item, 0) + 1
    triples = sorted(
        (rater, item, grade) for rater, graded in grades.items() for item, grade in graded.items() if counts[item] > 1
    )
    if not triples:
        return None
    raters = sorted({rater for rater, _, _ in triples})
    items = len({item for _, item, _ in triples})
    measure: Literal["cohen_kappa", "krippendorff_alpha"]
    measure = "cohen_kappa" if len(raters) == 2 else "krippendorff_alpha"
    if len({grade for _, _, grade in triples}) == 1:
        return RaterAgreement(measure, None, len(raters), items)
    agreement = import_optional("nltk.metrics.agreement", extra="evaluation")
    if measure == "cohen_kappa":
        task = agreement.AnnotationTask(data=triples, distance=_share_of_range)
        value = task.weighted_kappa_pairwise(*raters, 1.0)
    else:
        value = agreement.AnnotationTask(data=triples, distance=_square_difference).alpha()
    return RaterAgreement(measure, float(value), len(raters), items)


def _share_of_range(first: int, second: int) -> float:
    return abs(first - second) / _RANGE


def _square_difference(first: int, second: int) -> float:
    return float((first - second) ** 2)
