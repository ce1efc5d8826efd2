"""Services of notifications: events, requests that await somebody, and marking notifications as read.

Notifications are written in the transaction of the rows that they are about.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User, translate_for
from registry.changes import queries as change_queries
from registry.changes.events import ChangeDecided
from registry.changes.models import ChangeRequest, Decision, DecisionAct
from registry.changes.review_events import CommentAdded
from registry.changes.thread_models import Comment
from registry.core.sentences import end_sentence
from registry.journal import log
from registry.namespaces.models import Membership, Role
from registry.namespaces.rules import list_owners
from registry.notifications import queries as notification_queries
from registry.notifications.conversations import describe_change, describe_release, notify_mentioned
from registry.notifications.models import EMERGENCY, Notification
from registry.notifications.queries import list_active_reviewers
from registry.notifications.releases import notify_of_joint_decision
from registry.releases.comment_events import ReleaseCommented
from registry.releases.models import ReleaseComment
from registry.rollouts.events import RolloutStep
from registry.rollouts.models import Rollout
from registry.rollouts.responsible import find_responsible
from registry.templates.events import VersionRedacted, VersionSaved
from registry.templates.label_events import LabelMoved
from registry.templates.label_models import LabelMove
from registry.templates.models import Version

__all__ = [
    "end_waiting",
    "mark_notifications_read",
    "notify_of_comment",
    "notify_of_decision",
    "notify_of_move",
    "notify_of_redaction",
    "notify_of_release_comment",
    "notify_of_rollout",
    "notify_of_save",
    "notify_reviewers",
]

_DECIDED = {
    Decision.APPROVE: gettext_lazy("{name} approved {subject}."),
    Decision.REQUEST_CHANGES: gettext_lazy("{name} asked for edits in {subject}."),
    Decision.COMMENT: gettext_lazy("{name} commented on {subject}."),
    Decision.ACKNOWLEDGE: gettext_lazy("{name} accepted the break in {subject}."),
    Decision.TAKE_BACK: gettext_lazy("{name} took back their approval of {subject}."),
}
_MOVED = {
    "published": gettext_lazy("{name} published {template}: {label} is on version {number}."),
    "rolled_back": gettext_lazy("{name} rolled back {template}: {label} is on version {number}."),
    "broke_glass": gettext_lazy("{name} published {template} without approval: {label} is on version {number}."),
}


def mark_notifications_read(*, actor: Actor, ids: Iterable[int]) -> int:
    """Mark the actor's notifications with these ids as read; returns how many were unread."""
    rows = Notification.objects.filter(person=actor.person, read_at=None, pk__in=list(ids))
    with transaction.atomic():
        return rows.update(read_at=log.now())


def notify_reviewers(actor: Actor, kind: str, change: ChangeRequest, waiting_for: Iterable[str]) -> None:
    """Notify these people that a request awaits their review; for services, in the transaction of the write."""
    end_waiting(change)
    people = User.objects.filter(username__in=list(waiting_for))

    def write_sentence() -> str:
        return gettext("{name} asks for your review: {subject}.").format(
            name=actor.person.display_name, subject=describe_change(change)
        )

    _notify_now(actor, kind, people, write_sentence, change, is_waiting=True)


def notify_of_decision(actor: Actor, act: DecisionAct, taken_back: str | None = None) -> None:
    """Notify the opener of the request and the author of its head of a decision, at the end of its act. The request no
    longer waits for the person who decided.

    taken_back: the decision that was taken back by this one.
    """
    decision, change = act.decision, act.decision.change
    if decision.decision in (Decision.APPROVE, Decision.REQUEST_CHANGES):
        end_waiting(change, actor.person)
    if act.earlier and act.is_last:
        notify_of_joint_decision(actor, [*act.earlier, decision])
    if act.earlier or not act.is_last:
        return

    def write_sentence() -> str:
        sentence = str(_DECIDED[decision.decision])
        if taken_back == Decision.REQUEST_CHANGES:
            sentence = gettext("{name} no longer asks for edits in {subject}.")
        return sentence.format(name=actor.person.display_name, subject=describe_change(change))

    at, people = decision.created_at, [change.opened_by, change.version.author]
    notified = notify_mentioned(actor, change, [decision.text], at=at)
    _write(actor, ChangeDecided.kind, people, write_sentence, change, at, notified=notified)


def notify_of_comment(actor: Actor, comment: Comment) -> None:
    """Notify the participants of the request and the thread of a comment."""
    change = comment.thread.change
    commenters = User.objects.filter(pk__in=comment.thread.comments.values("person"))

    def write_sentence() -> str:
        return gettext("{name} wrote on line {line} of {subject}.").format(
            name=actor.person.display_name, line=comment.thread.line, subject=describe_change(change)
        )

    at, people = comment.created_at, [change.opened_by, change.version.author, *commenters]
    notified = notify_mentioned(actor, change, [comment.text], at=at)
    _write(actor, CommentAdded.kind, people, write_sentence, change, at, notified=notified)


def notify_of_release_comment(actor: Actor, comment: ReleaseComment) -> None:
    """Notify the people of a release's requests and earlier commenters of a comment on the release."""
    release = comment.release
    members = change_queries.list_members([release.number])
    if not members:
        return
    people = [release.opened_by, *User.objects.filter(pk__in=release.comments.values("person"))]
    people += [person for change in members for person in (change.opened_by, change.version.author)]

    def write_sentence() -> str:
        return gettext("{name} commented on release {number}: {title}.").format(
            name=actor.person.display_name, number=release.number, title=release.title
        )

    at = comment.created_at
    notified = notify_mentioned(actor, members[0], [comment.text], where=describe_release(release), at=at)
    _write(actor, ReleaseCommented.kind, people, write_sentence, members[0], at, notified=notified)


def notify_of_rollout(actor: Actor, event: RolloutStep, rollout: Rollout) -> None:
    """Notify the people of a rollout and of its change, and the template's owners, of its start, pause and stop."""
    template = rollout.template
    owners = User.objects.filter(username__in=list_owners(template.namespace, template.path))
    people = [find_responsible([rollout])[rollout.number].person, rollout.change.opened_by, rollout.candidate.author]

    def write_sentence() -> str:
        return end_sentence(f"{actor.person.display_name} {event.write_sentence()}")

    _notify_now(
        actor, event.kind, [rollout.started_by, *people, *owners], write_sentence, rollout.change, is_waiting=False
    )


def notify_of_move(actor: Actor, move: LabelMove) -> None:
    """Notify the people behind a gated move or a roll back; except for a normal publication, the reviewers too.

    Only watchers of the template are notified of an ungated move, and nobody of one that belongs to the publication or
    the roll back of a release, which is announced once.
    """
    if move.is_of_release:
        return
    if move.how == "published" and move.change is not None and move.change.open_release is not None:
        end_waiting(move.change)
        return
    if move.how not in _MOVED or move.after is None:
        _write(actor, LabelMoved.kind, [], lambda: _describe_free_move(actor, move), move, move.created_at)
        return
    people = [version.author for version in (move.before, move.after) if version is not None]
    if move.change is not None:
        end_waiting(move.change)
        deciders = move.change.decisions.values("person")
        people += [move.change.opened_by, *User.objects.filter(pk__in=deciders)]
    able = list_active_reviewers(move.template) if move.how != "published" else []
    people += able
    urgent = {person.pk for person in able} if move.how == "broke_glass" else set()
    _write(actor, LabelMoved.kind, people, lambda: _describe_move(actor, move), move, move.created_at, urgent=urgent)


def _describe_free_move(actor: Actor, move: LabelMove) -> str:
    if move.after:
        sentence = gettext("{name} moved {label} of {template}: it is on version {number}.")
    else:
        sentence = gettext("{name} moved {label} of {template}: it is removed.")
    return _fill(sentence, actor, move)


def _describe_move(actor: Actor, move: LabelMove) -> str:
    words = str(_MOVED[move.how])
    if move.how == "broke_glass" and move.change is not None and not move.change.unreviewed:
        words = gettext("{name} published {template} in an emergency: {label} is on version {number}.")
    sentence = _fill(words, actor, move)
    return f"{sentence} {move.reason}" if move.reason and move.how != "published" else sentence


def _fill(sentence: str, actor: Actor, move: LabelMove) -> str:
    number = move.after.number if move.after else None
    return sentence.format(name=actor.person.display_name, label=move.label, template=move.template.name, number=number)


def notify_of_save(actor: Actor, version: Version) -> None:
    """Notify the watchers of the template of a new version."""
    first = version.message.strip().partition("\n")[0]

    def write_sentence() -> str:
        sentence = gettext("{name} saved {template} v{number}: {message}")
        if not first:
            sentence = gettext("{name} saved {template} v{number}.")
        return sentence.format(
            name=actor.person.display_name, template=version.template.name, number=version.number, message=first
        )

    _write(actor, VersionSaved.kind, [], write_sentence, version, version.created_at)


def notify_of_redaction(actor: Actor, versions: Sequence[Version], reason: str, remotes: Sequence[str]) -> None:
    """Notify the authors of redacted text and the admins of its namespaces, including where copies may remain."""
    for version in versions:
        template = version.template
        admins = Membership.objects.filter(namespace=template.namespace, role=Role.ADMIN)
        people = [version.author, *User.objects.filter(pk__in=admins.values("person"))]
        write_sentence = partial(_describe_redaction, actor, version, reason, remotes)
        _write(actor, VersionRedacted.kind, people, write_sentence, version, log.now())


def _describe_redaction(actor: Actor, version: Version, reason: str, remotes: Sequence[str]) -> str:
    sentence = gettext("{name} redacted {template} v{number}: {reason}").format(
        name=actor.person.display_name, template=version.template.name, number=version.number, reason=reason
    )
    if not remotes:
        return sentence
    places = gettext("Copies are in {places} until their owners remove them.")
    return f"{sentence} {places.format(places=gettext(' and ').join(remotes))}"


def end_waiting(change: ChangeRequest, person: User | None = None) -> None:
    """Mark the request as no longer waiting for anybody, or for this person."""
    waiting = Notification.objects.filter(change=change, is_waiting=True, read_at=None)
    if person is not None:
        waiting = waiting.filter(person=person)
    waiting.update(read_at=log.now())


def _notify_now(
    actor: Actor,
    kind: str,
    people: Collection[User],
    write_sentence: Callable[[], str],
    change: ChangeRequest,
    is_waiting: bool,
) -> None:
    _write(actor, kind, people, write_sentence, change, log.now(), is_waiting=is_waiting)


def _write(  # noqa: PLR0913  # the only place that writes them, for every kind of notification
    actor: Actor,
    kind: str,
    people: Collection[User],
    write_sentence: Callable[[], str],
    about: ChangeRequest | LabelMove | Version,
    at: datetime,
    *,
    is_waiting: bool = False,
    urgent: Collection[int] = (),
    notified: Collection[User] = (),
) -> None:
    """Notify the people and the watchers. notified: people who were already notified otherwise."""
    change = about if isinstance(about, ChangeRequest) else about.change if isinstance(about, LabelMove) else None
    concerned = {person.pk for person in people}
    everyone = {person.pk: person for person in [*people, *notification_queries.list_watchers(about.template, kind)]}
    for person in (actor.person, *notified):
        everyone.pop(person.pk, None)
    Notification.objects.bulk_create(
        Notification(
            person=person,
            kind=EMERGENCY if person.pk in urgent else kind,
            sentence=translate_for(person, write_sentence),
            is_waiting=person.pk in urgent or (is_waiting and person.pk in concerned),
            template=about.template,
            change=change,
            created_at=at,
        )
        for person in everyone.values()
        if person.is_active and person.username != OPERATOR
    )
