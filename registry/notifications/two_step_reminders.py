"""Reminders of two-step sign-in: an admin asks a person to turn it on where a namespace requires it."""

from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext, ngettext

from registry.accounts.actor import Actor
from registry.accounts.models import User, translate_for
from registry.core.errors import Conflict, NotFound
from registry.journal import log
from registry.notifications.models import TWO_STEP_REMINDER, Notification
from registry.people import queries as people_queries

__all__ = ["find_two_step_reminder", "remind_of_two_step"]

_PAUSE = timedelta(days=1)  # between two reminders to one person


def remind_of_two_step(*, actor: Actor, username: str) -> Notification:
    """Remind a person, on the home page and by mail, of the namespaces where they can only read without two-step
    sign-in.

    For admins of these namespaces and of the installation. Raises Conflict if no namespace requires it of them, or if
    they were reminded less than a day ago.
    """
    summaries = people_queries.list_people(actor, words=username, with_deactivated=True)
    summary = next((row for row in summaries if row.username == username), None)
    if summary is None:
        raise NotFound(gettext("There is no account {username}.").format(username=username[:150]))
    names = summary.closed_namespaces if summary.is_active else ()
    if not names:
        raise Conflict(gettext("Two-step sign-in of {username} is required nowhere, or on.").format(username=username))
    with transaction.atomic():
        person = User.objects.select_for_update(of=("self",)).get(username=username)
        at, earlier = log.now(), Notification.objects.filter(person=person, kind=TWO_STEP_REMINDER)
        if earlier.filter(created_at__gt=at - _PAUSE).exists():
            raise Conflict(gettext("{username} was reminded less than a day ago.").format(username=username))
        earlier.filter(read_at=None).update(read_at=at)

        def write_sentence() -> str:
            return ngettext(
                "{name} asks you to turn on two-step sign-in. Until then you can only read in {namespaces}.",
                "{name} asks you to turn on two-step sign-in. Until then you can only read in these namespaces: "
                "{namespaces}.",
                len(names),
            ).format(name=actor.person.display_name, namespaces=", ".join(names))

        return Notification.objects.create(
            person=person, kind=TWO_STEP_REMINDER, sentence=translate_for(person, write_sentence), created_at=at
        )


def find_two_step_reminder(actor: Actor) -> Notification | None:
    """The newest unread reminder of the actor."""
    return Notification.objects.filter(person=actor.person, kind=TWO_STEP_REMINDER, read_at=None).order_by("pk").last()
