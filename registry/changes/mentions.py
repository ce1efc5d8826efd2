"""Mentions in conversations: `@name` of a member or a group of the namespace."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from registry.accounts.actor import OPERATOR
from registry.accounts.models import User
from registry.changes.remark_markdown import list_mentions
from registry.namespaces.models import Group, GroupMember, Membership, Namespace

__all__ = ["Mentionable", "find_mentioned_people", "list_mentionable", "list_mentionable_names", "resolve_mention"]


@dataclass(frozen=True)
class Mentionable:
    """A person or group that can be mentioned. name: the text after the `@`. title: the full name or group title."""

    name: str
    title: str
    is_group: bool = False


def list_mentionable(namespace: Namespace) -> list[Mentionable]:
    """List the members of the namespace that can sign in, then its groups, by name; two queries.

    A group with the name of a person is left out: the name refers to the person. The caller has checked the right to
    read.
    """
    people = [
        Mentionable(person.username, person.get_full_name())
        for person in _select_members(namespace).order_by("username")
    ]
    usernames = {person.name for person in people}
    groups = Group.objects.filter(namespace=namespace).order_by("name").values_list("name", "title")
    return people + [Mentionable(name, title, is_group=True) for name, title in groups if name not in usernames]


def list_mentionable_names(namespace: Namespace) -> set[str]:
    """The names of those that can be mentioned; two queries."""
    return {candidate.name for candidate in list_mentionable(namespace)}


def resolve_mention(written: str, names: Collection[str]) -> str:
    """Return the name that a mention refers to, empty for none: the whole mention, or the part before a dot, hyphen or
    underscore, as in `@reviewer-friendly`.
    """
    while written and written not in names:
        cut = max(written.rfind(mark) for mark in "._-")
        written = written[:cut] if cut > 0 else ""
    return written


def find_mentioned_people(namespace: Namespace, texts: Iterable[str]) -> list[User]:
    """Find the members of the namespace that the texts mention by name or by group, each once. Makes no query if no
    text has an `@name`.
    """
    written = [name for text in texts for name in list_mentions(text)]
    if not written:
        return []
    members = {person.username: person for person in _select_members(namespace)}
    groups = _read_groups(namespace)
    people: dict[str, User] = {}
    for mention in written:
        name = resolve_mention(mention, {*members, *groups})
        for username in [name] if name in members else groups.get(name, ()):
            if username in members:
                people[username] = members[username]
    return list(people.values())


def _select_members(namespace: Namespace) -> QuerySet[User]:
    members = Membership.objects.filter(namespace=namespace).values("person")
    return User.objects.filter(pk__in=members, is_active=True).exclude(username=OPERATOR)


def _read_groups(namespace: Namespace) -> Mapping[str, list[str]]:
    """The usernames in each group of the namespace, by its name."""
    groups: dict[str, list[str]] = {}
    rows = GroupMember.objects.filter(group__namespace=namespace).order_by("person__username")
    for name, username in rows.values_list("group__name", "person__username"):
        groups.setdefault(name, []).append(username)
    return groups
