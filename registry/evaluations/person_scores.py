"""Services of people's scores: giving and removing one's own score of a run's reply."""

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid
from registry.core.input_checks import check_text
from registry.evaluations import attachment_queries, run_queries
from registry.evaluations.events import ScoresChanged
from registry.evaluations.models import PersonScore, Run
from registry.journal import log
from registry.journal.event import Occasion, run_reactions
from registry.namespaces.verbs import Verb

__all__ = ["MAX_COMMENT_LENGTH", "remove_score", "set_score"]

MAX_COMMENT_LENGTH = 4000  # bytes


def set_score(*, actor: Actor, number: int, index: int, score: str, comment: str = "") -> PersonScore:
    """Set the actor's score of run `number`'s reply to the row `index`, replacing an earlier one.

    score: good, bad, or 1 to 5. For authors, reviewers and admins; also for contributors to the version, whose scores a
    gate does not count. Raises Conflict while the run is queued, Invalid for a row without a reply.
    """
    if score not in PersonScore.GRADES:
        raise Invalid(fields={"score": gettext("good, bad, or 1 to 5.")})
    check_text("comment", comment, MAX_COMMENT_LENGTH)
    run = _find_started_run(actor, number)
    detail = run_queries.read_run_row(run, index)
    if detail.row is None or detail.row.is_failed:
        raise Invalid(
            fields={
                "row": gettext("row {row} of run {number} has no reply to score.").format(row=index + 1, number=number)
            }
        )
    at = log.now()
    with transaction.atomic():
        score_row, _ = PersonScore.objects.update_or_create(
            run=run,
            index=index,
            person=actor.person,
            defaults={"score": score, "comment": comment, "by_key": actor.key is not None, "updated_at": at},
            create_defaults={
                "score": score,
                "comment": comment,
                "by_key": actor.key is not None,
                "created_at": at,
                "updated_at": at,
            },
        )
        _announce_scores(run)
    return score_row


def remove_score(*, actor: Actor, number: int, index: int) -> None:
    """Remove the actor's score of a reply, with its comment, if there is one."""
    run = _find_started_run(actor, number)
    with transaction.atomic():
        if PersonScore.objects.filter(run=run, index=index, person=actor.person).delete()[0]:
            _announce_scores(run)


def _find_started_run(actor: Actor, number: int) -> Run:
    run = run_queries.find_run(actor, Verb.COMMENT, number)
    if run.state == Run.QUEUED:
        raise Conflict(
            gettext("Run {number} is {state}: its replies are scored once they come.").format(
                number=number, state=run.state
            ),
            state=run.state,
        )
    return run


def _announce_scores(run: Run) -> None:
    """Trigger a new check of the change requests whose gates count scores by people."""
    if any(plan.people_gates for plan in attachment_queries.list_plans_of_template(run.template)):
        run_reactions(Occasion(ScoresChanged(), subject=(run.template,)))
