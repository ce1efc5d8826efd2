"""Notifications of schedules that a freeze will stop, and of those that ended without publishing.

They go to the people who proposed and who scheduled the change. If none of them can sign in any more, they go to the
reviewers of the template: otherwise nobody would learn that it did not go live.
"""

from collections.abc import Callable, Collection
from functools import partial

from django.utils.translation import gettext

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User, translate_for
from registry.changes import queries as change_queries
from registry.changes.models import ChangeRequest
from registry.changes.schedule_events import ChangeUnscheduled
from registry.freezes.events import FreezeSet
from registry.freezes.models import Freeze
from registry.journal import log
from registry.notifications.models import Notification
from registry.notifications.queries import list_active_reviewers
from registry.releases.models import Release
from registry.releases.schedule_events import ReleaseUnscheduled
from registry.releases.stopped_schedules import StoppedSchedule, list_freeze_effects

__all__ = ["notify_of_freeze", "notify_of_unpublished_change", "notify_of_unpublished_release"]


def notify_of_freeze(actor: Actor, freeze: Freeze) -> None:
    """Notify the people whose scheduled publications the freeze stops, while they can still choose another date, and
    those whose rollouts wait for it.
    """
    for stop in list_freeze_effects([freeze])[0].stops:
        is_release = stop.kind == "release"
        changes = ChangeRequest.objects.select_related("opened_by", "template", "release__opened_by")
        key = {"release": stop.number} if is_release else {"number": stop.change}
        change = changes.filter(**key).order_by("number").first()
        if change is None:
            continue
        opened = change.release if is_release and change.release else change
        people = {opened.opened_by.username, stop.scheduled_by} - {actor.person.username}
        _notify_people(people, FreezeSet.kind, partial(_describe_stop, actor, freeze, stop), change)


def _describe_stop(actor: Actor, freeze: Freeze, stop: StoppedSchedule) -> str:
    if stop.kind == "rollout":
        sentence = gettext("{stop} {person} set the freeze ({reason}).")
    else:
        sentence = gettext(
            "{stop} It will not be published then: {person} set a freeze ({reason}). Choose another date."
        )
    return sentence.format(stop=stop.sentence, person=actor.person.display_name, reason=freeze.reason)


def notify_of_ended_schedule(event: object, subject: object) -> None:
    """Notify of a schedule that ended without publishing. subject: the change or the release."""
    if isinstance(event, ChangeUnscheduled) and event.reason is not None and isinstance(subject, ChangeRequest):
        notify_of_unpublished_change(subject, event)
    elif isinstance(event, ReleaseUnscheduled) and event.reason is not None and isinstance(subject, Release):
        notify_of_unpublished_release(subject, event)


def notify_of_unpublished_change(change: ChangeRequest, event: ChangeUnscheduled) -> None:
    """Notify the proposer and the scheduler; for services, in the transaction of the event."""

    def write_sentence() -> str:
        return gettext(
            "Not published as scheduled: {template} v{number} for {label} (change {change}). {reason}"
        ).format(
            template=change.template.name,
            number=change.version.number,
            label=change.label,
            change=change.number,
            reason=event.reason,
        )

    _notify_people([change.opened_by.username, event.scheduled_by or ""], event.kind, write_sentence, change)


def notify_of_unpublished_release(release: Release, event: ReleaseUnscheduled) -> None:
    """Notify the scheduler and the proposers of the release and of its requests; for services, in the transaction of
    the event.
    """
    members = change_queries.list_members([release.number])
    if not members:
        return
    people = [release.opened_by.username, event.scheduled_by or "", *(it.opened_by.username for it in members)]

    def write_sentence() -> str:
        return gettext("Not published as scheduled: release {number}, {title}. {reason}").format(
            number=release.number, title=release.title, reason=event.reason
        )

    _notify_people(people, event.kind, write_sentence, members[0])


def _notify_people(
    usernames: Collection[str], kind: str, write_sentence: Callable[[], str], change: ChangeRequest
) -> None:
    named_people = User.objects.filter(username__in=usernames, is_active=True).exclude(username=OPERATOR).order_by("pk")
    people = list(named_people) or list_active_reviewers(change.template)
    at = log.now()
    Notification.objects.bulk_create(
        Notification(
            person=person,
            kind=kind,
            sentence=translate_for(person, write_sentence),
            template=change.template,
            change=change,
            created_at=at,
        )
        for person in people
    )
