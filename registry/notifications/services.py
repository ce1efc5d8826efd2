"""Services of notifications: telling people what happened and what waits for them, and their choice of e-mail.

Notifications are written in the transaction of the rows that they are about.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import Key, User
from registry.changes import emergencies
from registry.changes import queries as change_queries
from registry.changes.emergencies import Emergency
from registry.changes.events import ChangeDecided
from registry.changes.models import ChangeRequest, Comment, Decision
from registry.changes.review_events import CommentAdded
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces import key_queries, permissions
from registry.namespaces.events import KeyIssued, KeyRotated
from registry.namespaces.models import Membership, Namespace
from registry.namespaces.permissions import Role, Verb
from registry.namespaces.rules import rules_of
from registry.notifications import queries as notification_queries
from registry.notifications.models import EMERGENCY, Notification, Watch
from registry.releases.events import ReleaseCommented
from registry.releases.models import ReleaseComment
from registry.rollouts.events import RolloutStep
from registry.rollouts.models import Rollout
from registry.templates.events import LabelMoved, VersionRedacted, VersionSaved
from registry.templates.label_models import LabelMove
from registry.templates.models import Version

__all__ = [
    "MOST_WATCHES",
    "end_waiting",
    "mark_notifications_read",
    "remind_of_emergencies",
    "set_watch_level",
    "tell_of_comment",
    "tell_of_decision",
    "tell_of_key",
    "tell_of_move",
    "tell_of_redaction",
    "tell_of_release_comment",
    "tell_of_rollout",
    "tell_of_save",
    "tell_reviewers",
]

_SAID = {
    Decision.APPROVE: "approved",
    Decision.REQUEST_CHANGES: "asked for changes in",
    Decision.COMMENT: "commented on",
    Decision.ACKNOWLEDGE: "acknowledged the break in",
}

_DAY = timedelta(days=1)
_MOVED = {"published": "published", "rolled_back": "rolled back", "broke_glass": "published without approval"}


def mark_notifications_read(*, actor: Actor, ids: Iterable[int]) -> int:
    """Mark those of the actor's notifications read that have these ids; how many were unread."""
    rows = Notification.objects.filter(person=actor.person, read_at=None, pk__in=list(ids))
    with transaction.atomic():
        return rows.update(read_at=log.now())


def tell_reviewers(actor: Actor, kind: str, change: ChangeRequest, waiting_for: Iterable[str]) -> None:
    """A request waits for these people; for services, in the transaction of the request's change."""
    end_waiting(change)
    sentence = f"{_name(actor)} asks for your review: {_subject(change)}."
    people = User.objects.filter(username__in=list(waiting_for))
    _tell(actor, kind, people, sentence, change, is_waiting=True)


def tell_of_decision(actor: Actor, decision: Decision) -> None:
    """Whoever opened the request or wrote its head hears of a decision; the one who made it waits for nothing more."""
    change = decision.change
    if decision.decision in (Decision.APPROVE, Decision.REQUEST_CHANGES):
        end_waiting(change, actor.person)
    sentence = f"{_name(actor)} {_SAID[decision.decision]} {_subject(change)}."
    _tell(actor, ChangeDecided.kind, [change.opened_by, change.version.author], sentence, change)


def tell_of_comment(actor: Actor, comment: Comment) -> None:
    """The request's people and the thread's hear of a comment."""
    change = comment.thread.change
    commenters = User.objects.filter(pk__in=comment.thread.comments.values("person"))
    sentence = f"{_name(actor)} wrote on line {comment.thread.line} of {_subject(change)}."
    _tell(actor, CommentAdded.kind, [change.opened_by, change.version.author, *commenters], sentence, change)


def tell_of_release_comment(actor: Actor, comment: ReleaseComment) -> None:
    """The people of a release's requests and those who commented on it before hear of a comment about all of it."""
    release = comment.release
    members = change_queries.list_members([release.number])
    if not members:
        return
    people = [release.opened_by, *User.objects.filter(pk__in=release.comments.values("person"))]
    people += [person for change in members for person in (change.opened_by, change.version.author)]
    sentence = f"{_name(actor)} commented on release {release.number}: {release.title}."
    _tell(actor, ReleaseCommented.kind, people, sentence, members[0])


def tell_of_rollout(actor: Actor, event: RolloutStep, rollout: Rollout) -> None:
    """Who started a rollout, whose change it is and who owns the template hear of its start, pause and stop."""
    template = rollout.template
    owners = User.objects.filter(username__in=rules_of(template.namespace).owners_of(template.path))
    people = [rollout.started_by, rollout.change.opened_by, rollout.candidate.author, *owners]
    ending = "" if (sentence := event.sentence()).endswith((".", "!", "?")) else "."
    _tell(actor, event.kind, people, f"{_name(actor)} {sentence}{ending}", rollout.change)


def tell_of_move(actor: Actor, move: LabelMove) -> None:
    """A label that moved through the gate or back concerns its authors, and when it went back the reviewers as well.

    Of one that moved freely only those hear who watch the template.
    """
    if move.how not in _MOVED or move.after is None:
        target = f"is on version {move.after.number}" if move.after else "is removed"
        sentence = f"{_name(actor)} moved {move.label} of {move.template.name}: it {target}."
        _write(actor, LabelMoved.kind, [], sentence, move, move.created_at)
        return
    people = [version.author for version in (move.before, move.after) if version is not None]
    if move.change is not None:
        end_waiting(move.change)
        deciders = move.change.decisions.values("person")
        people += [move.change.opened_by, *User.objects.filter(pk__in=deciders)]
    able = _able(move.template.namespace) if move.how != "published" else []
    people += able
    sentence = (
        f"{_name(actor)} {_MOVED[move.how]} {move.template.name}: {move.label} is on version {move.after.number}."
    )
    if move.reason and move.how != "published":
        sentence += f" {move.reason}"
    urgent = {person.pk for person in able} if move.how == "broke_glass" else set()
    _write(actor, LabelMoved.kind, people, sentence, move, move.created_at, urgent=urgent)


def remind_of_emergencies() -> int:
    """Remind the reviewers and admins of each emergency that is not approved yet, each person once a day, by mail
    whatever they wish to hear of; for the clock. Gives how many were reminded.

    What was told when it was published counts as the first day's. Days on which no worker ran are not made up for.
    """
    waiting = emergencies.find_emergencies(emergencies.list_waiting_changes())
    return sum(_remind_of_emergency(emergency) for emergency in waiting.values())


def _remind_of_emergency(emergency: Emergency) -> int:
    """Tell the reviewers and admins who were not told of it within a day that it still is not approved; how many were.

    Earlier reminders of the same are read thereby, and none of them goes out by mail any more.
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
            reminded.add(emergency.move.person_id)  # who published it needed not be told then
        people = [person for person in _able(template.namespace) if person.pk not in reminded]
        old = earlier.filter(person__in=people)
        old.filter(read_at=None).update(read_at=at)
        old.filter(mailed_at=None).update(mailed_at=at)
        facts = {"kind": EMERGENCY, "is_waiting": True, "template": template, "change": change, "created_at": at}
        sentence = _overdue(emergency)
        Notification.objects.bulk_create(Notification(person=person, sentence=sentence, **facts) for person in people)
    return len(people)


def tell_of_save(actor: Actor, version: Version) -> None:
    """Those who watch the template hear of a new version."""
    ending = f": {first}" if (first := version.message.strip().partition("\n")[0]) else "."
    sentence = f"{_name(actor)} saved {version.template.name} {version.number}{ending}"
    _write(actor, VersionSaved.kind, [], sentence, version, version.created_at)


def tell_of_redaction(actor: Actor, versions: Sequence[Version], reason: str, remotes: Sequence[str]) -> None:
    """The authors of what was redacted and the admins of its namespaces hear of it, and where copies may
    remain.
    """
    places = f" Copies are in {' and '.join(remotes)} until their owners remove them." if remotes else ""
    for version in versions:
        template = version.template
        admins = Membership.objects.filter(namespace=template.namespace, role=Role.ADMIN)
        people = [version.author, *User.objects.filter(pk__in=admins.values("person"))]
        sentence = f"{_name(actor)} redacted {template.name} {version.number}: {reason}{places}"
        _write(actor, VersionRedacted.kind, people, sentence, version, log.now())


def tell_of_key(actor: Actor, key: Key) -> None:
    """The person whom a key acts for hears of it, unless they made it themselves; for services, in its transaction."""
    person = key.person
    if person == actor.person or not person.is_active or person.username == OPERATOR:
        return
    kind, verb = (KeyRotated.kind, "rotated") if key.replaces_id else (KeyIssued.kind, "issued")
    sentence = (
        f"{_name(actor)} {verb} a key that acts in your name: {key.name} in {key.namespace.name}. It may "
        f"{key_queries.describe_key(key)}. If you do not want it, revoke it on your account page."
    )
    Notification.objects.create(person=person, kind=kind, sentence=sentence, key=key, created_at=key.created_at)


def end_waiting(change: ChangeRequest, person: User | None = None) -> None:
    """Nobody, or this person no more, is waited for in the request."""
    waiting = Notification.objects.filter(change=change, is_waiting=True, read_at=None)
    if person is not None:
        waiting = waiting.filter(person=person)
    waiting.update(read_at=log.now())


def _tell(
    actor: Actor,
    kind: str,
    people: Collection[User],
    sentence: str,
    change: ChangeRequest,
    *,
    is_waiting: bool = False,
) -> None:
    _write(actor, kind, people, sentence, change, log.now(), is_waiting=is_waiting)


def _write(
    actor: Actor,
    kind: str,
    people: Collection[User],
    sentence: str,
    about: ChangeRequest | LabelMove | Version,
    at: datetime,
    *,
    is_waiting: bool = False,
    urgent: Collection[int] = (),
) -> None:
    change = about if isinstance(about, ChangeRequest) else about.change if isinstance(about, LabelMove) else None
    concerned = {person.pk for person in people}
    everyone = {person.pk: person for person in [*people, *notification_queries.list_watchers(about.template, kind)]}
    everyone.pop(actor.person.pk, None)
    Notification.objects.bulk_create(
        Notification(
            person=person,
            kind=EMERGENCY if person.pk in urgent else kind,
            sentence=sentence,
            is_waiting=person.pk in urgent or (is_waiting and person.pk in concerned),
            template=about.template,
            change=change,
            created_at=at,
        )
        for person in everyone.values()
        if person.is_active and person.username != OPERATOR
    )


def _able(namespace: Namespace) -> list[User]:
    """Those who may approve in the namespace."""
    members = Membership.objects.filter(namespace=namespace, role__in=(Role.REVIEWER, Role.ADMIN))
    people = User.objects.filter(pk__in=members.values("person"), is_active=True)
    return list(people.exclude(username=OPERATOR).order_by("pk"))


def _overdue(emergency: Emergency) -> str:
    change, move = emergency.change, emergency.move
    subject = f"{change.template.name} {change.version.number} for {change.label} (change {change.number})"
    words = (
        f"Published in an emergency by {move.person.display_name} on {move.created_at:%-d %B} and not yet "
        f"approved: {subject}."
    )
    if emergency.is_served:
        return f"{words} {move.reason} Approve it, or roll back."
    now = f"serves version {emergency.holds} now" if emergency.holds else "is not set any more"
    return f"{words} {move.reason} {change.label} {now}: approve it all the same, or close it."


def _name(actor: Actor) -> str:
    return actor.person.display_name


def _subject(change: ChangeRequest) -> str:
    return f"{change.template.name} {change.version.number} for {change.label} (change {change.number})"


MOST_WATCHES = 100  # wishes of one person


def set_watch_level(
    *,
    actor: Actor,
    level: str | None,
    namespace: str | None = None,
    template: str = "",
    topics: Collection[str] = (),
) -> None:
    """Want mail of `all` that happens in a place, of what is `mine`, or `none`; None forgets the wish.

    namespace: None for everywhere; template: a pattern of paths in the namespace, empty for all; topics: of
    Watch.TOPICS, what of `all` is wanted, empty for everything. In no journal: it is a person's own affair.
    """
    if actor.key is not None:
        raise NotAllowed("A key gets no mail: sign in as a person to choose it.")
    if level is not None and level not in Watch.LEVELS:
        raise Invalid(fields={"level": f"one of {', '.join(Watch.LEVELS)}."})
    if set(topics) - set(Watch.TOPICS):
        raise Invalid(fields={"topics": f"some of {', '.join(Watch.TOPICS)}."})
    wanted_topics = [topic for topic in Watch.TOPICS if topic in topics] if level == Watch.ALL else []
    joined = "" if len(wanted_topics) == len(Watch.TOPICS) else ",".join(wanted_topics)
    pattern = check_text("template", template, 200).strip()
    if pattern and namespace is None:
        raise Invalid(fields={"namespace": "say in which namespace these paths are."})
    space = permissions.find_namespace(actor, Verb.READ, namespace) if namespace else None
    with transaction.atomic():
        same = Watch.objects.filter(person=actor.person, namespace=space, template=pattern)
        if level is None:
            same.delete()
        elif not same.update(level=level, topics=joined):
            if Watch.objects.filter(person=actor.person).count() >= MOST_WATCHES:
                raise Conflict(f"You have {MOST_WATCHES} wishes: forget one first.")
            Watch.objects.create(person=actor.person, namespace=space, template=pattern, level=level, topics=joined)
