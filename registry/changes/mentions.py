"""Mentions in conversations: `@name` of a member of the namespace, or of one of its groups."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from registry.accounts.actor import OPERATOR
from registry.accounts.models import User
from registry.changes.remark_markdown import list_mentions
from registry.namespaces.models import Group, GroupMember, Membership, Namespace

__all__ = ["Mentionable", "find_mentioned_people", "list_mentionable", "resolve_mention"]


@dataclass(frozen=True)
class Mentionable:
    """Somebody that a conversation can name. name: what follows the `@`. title: the full name, or the group's title."""

    name: str
    title: str
    is_group: bool = False


def list_mentionable(namespace: Namespace) -> list[Mentionable]:
    """The members of the namespace that can sign in, then its groups, by name; two queries.

    A group that is called like a person is left out: the name means the person. The caller has checked the right to
    read.
    """
    people = [
        Mentionable(person.username, person.get_full_name()) for person in _members(namespace).order_by("username")
    ]
    taken = {person.name for person in people}
    groups = Group.objects.filter(namespace=namespace).order_by("name").values_list("name", "title")
    return people + [Mentionable(name, title, is_group=True) for name, title in groups if name not in taken]


def resolve_mention(written: str, names: Collection[str]) -> str:
    """The one of these names that a mention means, empty for none: the whole, or what stands before a dot, hyphen or
    underscore in it, as in `@reviewer-friendly`.
    """
    while written and written not in names:
        cut = max(written.rfind(mark) for mark in "._-")
        written = written[:cut] if cut > 0 else ""
    return written


def find_mentioned_people(namespace: Namespace, texts: Iterable[str]) -> list[User]:
    """The members of the namespace that the texts mention by name or by group, each once; asks nothing if no text
    has an `@name`.
    """
    written = [name for text in texts for name in list_mentions(text)]
    if not written:
        return []
    members = {person.username: person for person in _members(namespace)}
    groups = _read_groups(namespace)
    people: dict[str, User] = {}
    for mention in written:
        name = resolve_mention(mention, {*members, *groups})
        for username in [name] if name in members else groups.get(name, ()):
            if username in members:
                people[username] = members[username]
    return list(people.values())


def _members(namespace: Namespace) -> QuerySet[User]:
    members = Membership.objects.filter(namespace=namespace).values("person")
    return User.objects.filter(pk__in=members, is_active=True).exclude(username=OPERATOR)


def _read_groups(namespace: Namespace) -> Mapping[str, list[str]]:
    """The usernames in each group of the namespace, by its name."""
    groups: dict[str, list[str]] = {}
    rows = GroupMember.objects.filter(group__namespace=namespace).order_by("person__username")
    for name, username in rows.values_list("group__name", "person__username"):
        groups.setdefault(name, []).append(username)
    return groups
