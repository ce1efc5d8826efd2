"""Notifications of conversations: mentions and review requests."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User, translate_for
from registry.changes import mentions
from registry.changes import queries as change_queries
from registry.changes.conversation_events import ReviewRequested
from registry.changes.models import ChangeRequest
from registry.changes.revisions import EditedComment
from registry.journal import log
from registry.notifications.models import MENTION, Notification
from registry.releases.comments import EditedReleaseComment
from registry.releases.models import Release

__all__ = [
    "describe_change",
    "describe_release",
    "notify_mentioned",
    "notify_of_edit",
    "notify_of_release_edit",
    "notify_reviewer",
]


def notify_reviewer(actor: Actor, change: ChangeRequest, person: str, *, is_reminder: bool) -> None:
    """Notify a person that their review is requested; it replaces their pending notifications of the request.

    is_reminder: whether they were asked before.
    """
    at, reviewer = log.now(), User.objects.get(username=person)
    earlier = Notification.objects.filter(change=change, person=reviewer, is_waiting=True)
    earlier.filter(read_at=None).update(read_at=at)
    earlier.filter(mailed_at=None).update(mailed_at=at)

    def write_sentence() -> str:
        sentence = gettext("{name} asks for your review: {subject}.")
        if is_reminder:
            sentence = gettext("{name} asks for your review again: {subject}.")
        return sentence.format(name=actor.person.display_name, subject=describe_change(change))

    facts = {"kind": ReviewRequested.kind, "is_waiting": True, "template": change.template, "change": change}
    Notification.objects.create(
        person=reviewer, sentence=translate_for(reviewer, write_sentence), created_at=at, **facts
    )


def notify_of_edit(actor: Actor, edited: EditedComment) -> None:
    """Notify the people whom an edit newly mentions in a comment; nobody else."""
    change = edited.change
    namespace = change.template.namespace
    before = mentions.find_mentioned_people(namespace, [edited.before])
    notify_mentioned(actor, change, [edited.after], notified=before)


def notify_of_release_edit(actor: Actor, edited: EditedReleaseComment) -> None:
    """Notify the people whom an edit newly mentions in a comment on a release; nobody else."""
    release = edited.release
    members = change_queries.list_members([release.number])
    if members:
        before = mentions.find_mentioned_people(release.namespace, [edited.before])
        notify_mentioned(actor, members[0], [edited.after], notified=before, where=describe_release(release))


def notify_mentioned(
    actor: Actor,
    change: ChangeRequest,
    texts: Sequence[str],
    notified: Collection[User] = (),
    where: str = "",
    at: datetime | None = None,
) -> list[User]:
    """Notify the people whom these texts mention, except those already notified; returns everybody who need not be
    notified again.

    where: the translated name of the place; the request if empty. at: when the texts were first written, which is how
    mail finds them; now if None.
    """
    mentioned = mentions.find_mentioned_people(change.template.namespace, texts)
    people = [person for person in mentioned if person not in notified and person.pk != actor.person.pk]

    if not people:
        return [*notified]

    def write_sentence() -> str:
        return gettext("{name} mentioned you in {subject}.").format(
            name=actor.person.display_name, subject=where or describe_change(change)
        )

    facts = {"kind": MENTION, "template": change.template, "change": change, "created_at": at or log.now()}
    Notification.objects.bulk_create(
        Notification(person=person, sentence=translate_for(person, write_sentence), **facts) for person in people
    )
    return [*notified, *people]


def describe_release(release: Release) -> str:
    """`Shorter answers (5)`"""
    return f"{release.title} ({release.number})"


def describe_change(change: ChangeRequest) -> str:
    """`support/reply v3 for production (change 5)`"""
    return gettext("{name} v{number} for {label} (change {change_number})").format(
        name=change.template.name, number=change.version.number, label=change.label, change_number=change.number
    )
