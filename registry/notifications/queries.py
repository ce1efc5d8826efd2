"""Queries about notifications: those about a person's keys, mail preferences, and watchers of a template."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from django.db.models import Q

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User
from registry.changes.events import ChangeDecided, ChangeHeaded, ChangeProposed, ChangeReopened
from registry.changes.review_events import CommentAdded
from registry.namespaces.models import Membership, Namespace, Role
from registry.namespaces.permissions import filter_by_role, read_member_roles
from registry.namespaces.verbs import TABLE, Verb
from registry.notifications.models import UNUSED_KEY, Notification, Watch
from registry.releases.comment_events import ReleaseCommented
from registry.rollouts.events import RolloutPaused, RolloutStarted, RolloutStopped
from registry.templates.events import VersionSaved
from registry.templates.label_events import LabelMoved
from registry.templates.models import Template

__all__ = [
    "list_active_reviewers",
    "list_key_notifications",
    "list_own_watches",
    "list_reviewers",
    "list_watchers",
    "watch_level",
]

_MAX_OF_KEYS = 20
_TOPICS: Mapping[str, str] = {
    LabelMoved.kind: Watch.PUBLISHED,
    RolloutStarted.kind: Watch.PUBLISHED,
    RolloutPaused.kind: Watch.PUBLISHED,
    RolloutStopped.kind: Watch.PUBLISHED,
    ChangeProposed.kind: Watch.PROPOSED,
    ChangeHeaded.kind: Watch.PROPOSED,
    ChangeReopened.kind: Watch.PROPOSED,
    ChangeDecided.kind: Watch.COMMENTS,
    CommentAdded.kind: Watch.COMMENTS,
    ReleaseCommented.kind: Watch.COMMENTS,
    VersionSaved.kind: Watch.SAVED,
}


def list_key_notifications(actor: Actor) -> list[Notification]:
    """List unread notifications about keys that act for the actor, newest first.

    Unused keys are excluded: they are listed as long as they are unused.
    """
    rows = Notification.objects.filter(person=actor.person, read_at=None, key__isnull=False).exclude(kind=UNUSED_KEY)
    return list(rows.select_related("key__namespace").order_by("-pk")[:_MAX_OF_KEYS])


def list_own_watches(actor: Actor) -> list[Watch]:
    """List the actor's watches, the broadest first."""
    rows = Watch.objects.filter(person=actor.person).select_related("namespace")
    return sorted(rows, key=lambda watch: (watch.namespace.name if watch.namespace else "", len(watch.template)))


def watch_level(watches: Iterable[Watch], namespace: Namespace, path: str) -> str:
    """A person's level for a path: that of their most specific watch, else what concerns them (`mine`)."""
    watch = _find_narrowest(watches, namespace, path)
    return watch.level if watch else Watch.MINE


def list_reviewers(template: Template) -> list[User]:
    """List the people who may approve changes of the template, through a role in the namespace or in one of its
    folders.
    """
    able = [role for role in Role if role.rank >= TABLE[Verb.APPROVE].rank]
    rows = template.namespace.memberships.filter(filter_by_role(able)).select_related("person")
    members = [(row.person, read_member_roles(row.role, row.folder_roles)) for row in rows.order_by("person_id")]
    return [person for person, roles in members if roles.at(template.path) in able]


def list_active_reviewers(template: Template) -> list[User]:
    """List the reviewers of the template who can sign in: people with an active account."""
    return [person for person in list_reviewers(template) if person.is_active and person.username != OPERATOR]


def list_watchers(template: Template, kind: str = "") -> list[User]:
    """List the members who watch everything about the template, or at least this kind of event. A kind without a topic
    goes to all watchers.
    """
    topic = _TOPICS.get(kind)
    watches = Watch.objects.filter(Q(namespace=template.namespace) | Q(namespace=None))
    wanting = watches.filter(level=Watch.ALL).values("person")
    members = Membership.objects.filter(namespace=template.namespace).values("person")
    watches_by_person: dict[User, list[Watch]] = defaultdict(list)
    for watch in watches.filter(person__in=wanting, person__is_active=True).select_related("person"):
        watches_by_person[watch.person].append(watch)
    path = template.name.partition("/")[2]
    people = [
        person
        for person, own_watches in watches_by_person.items()
        if _wants_topic(_find_narrowest(own_watches, template.namespace, path), topic)
    ]
    able = set(members.filter(person__in=people).values_list("person", flat=True)) if people else set()
    return [person for person in people if person.pk in able]


def _find_narrowest(watches: Iterable[Watch], namespace: Namespace, path: str) -> Watch | None:
    fitting = [watch for watch in watches if _is_about(watch, namespace, path)]
    return max(fitting, key=lambda watch: (watch.namespace_id is not None, len(watch.template)), default=None)


def list_topics_at(watches: Iterable[Watch], namespace: Namespace, path: str) -> frozenset[str]:
    """The topics that a person with these watches is told about at a path inside the namespace."""
    watch = _find_narrowest(watches, namespace, path)
    return frozenset(topic for topic in Watch.TOPICS if _wants_topic(watch, topic))


def _wants_topic(watch: Watch | None, topic: str | None) -> bool:
    if watch is None or watch.level != Watch.ALL:
        return False
    return topic is None or topic in (watch.topic_list or Watch.TOPICS)


def _is_about(watch: Watch, namespace: Namespace, path: str) -> bool:
    if watch.namespace_id not in (None, namespace.pk):
        return False
    return not watch.template or fnmatchcase(path, watch.template)
