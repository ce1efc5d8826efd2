"""Human scores on pages: one row's score buttons and comments, and the metric over all scores."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from frontend.evaluations import row_comparison, score_table
from frontend.evaluations.run_titles import write_version_title
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import counted_scores
from registry.evaluations import person_score_queries
from registry.evaluations.models import PersonScore, Run, RunRow
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["ScoreColumn", "build_score_columns", "describe_people_scores", "show_score_form"]

CHOICES: tuple[tuple[str, str | Promise], ...] = (
    ("good", gettext_lazy("Good")),
    ("bad", gettext_lazy("Bad")),
    ("1", "1"),
    ("2", "2"),
    ("3", "3"),
    ("4", "4"),
    ("5", "5"),
)
_WORDS = dict(CHOICES)
_SCALES = (CHOICES[:2], CHOICES[2:])
_MIN_REPLIES = 10  # scored by two users: with fewer, the agreement is chance
_BANDS = (
    (0.8, pgettext_lazy("agreement", "high")),
    (0.6, pgettext_lazy("agreement", "fair")),
    (0.4, pgettext_lazy("agreement", "moderate")),
    (float("-inf"), pgettext_lazy("agreement", "low")),
)


@dataclass(frozen=True)
class ScoreColumn:
    """One run's reply to a row that a user scores. name: A or B while the run is hidden.

    own: the user's own score. others: scores by other users, as (username, score, comment, why no gate counts it),
    empty until the user has scored if versions are hidden.
    """

    position: int
    run: Run
    row: RunRow | None
    name: str
    is_hidden: bool
    own: PersonScore | None
    others: Sequence[tuple[str, str, str, str]]
    differs: bool

    @property
    def has_reply(self) -> bool:
        """Whether there is a reply to score."""
        return self.row is not None and not self.row.is_failed

    @property
    def answer(self) -> str:
        """The reply's text."""
        return row_comparison.answer_text(self.row.actual) if self.row else ""

    @property
    def score(self) -> str:
        """The user's own score, or empty."""
        return self.own.score if self.own else ""


def build_score_columns(
    person: User, runs: Sequence[Run], index: int, contributors: Collection[str], *, hide: bool
) -> list[ScoreColumn]:
    """The runs' replies to one row. hide: shuffle them per row and user, and omit names until all are scored."""
    rows = {row.run_id: row for row in RunRow.objects.filter(run__in=[run.pk for run in runs], index=index)}
    scores = person_score_queries.list_person_scores(runs, [index])
    differing = {run for run, _ in person_score_queries.find_differing_rows(scores)}
    own = {score.run_id: score for score in scores if score.person_id == person.pk}
    replied = {pk for pk, row in rows.items() if not row.is_failed}
    awaited = {run.pk for run in runs if not run.is_over and run.pk not in rows}
    hidden = hide and not replied | awaited <= set(own)
    order = person_score_queries.shuffle_columns(runs, index, person.username) if hide else list(runs)
    columns = []
    for position, run in enumerate(order):
        others = [
            (score.person.username, str(_WORDS[score.score]), score.comment, _explain_uncounted(score, contributors))
            for score in scores
            if score.run_id == run.pk and score.person_id != person.pk and not hidden
        ]
        letter = "ABCDE"[position]
        title = f"{write_version_title(run)} {run.model}"
        name = letter if hidden else f"{letter}: {title}" if hide else title
        columns.append(
            ScoreColumn(
                position,
                run,
                rows.get(run.pk),
                name,
                hidden,
                own.get(run.pk),
                tuple(others),
                run.pk in differing and not hidden,
            )
        )
    return columns


def show_score_form(
    actor: Actor, runs: Sequence[Run], index: int, *, hide: bool = False, back: str = "", following: str = ""
) -> dict[str, Any]:
    """The context of `_score_form.html`. back: the page to return to, by default the one that scores rows, which also
    finds the next row. following: the page of the next row, empty if there is none.
    """
    first = runs[0]
    contributors = frozenset().union(*(counted_scores.find_run_contributors(run) for run in runs))
    may_score = permissions.is_allowed(actor, Verb.COMMENT, first.template.namespace, first.template.path)
    return {
        "columns": build_score_columns(actor.person, runs, index, contributors, hide=hide),
        "index": index,
        "others": [run.number for run in runs[1:]],
        "hide": hide,
        "back": back,
        "following": following,
        "scales": _SCALES,
        "may_score": may_score,
        "is_contributor": actor.person.username in contributors,
        "action": reverse("score-rows", args=[first.number]),
    }


def describe_people_scores(run: Run) -> dict[str, Any] | None:
    """The metric "Reviewed by people" of a run and its agreement; None without any score."""
    scores = person_score_queries.list_person_scores([run])
    if not scores:
        return None
    metric = person_score_queries.read_people_metric(scores)
    agreement = person_score_queries.measure_run_agreement(scores)
    contributors = counted_scores.find_run_contributors(run)
    facts: dict[str, Any] = {
        "mean": score_table.format_score(metric.mean),
        "count": metric.count,
        "raters": metric.raters,
        "uncounted": sum(bool(_explain_uncounted(score, contributors)) for score in scores),
        "differing": len(person_score_queries.find_differing_rows(scores)),
        "agreement": None,
    }
    if agreement is not None:
        value = agreement.value
        facts["agreement"] = {
            "measure": "Cohen's kappa" if agreement.measure == "cohen_kappa" else "Krippendorff's alpha",
            "is_too_early": agreement.items < _MIN_REPLIES,
            "value": "" if value is None else score_table.format_change(value).lstrip("+"),
            "word": "" if value is None else next(word for least, word in _BANDS if value >= least),
            "raters": agreement.raters,
            "items": agreement.items,
        }
    return facts


def _explain_uncounted(score: PersonScore, contributors: Collection[str]) -> str:
    """Why no gate counts the score, or empty."""
    if score.person.username in contributors:
        return gettext("contributed, so no gate counts it")
    return gettext("given through a key, so no gate counts it") if score.by_key else ""
