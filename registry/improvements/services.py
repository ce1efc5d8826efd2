"""Services of improvements: starting, stopping and dismissing one, and taking it into a draft.

Nothing is written to the journal, as a proposal isn't a decision. Its text is saved, reviewed and published like any
other.
"""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Conflict, TooMany
from registry.evaluations import start_runs
from registry.evaluations.models import Run
from registry.improvements import queries
from registry.improvements.models import KEPT, Improvement
from registry.jobs import queue
from registry.jobs.models import Job
from registry.journal import log
from registry.namespaces.verbs import Verb
from registry.templates import named_drafts
from registry.templates import queries as template_queries
from registry.templates.models import Draft

__all__ = [
    "delete_old_improvements",
    "dismiss_improvement",
    "start_improvement",
    "stop_improvement",
    "take_improvement",
]

MAX_UNDER_WAY = 3  # the most unfinished improvements of one person in a namespace
_RUN_UNFINISHED = (Run.QUEUED, Run.RUNNING)


def start_improvement(
    *, actor: Actor, run: int, model: str, prompt: str, rows: int = 5, guidance: str = ""
) -> Improvement:
    """Start an improvement: the worker asks a model for a better text of the run's version, and measures it on the
    run's rows.

    Arguments and errors are those of `queries.plan_improvement`. Also raises TooMany if the person has `MAX_UNDER_WAY`
    under way in the namespace.
    """
    plan = queries.plan_improvement(actor=actor, run=run, model=model, prompt=prompt, rows=rows, guidance=guidance)
    with transaction.atomic():
        _require_room(actor, plan.run)
        improvement = Improvement.objects.create(
            person=actor.person,
            run=plan.run,
            prompt=plan.prompt,
            model=plan.endpoint.name,
            model_digest=plan.endpoint.digest,
            guidance=plan.guidance,
            shown_rows=list(plan.shown_rows),
            created_at=log.now(),
        )
        enqueue_asking(improvement)
    return queries.find_own_improvement(actor, improvement.number)


def enqueue_asking(improvement: Improvement) -> Job:
    """Queue the job that calls the model."""
    number = improvement.number
    return queue.enqueue(queue.IMPROVEMENT, subject=f"improvement {number}", payload={"improvement": number})


def _require_room(actor: Actor, run: Run) -> None:
    own = Improvement.objects.filter(person=actor.person, run__template__namespace=run.template.namespace_id)
    under_way = own.filter(state__in=Improvement.BEFORE_MEASURING).count()
    under_way += own.filter(state=Improvement.MEASURING, measurement__state__in=_RUN_UNFINISHED).count()
    if under_way >= MAX_UNDER_WAY:
        raise TooMany(
            gettext("You have {count} improvements under way: wait for one to end, or stop it.").format(
                count=under_way
            ),
            retry_after=30,
        )


def stop_improvement(*, actor: Actor, number: int) -> Improvement:
    """Stop an improvement: no more calls are made, and its measuring run is cancelled. A call in flight is counted.

    Raises Conflict once it is over.
    """
    with transaction.atomic():
        improvement = _lock(actor, number)
        if not improvement.is_under_way:
            raise Conflict(gettext("Improvement {number} has ended.").format(number=number), state=improvement.stage)
        if improvement.measurement is not None:
            start_runs.cancel_run(actor=actor, number=improvement.measurement.number)
        else:
            improvement.state, improvement.ended_at = Improvement.STOPPED, log.now()
            improvement.save(update_fields=["state", "ended_at"])
    return queries.find_own_improvement(actor, number)


def take_improvement(*, actor: Actor, number: int, draft_name: str) -> Draft:
    """Make the measured proposal a new draft of the actor.

    The draft is based on the improved version, so that a newer version is merged on save. Raises Conflict unless it is
    measured and not taken or dismissed, and what `named_drafts.start_draft_of_text` raises, such as Invalid for `draft`
    if the name is invalid or taken.
    """
    with transaction.atomic():
        improvement = _lock(actor, number)
        run = improvement.run
        template_queries.find_template(actor, Verb.SAVE, run.template.name)
        _require_decidable(improvement)
        draft = named_drafts.start_draft_of_text(
            actor=actor,
            name=run.template.name,
            draft_name=draft_name,
            document=improvement.document,
            base=run.version.number,
            message=improvement.explanation.partition("\n")[0],
        )
        _end(improvement, Improvement.TAKEN, log.now(), draft_name=draft.name)
    return draft


def dismiss_improvement(*, actor: Actor, number: int) -> Improvement:
    """Dismiss an improvement. Raises Conflict while it is under way, and if it was taken or dismissed."""
    with transaction.atomic():
        improvement = _lock(actor, number)
        if improvement.is_under_way or improvement.state in (Improvement.TAKEN, Improvement.DISMISSED):
            raise Conflict(
                gettext("Improvement {number} is {state}.").format(number=number, state=improvement.stage),
                state=improvement.stage,
            )
        _end(improvement, Improvement.DISMISSED, log.now())
    return queries.find_own_improvement(actor, number)


def _lock(actor: Actor, number: int) -> Improvement:
    queries.find_own_improvement(actor, number)
    list(Improvement.objects.select_for_update().filter(pk=number).values_list("pk"))
    return queries.find_own_improvement(actor, number)


def _require_decidable(improvement: Improvement) -> None:
    if improvement.stage != Improvement.DONE:
        raise Conflict(
            gettext("Improvement {number} is {state}: only a measured one becomes a draft.").format(
                number=improvement.number, state=improvement.stage
            ),
            state=improvement.stage,
        )
    if not improvement.document:
        raise Conflict(gettext("The text of this improvement is not stored any more."))


def _end(improvement: Improvement, state: str, at: datetime, *, draft_name: str = "") -> None:
    improvement.state, improvement.draft_name = state, draft_name
    improvement.ended_at = improvement.ended_at or at
    improvement.save(update_fields=["state", "draft_name", "ended_at"])


def delete_old_improvements() -> int:
    """Delete expired improvements, and draft runs that no improvement refers to any more. Return the number of
    improvements deleted.
    """
    before = log.now() - KEPT
    with transaction.atomic():
        numbers = list(Improvement.objects.filter(created_at__lte=before).values_list("pk", flat=True))
        Improvement.objects.filter(pk__in=numbers).delete()
        orphans = Run.everything.filter(is_draft=True, measured_improvement=None)
        Run.everything.filter(pk__in=list(orphans.values_list("pk", flat=True))).delete()
    return len(numbers)
