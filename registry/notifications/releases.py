"""Notifications of acts on releases: decisions on several templates, publishing, roll back, withdrawing, joining.

Everybody is notified once, however many templates an act is about. A row refers to the first change that concerns the
person, and its kind leads to the page of the release.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, ngettext

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User, translate_for
from registry.changes.events import ChangeDecided
from registry.changes.models import ChangeRequest, Decision
from registry.notifications import queries as notification_queries
from registry.notifications.conversations import describe_change, describe_release, notify_mentioned
from registry.notifications.models import RELEASE_DECISION, Notification
from registry.notifications.queries import list_active_reviewers
from registry.releases.events import (
    ReleaseChanged,
    ReleaseOpened,
    ReleasePublished,
    ReleaseRolledBack,
    ReleaseStep,
    ReleaseWithdrawn,
)
from registry.releases.models import Release
from registry.templates.label_events import LabelMoved
from registry.templates.label_models import LabelMove

__all__ = ["notify_of_joint_decision", "notify_of_release_step"]

_RELATED = ("template__namespace", "opened_by", "version__author")


@dataclass(frozen=True)
class _Concern:
    """A change, the people whom the act on it concerns, and its time."""

    change: ChangeRequest
    people: Collection[User]
    at: datetime


def notify_of_joint_decision(actor: Actor, decisions: Sequence[Decision]) -> None:
    """Notify the people of several changes of a release of what one act decided on them."""
    first = decisions[0]
    release = first.change.release
    if release is None:
        raise ValueError(f"change {first.change.number} belongs to no release")
    names = ", ".join(_describe_version(decision.change) for decision in decisions)

    def write_sentence() -> str:
        sentence = gettext("{name} asked for edits in {count} templates of release {release}: {templates}.")
        if first.decision == Decision.APPROVE:
            sentence = gettext("{name} approved {count} templates of release {release}: {templates}.")
        return sentence.format(
            name=actor.person.display_name, count=len(decisions), release=describe_release(release), templates=names
        )

    at = first.created_at
    notified = notify_mentioned(actor, first.change, [first.text], where=describe_release(release), at=at)
    concerns = [_Concern(it.change, [it.change.opened_by, it.change.version.author], it.created_at) for it in decisions]
    _notify(actor, RELEASE_DECISION, concerns, write_sentence, topic=ChangeDecided.kind, notified=notified)


def notify_of_release_step(actor: Actor, event: ReleaseStep, release: Release) -> None:
    """Notify of a release that was published, rolled back or withdrawn, and of changes of others that joined it."""
    if isinstance(event, ReleasePublished):
        _notify_of_publication(actor, event, release)
    elif isinstance(event, ReleaseRolledBack):
        _notify_of_roll_back(actor, event, release)
    elif isinstance(event, ReleaseWithdrawn):
        _notify_of_withdrawal(actor, event, release)
    elif isinstance(event, ReleaseOpened):
        _notify_of_joined(actor, event, release, event.changes)
    elif isinstance(event, ReleaseChanged):
        _notify_of_joined(actor, event, release, event.added)
        _notify_of_removed(actor, event, release)


def _notify_of_publication(actor: Actor, event: ReleasePublished, release: Release) -> None:
    rows = LabelMove.objects.filter(change__number__in=event.changes, how="published").order_by("template__name")
    rows = rows.select_related("template__namespace", "before__author", "after__author", "change__opened_by")
    moves = list(rows.defer("before__bundle", "after__bundle"))
    concerns, names = [], []
    for move in moves:
        if move.change is None or move.after is None:
            continue
        move.change.template = move.template
        deciders = User.objects.filter(pk__in=move.change.decisions.values("person"))
        authors = [version.author for version in (move.before, move.after) if version is not None]
        concerns.append(_Concern(move.change, [*authors, move.change.opened_by, *deciders], release.updated_at))
        names.append(f"{move.template.name} v{move.after.number}")

    def write_sentence() -> str:
        return gettext("{name} published release {release}: {label} serves {templates}.").format(
            name=actor.person.display_name,
            release=describe_release(release),
            label=release.label,
            templates=", ".join(names),
        )

    _notify(actor, event.kind, concerns, write_sentence, topic=LabelMoved.kind)


def _notify_of_roll_back(actor: Actor, event: ReleaseRolledBack, release: Release) -> None:
    """The people behind what was served and is served again, and the reviewers, as of a roll back of one template."""
    changes = {change.template_id: change for change in _list_members(release) if change.number in event.changes}
    rows = LabelMove.objects.filter(
        template__in=changes, label=release.label, how="rolled_back", created_at__lte=release.updated_at
    ).select_related("template__namespace", "before__author", "after__author")
    moves = {move.template_id: move for move in rows.defer("before__bundle", "after__bundle").order_by("pk")}
    concerns, names = [], []
    for template, change in changes.items():
        move = moves[template]
        authors = [version.author for version in (move.before, move.after) if version is not None]
        people = [*authors, release.opened_by, change.opened_by, *list_active_reviewers(move.template)]
        concerns.append(_Concern(change, people, release.updated_at))
        names.append(f"{change.template.name} v{move.after.number if move.after else 0}")

    def write_sentence() -> str:
        return gettext("{name} rolled back release {release}: {label} serves {templates} again. {reason}").format(
            name=actor.person.display_name,
            release=describe_release(release),
            label=release.label,
            templates=", ".join(names),
            reason=event.reason,
        )

    _notify(actor, event.kind, concerns, write_sentence, topic=LabelMoved.kind)


def _notify_of_withdrawal(actor: Actor, event: ReleaseWithdrawn, release: Release) -> None:
    """Notify the people concerned by the changes that were withdrawn with the release, including changes that were
    open before it.
    """
    changes = [change for change in _list_members(release) if change.state == ChangeRequest.WITHDRAWN]
    concerns = []
    for change in changes:
        deciders = User.objects.filter(pk__in=change.decisions.values("person"))
        people = [release.opened_by, change.opened_by, change.version.author, *deciders]
        concerns.append(_Concern(change, people, release.updated_at))
    names = ", ".join(_describe_version(change) for change in changes)

    def write_sentence() -> str:
        sentence = ngettext(
            "{name} withdrew release {release} with the change of {templates}: {reason}",
            "{name} withdrew release {release} with the changes of {templates}: {reason}",
            len(changes),
        )
        return sentence.format(
            name=actor.person.display_name, release=describe_release(release), templates=names, reason=event.reason
        )

    _notify(actor, event.kind, concerns, write_sentence)


def _notify_of_joined(actor: Actor, event: ReleaseStep, release: Release, numbers: Sequence[int]) -> None:
    """Each opener of changes that joined as they were; their watchers were notified when they were proposed."""
    joined: dict[int, list[ChangeRequest]] = {}
    for change in _list_members(release):
        if change.number in numbers and change.opened_by_id != actor.person.pk:
            joined.setdefault(change.opened_by_id, []).append(change)
    for changes in joined.values():
        subjects = ", ".join(describe_change(change) for change in changes)

        def write_sentence(subjects: str = subjects, count: int = len(changes)) -> str:
            sentence = ngettext(
                "{name} made your change part of release {release}, with which it is published or withdrawn: "
                "{subjects}.",
                "{name} made your changes part of release {release}, with which they are published or withdrawn: "
                "{subjects}.",
                count,
            )
            return sentence.format(name=actor.person.display_name, release=describe_release(release), subjects=subjects)

        concern = _Concern(changes[0], [changes[0].opened_by], release.updated_at)
        _notify(actor, event.kind, [concern], write_sentence, has_watchers=False)


def _notify_of_removed(actor: Actor, event: ReleaseChanged, release: Release) -> None:
    """Each opener of changes that were removed while open: from now on nobody publishes them with the others."""
    rows = ChangeRequest.objects.pending().filter(number__in=event.removed).select_related(*_RELATED)
    for change in rows.exclude(opened_by=actor.person).defer("version__bundle").order_by("number"):

        def write_sentence(change: ChangeRequest = change) -> str:
            return gettext("{name} removed your change from release {release}: {subject} goes live on its own.").format(
                name=actor.person.display_name, release=describe_release(release), subject=describe_change(change)
            )

        concern = _Concern(change, [change.opened_by], release.updated_at)
        _notify(actor, event.kind, [concern], write_sentence, has_watchers=False)


def _list_members(release: Release) -> list[ChangeRequest]:
    rows = release.members.select_related(*_RELATED)
    return list(rows.defer("version__bundle").order_by("template__name", "number"))


def _describe_version(change: ChangeRequest) -> str:
    return f"{change.template.name} v{change.version.number}"


def _notify(  # one place for every act on a release
    actor: Actor,
    kind: str,
    concerns: Iterable[_Concern],
    write_sentence: Callable[[], str],
    *,
    topic: str = "",
    notified: Collection[User] = (),
    has_watchers: bool = True,
) -> None:
    """Notify everybody concerned once. topic: the kind of event by which templates are watched; notified: people who
    were already notified otherwise.
    """
    first: dict[int, tuple[User, _Concern]] = {}
    for concern in concerns:
        watchers = notification_queries.list_watchers(concern.change.template, topic) if has_watchers else []
        for person in (*concern.people, *watchers):
            first.setdefault(person.pk, (person, concern))
    for person in (actor.person, *notified):
        first.pop(person.pk, None)
    Notification.objects.bulk_create(
        Notification(
            person=person,
            kind=kind,
            sentence=translate_for(person, write_sentence),
            template=concern.change.template,
            change=concern.change,
            created_at=concern.at,
        )
        for person, concern in first.values()
        if person.is_active and person.username != OPERATOR
    )
