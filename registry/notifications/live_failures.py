"""Notifications of live versions that fail their evaluation in a nightly run, and of their recovery."""

from collections.abc import Callable

from django.utils.translation import gettext

from registry.accounts.actor import OPERATOR
from registry.accounts.models import translate_for
from registry.evaluations.events import EvaluationFailing, EvaluationRecovered
from registry.evaluations.metric_titles import describe_finding
from registry.evaluations.models import Run
from registry.journal import log
from registry.notifications import queries
from registry.notifications.models import Notification

__all__ = ["notify_of_nightly_outcome"]


def notify_of_nightly_outcome(run: Run, event: object) -> None:
    """Notify of a nightly run that failed on what is live, or passed again."""
    if isinstance(event, EvaluationFailing):
        notify_of_live_failure(run, event)
    elif isinstance(event, EvaluationRecovered):
        notify_of_recovery(run, event)


def notify_of_live_failure(run: Run, event: EvaluationFailing) -> None:
    """Notify the version's author, the reviewers and admins, and the template's followers; for services, in the
    transaction of the event.
    """

    def write_sentence() -> str:
        return gettext("Failing in production: {template} v{version} on {label}, {evaluation}: {findings}.").format(
            template=event.template,
            version=event.version,
            label=event.label,
            evaluation=event.evaluation,
            findings="; ".join(map(describe_finding, event.findings)),
        )

    _notify_people(run, event.kind, write_sentence)


def notify_of_recovery(run: Run, event: EvaluationRecovered) -> None:
    """Notify the same people that it passes again."""

    def write_sentence() -> str:
        return gettext("{template} v{version} on {label} passes {evaluation} again.").format(
            template=event.template, version=event.version, label=event.label, evaluation=event.evaluation
        )

    _notify_people(run, event.kind, write_sentence)


def _notify_people(run: Run, kind: str, write_sentence: Callable[[], str]) -> None:
    people = [*queries.list_reviewers(run.template), run.version.author]
    concerned = {person.pk: person for person in [*people, *queries.list_watchers(run.template, kind)]}
    at = log.now()
    Notification.objects.bulk_create(
        Notification(
            person=person,
            kind=kind,
            sentence=translate_for(person, write_sentence),
            template=run.template,
            created_at=at,
        )
        for _, person in sorted(concerned.items())
        if person.is_active and person.username != OPERATOR
    )
