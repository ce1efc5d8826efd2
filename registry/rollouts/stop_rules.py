"""Stop rules of rollouts: the scores of both sides, and whether the candidate breaks the rule."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from promptuary.evaluation.decimals import count_decimals
from registry.rollouts.models import Rollout
from registry.usage import outcome_queries
from registry.usage.outcome_queries import Score

# no texts here: the reason is stored with the rollout, in English
__all__ = ["SideScore", "find_breach", "read_side_scores", "to_figures"]


@dataclass(frozen=True)
class SideScore:
    """One metric of a rollout, as services scored the replies of both sides since the day it began; None without
    scores.
    """

    name: str
    stable: Score | None
    candidate: Score | None

    @property
    def reading(self) -> str:
        """How the candidate compares with the stable version, as in `outcome_queries.read_score_change`."""
        return outcome_queries.read_score_change(self.candidate, self.stable) if self.candidate else ""


@dataclass(frozen=True)
class _Figure:
    side: str
    metric: str
    mean: float
    low: float | None
    high: float | None
    count: int


def read_side_scores(rollouts: Collection[Rollout]) -> dict[int, list[SideScore]]:
    """Read the metrics of both sides by rollout number, ordered by name; one query for all.

    Scores by people are excluded, since a contributor may be among them.
    """
    scores = outcome_queries.read_scores_of_services({place for rollout in rollouts for place in _list_sides(rollout)})
    paired = {}
    for rollout in rollouts:
        stable, candidate = ({score.name: score for score in scores[place]} for place in _list_sides(rollout))
        names = sorted({*stable, *candidate})
        paired[rollout.number] = [SideScore(name, stable.get(name), candidate.get(name)) for name in names]
    return paired


def _list_sides(rollout: Rollout) -> tuple[tuple[int, date], tuple[int, date]]:
    """The rows of the stable version and the candidate, and the day from which their scores count."""
    day = rollout.created_at.date()
    return (rollout.stable_id, day), (rollout.candidate_id, day)


def find_breach(rule: Mapping[str, Any] | None, scores: Sequence[SideScore]) -> str:
    """Why the rollout has to be stopped, as a sentence; empty if its rule is met or too few replies were scored.

    `below`: the candidate's mean is below this value. `worse_than_stable`: its whole 95 % interval is below that of the
    stable version.
    """
    score = next((score for score in scores if rule and score.name == rule["metric"]), None)
    if rule is None or score is None or score.candidate is None or score.candidate.count < rule["replies"]:
        return ""
    candidate, stable = score.candidate, score.stable
    below = rule.get("below")
    if below is not None and candidate.mean < below:
        decimals = count_decimals((candidate.mean, below))
        return f"{score.name} {candidate.mean:.{decimals}f} over {candidate.count} replies, needs {below:g}."
    if rule.get("worse_than_stable") and stable is not None and score.reading == "worse":
        decimals = count_decimals((candidate.mean, stable.mean))
        return (
            f"{score.name} {candidate.mean:.{decimals}f} over {candidate.count} replies is worse than "
            f"{stable.mean:.{decimals}f} of version {stable.version}."
        )
    return ""


def to_figures(scores: Sequence[SideScore]) -> list[dict[str, Any]]:
    """The scores as an event stores them."""
    figures = []
    for score in scores:
        for side, value in (("stable", score.stable), ("candidate", score.candidate)):
            if value is not None:
                figure = _Figure(side, score.name, value.mean, value.low, value.high, value.count)
                figures.append(asdict(figure))
    return figures
