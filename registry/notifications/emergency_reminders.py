"""Reminders of emergencies that are not approved yet."""

from datetime import timedelta

from django.db import transaction
from django.utils.formats import date_format
from django.utils.translation import gettext

from registry.accounts.models import translate_for
from registry.changes import emergencies
from registry.changes.emergencies import Emergency
from registry.changes.models import ChangeRequest
from registry.journal import log
from registry.notifications.conversations import describe_change
from registry.notifications.models import EMERGENCY, Notification
from registry.notifications.queries import list_active_reviewers

__all__ = ["remind_of_emergencies"]

_DAY = timedelta(days=1)


def remind_of_emergencies() -> int:
    """Remind the reviewers and admins of each emergency that is not approved yet, once a day per person, by mail even
    if they chose no mail; for the clock. Returns how many were reminded.

    The notification at publishing counts as the first day's. Days on which no worker ran are skipped.
    """
    waiting = emergencies.find_emergencies(emergencies.list_waiting_changes())
    return sum(_remind_of_emergency(emergency) for emergency in waiting.values())


def _remind_of_emergency(emergency: Emergency) -> int:
    """Notify the reviewers and admins who were not notified of it in the last day; returns how many.

    Earlier reminders of it are marked as read, and are no longer mailed.
    """
    with transaction.atomic():
        rows = ChangeRequest.objects.select_for_update(of=("self",)).filter(unreviewed=True, emergency_closed_at=None)
        change = rows.filter(pk=emergency.change.pk).first()
        if change is None:
            return 0
        at, template = log.now(), emergency.change.template
        earlier = Notification.objects.filter(change=change, kind=EMERGENCY)
        reminded = set(earlier.filter(created_at__gt=at - _DAY).values_list("person", flat=True))
        if change.closed_at is not None and change.closed_at > at - _DAY:
            reminded.add(emergency.move.person_id)  # the publisher got no notification then
        people = [person for person in list_active_reviewers(template) if person.pk not in reminded]
        old = earlier.filter(person__in=people)
        old.filter(read_at=None).update(read_at=at)
        old.filter(mailed_at=None).update(mailed_at=at)
        facts = {"kind": EMERGENCY, "is_waiting": True, "template": template, "change": change, "created_at": at}
        Notification.objects.bulk_create(
            Notification(person=person, sentence=translate_for(person, lambda: _describe_overdue(emergency)), **facts)
            for person in people
        )
    return len(people)


def _describe_overdue(emergency: Emergency) -> str:
    change, move = emergency.change, emergency.move
    if emergency.is_served:
        advice = gettext("Approve it, or roll back.")
    elif emergency.holds:
        advice = gettext("{label} serves version {number} now: approve it all the same, or close it.")
    else:
        advice = gettext("{label} is not set any more: approve it all the same, or close it.")
    words = gettext("Published in an emergency by {name} on {date} and not yet approved: {subject}.").format(
        name=move.person.display_name, date=date_format(move.created_at, "j F"), subject=describe_change(change)
    )
    return f"{words} {move.reason} {advice.format(label=change.label, number=emergency.holds)}"
