"""Rules of a namespace: what is required before a protected label moves, and when a document is saved."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from promptuary.renderer.validation.standards import Standards
from promptuary.renderer.validation.standards_reader import read_standards
from registry.core import names
from registry.namespaces.models import Group, GroupMember, Namespace

__all__ = [
    "CHECKS",
    "DEFAULT_CHECKS",
    "LATER_RULES",
    "ApprovalRule",
    "NamedGroup",
    "Owner",
    "Rules",
    "find_owners_of_path",
    "find_standards",
    "list_owners",
    "make_default_rules",
    "read_named_groups",
    "read_owning_groups",
    "read_rules",
]

CHECKS = ("problems", "samples", "budget", "contract", "dependants", "evaluation")
DEFAULT_CHECKS = ("problems", "samples", "budget", "contract")  # required in new namespaces by default
LATER_RULES: Mapping[str, Any] = {
    "suggesters_may_approve": False,
    "threads_resolved": False,
    "two_step_required": False,
    "discard_playground_texts": False,
    "approval_rules": [],
    "standards": {},
}
"""Rules that came after the first journals, as they are while they are off: then events leave them out."""


@dataclass(frozen=True)
class Owner:
    """The owners of the paths that match a pattern: people and groups, one of whom must approve changes of these paths.

    In the pattern `*` matches anything, including slashes.
    """

    pattern: str
    people: tuple[str, ...]
    groups: tuple[str, ...] = ()

    def list_people(self, groups: Mapping[str, Collection[str]]) -> tuple[str, ...]:
        """The usernames of its people and of its groups' members, each once. groups: usernames by the group's name."""
        members = [person for name in self.groups for person in sorted(groups.get(name, ()))]
        return tuple(dict.fromkeys((*self.people, *members)))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types, without groups if there are none."""
        values: dict[str, Any] = {"pattern": self.pattern, "people": list(self.people)}
        return {**values, "groups": list(self.groups)} if self.groups else values


@dataclass(frozen=True)
class ApprovalRule:
    """What changes of some labels and paths need besides the namespace's number of approvals.

    label: empty for every protected label. folder: inside the namespace; empty for every template. approvals: how many.
    groups: names of groups, each of which must approve.
    """

    label: str = ""
    folder: str = ""
    approvals: int = 0
    groups: tuple[str, ...] = ()

    def covers(self, label: str, path: str) -> bool:
        """Whether it applies to changes of the path to the label."""
        return self.label in ("", label) and names.is_in_folder(path, self.folder)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {**asdict(self), "groups": list(self.groups)}


@dataclass(frozen=True)
class NamedGroup:
    """A group that a rule names, in its current state: its title, and the usernames of its members."""

    title: str
    people: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Rules:
    """The rules of one namespace."""

    protected_labels: tuple[str, ...] = ()
    approvals: int = 1
    self_approval: bool = False
    suggesters_may_approve: bool = False
    threads_resolved: bool = False
    two_step_required: bool = False
    required_checks: tuple[str, ...] = ()
    compatibility: str = "none"
    approval_rules: tuple[ApprovalRule, ...] = ()
    owners: tuple[Owner, ...] = ()
    break_glass: bool = False
    keys_approved_only: bool = True
    discard_playground_texts: bool = False
    standards: Standards = field(default_factory=Standards)

    def find_owner(self, path: str) -> Owner | None:
        """The owner rule for the path inside the namespace; the last matching pattern wins."""
        owning = [owner for owner in self.owners if fnmatchcase(path, owner.pattern)]
        return owning[-1] if owning else None

    def find_owners(self, path: str, groups: Mapping[str, Collection[str]]) -> tuple[str, ...]:
        """The usernames of the path's owners inside the namespace. groups: usernames by the group's name."""
        owner = self.find_owner(path)
        return owner.list_people(groups) if owner else ()

    @property
    def group_names(self) -> tuple[str, ...]:
        """The names of all groups that rules refer to, each once."""
        lists = (*(rule.groups for rule in self.approval_rules), *(owner.groups for owner in self.owners))
        return tuple(dict.fromkeys(name for listed in lists for name in listed))

    def count_needed_approvals(self, label: str, path: str) -> int:
        """How many approvals a change of the path to the label needs: the maximum of all rules that apply."""
        counts = (rule.approvals for rule in self.approval_rules if rule.covers(label, path))
        return max(self.approvals, *counts, 0)

    def list_required_groups(self, label: str, path: str) -> tuple[str, ...]:
        """The names of the groups that must approve a change of the path to the label, from all rules that apply."""
        covering = (rule for rule in self.approval_rules if rule.covers(label, path))
        return tuple(dict.fromkeys(name for rule in covering for name in rule.groups))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types, as the journal stores them: rules that were introduced later are omitted while they are
        off.
        """
        values = self.to_columns()
        return {rule: value for rule, value in values.items() if value or rule not in LATER_RULES}

    def to_columns(self) -> dict[str, Any]:
        """Every rule by name, in plain JSON types: the columns of the namespace's row."""
        return {
            **asdict(self),
            "protected_labels": list(self.protected_labels),
            "required_checks": list(self.required_checks),
            "approval_rules": [rule.to_dict() for rule in self.approval_rules],
            "owners": [owner.to_dict() for owner in self.owners],
            "standards": self.standards.to_dict(),
        }


def read_rules(namespace: Namespace) -> Rules:
    """The rules of the row, in the form that the policy uses."""
    return Rules(
        protected_labels=tuple(namespace.protected_labels),
        approvals=namespace.approvals,
        self_approval=namespace.self_approval,
        suggesters_may_approve=namespace.suggesters_may_approve,
        threads_resolved=namespace.threads_resolved,
        two_step_required=namespace.two_step_required,
        required_checks=tuple(namespace.required_checks),
        compatibility=namespace.compatibility,
        approval_rules=_read_approval_rules(namespace),
        owners=_read_owners(namespace),
        break_glass=namespace.break_glass,
        keys_approved_only=namespace.keys_approved_only,
        discard_playground_texts=namespace.discard_playground_texts,
        standards=find_standards(namespace),
    )


def find_owners_of_path(namespace: Namespace, path: str, groups: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The owners of the template at that path in the namespace. groups: usernames by the group's name.

    It reads only one column, because a migration calls it before the newer columns exist.
    """
    return Rules(owners=_read_owners(namespace)).find_owners(path, groups)


def list_owners(namespace: Namespace, path: str) -> tuple[str, ...]:
    """List the usernames of the path's owners inside the namespace, including members of groups. The caller has checked
    permissions.
    """
    return find_owners_of_path(namespace, path, read_owning_groups([namespace])[namespace.pk])


def read_owning_groups(namespaces: Iterable[Namespace]) -> Mapping[int, Mapping[str, Collection[str]]]:
    """The usernames in each namespace's groups, if a group is an owner. Without such an owner no query is made."""
    owned = {space.pk for space in namespaces if any(owner.get("groups") for owner in space.owners)}
    names: defaultdict[int, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    rows = GroupMember.objects.filter(group__namespace__in=owned) if owned else GroupMember.objects.none()
    for space, name, person in rows.values_list("group__namespace", "group__name", "person__username"):
        names[space][name].append(person)
    return names


def read_named_groups(namespaces: Iterable[Namespace]) -> Mapping[int, Mapping[str, NamedGroup]]:
    """Each namespace's groups by name, if a rule refers to one. Without such a rule no query is made."""
    asking = [space.pk for space in namespaces if _has_groups(space)]
    groups: defaultdict[int, dict[str, NamedGroup]] = defaultdict(dict)
    rows = Group.objects.filter(namespace__in=asking) if asking else Group.objects.none()
    for space, name, title, person in rows.values_list("namespace", "name", "title", "members__person__username"):
        before = groups[space].get(name, NamedGroup(title))
        groups[space][name] = NamedGroup(title, before.people | {person}) if person else before
    return groups


def _has_groups(namespace: Namespace) -> bool:
    """Whether a rule of the namespace refers to a group."""
    return any(rule.get("groups") for rule in (*namespace.approval_rules, *namespace.owners))


def _read_approval_rules(namespace: Namespace) -> tuple[ApprovalRule, ...]:
    return tuple(ApprovalRule(**{**rule, "groups": tuple(rule["groups"])}) for rule in namespace.approval_rules)


def _read_owners(namespace: Namespace) -> tuple[Owner, ...]:
    return tuple(
        Owner(owner["pattern"], tuple(owner["people"]), tuple(owner.get("groups", ()))) for owner in namespace.owners
    )


def find_standards(namespace: Namespace) -> Standards:
    """The standards that each document saved in the namespace has to meet."""
    return read_standards(namespace.standards) if namespace.standards else Standards()


def make_default_rules() -> Rules:
    """The rules of a new namespace. `Rules()` has no required checks, as in older namespaces."""
    return Rules(required_checks=DEFAULT_CHECKS)
