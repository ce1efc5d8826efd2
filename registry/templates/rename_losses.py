"""What renamed templates lose of everything that goes by folder or by pattern: rules, owners, roles, evaluations.

Domains above this one add what refers to templates by name in theirs with `subscribe_to_renames`.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from registry.core.errors import Conflict
from registry.namespaces.models import Group, Membership, Namespace
from registry.namespaces.permissions import MemberRoles, read_member_roles
from registry.namespaces.rules import Owner, Rules, read_rules

__all__ = [
    "Loss",
    "MovedPath",
    "RenameLosses",
    "UnconfirmedRename",
    "gather_rename_losses",
    "require_confirmed",
    "subscribe_to_renames",
]

MovedPath = tuple[str, str]
"""A path inside the namespace before and after the renaming, of a template or a folder."""


@dataclass(frozen=True)
class Loss:
    """What a template loses; templates that lose the same are told in one sentence.

    sentence: translated, with `{name}` for the templates and a placeholder for each fact. facts: names and values.
    """

    sentence: str
    facts: tuple[tuple[str, str], ...] = ()

    def describe(self, paths: Sequence[str]) -> str:
        """The sentence about the templates with these paths, which lose the same."""
        count = ngettext("{count} template", "{count} templates", len(paths)).format(count=len(paths))
        return self.sentence.format(name=paths[0] if len(paths) == 1 else count, **dict(self.facts))


LossFinder = Callable[[Namespace, Sequence[MovedPath]], Iterable[tuple[str, Loss]]]
"""Yields the losses of the moved templates, each with the template's path before."""


@dataclass(frozen=True)
class RenameLosses:
    """What is lost, as sentences, and the seal that confirms it: another one if rules or names have changed."""

    sentences: tuple[str, ...]
    seal: str


class UnconfirmedRename(Conflict):
    """Renaming loses something that goes by name and wasn't confirmed; nothing was changed."""

    def __init__(self, losses: RenameLosses) -> None:
        again = gettext("Nothing was changed: send it again with the seal as confirmed to do it all the same.")
        super().__init__(" ".join([*losses.sentences, again]), losses=list(losses.sentences), seal=losses.seal)


_finders: list[LossFinder] = []


def subscribe_to_renames(finder: LossFinder) -> None:
    """Register a function that finds what a renaming loses."""
    if finder not in _finders:
        _finders.append(finder)


def gather_rename_losses(
    namespace: Namespace, paths: Sequence[MovedPath], folder: MovedPath | None = None
) -> RenameLosses:
    """Compare what applies at the old and at the new places.

    paths: of each template the one before and the one after, inside the namespace. folder: the renamed one, whose roles
    move along.
    """
    affected: dict[Loss, list[str]] = {}
    own_losses = [_find_rule_losses(namespace, paths), _find_role_changes(namespace, paths, folder)]
    for losses in (*own_losses, *(finder(namespace, paths) for finder in _finders)):
        for before, loss in losses:
            affected.setdefault(loss, []).append(before)
    sentences = [loss.describe(before) for loss, before in affected.items()]
    seal = hashlib.sha256("\n".join([*sentences, *(after for _, after in paths)]).encode()).hexdigest()
    return RenameLosses(tuple(sentences), seal)


def require_confirmed(
    namespace: Namespace, paths: Sequence[MovedPath], confirmed: str, folder: MovedPath | None = None
) -> None:
    """Raise UnconfirmedRename if something is lost at the new places and the losses were not confirmed.

    paths, folder: as in `gather_rename_losses`. confirmed: the seal of the losses that were shown.
    """
    losses = gather_rename_losses(namespace, paths, folder)
    if losses.sentences and confirmed != losses.seal:
        raise UnconfirmedRename(losses)


def _find_rule_losses(namespace: Namespace, paths: Sequence[MovedPath]) -> Iterator[tuple[str, Loss]]:
    rules = read_rules(namespace)
    has_groups = bool(rules.group_names)
    titles = dict(Group.objects.filter(namespace=namespace).values_list("name", "title")) if has_groups else {}
    for before, after in paths:
        losses = (
            *_compare_approvals(rules, titles, before, after),
            *_compare_owners(rules, titles, before, after),
            *_compare_names(rules, before, after),
        )
        for loss in losses:
            yield before, loss


def _compare_approvals(rules: Rules, titles: dict[str, str], before: str, after: str) -> Iterator[Loss]:
    for label in rules.protected_labels:
        needed_before, needed_after = (rules.count_needed_approvals(label, path) for path in (before, after))
        if needed_after < needed_before:
            sentence = gettext("Changes of {label} of {name} will need {after} instead of {before} approvals.")
            yield Loss(sentence, (("label", label), ("before", str(needed_before)), ("after", str(needed_after))))
        groups = set(rules.list_required_groups(label, after))
        for group in rules.list_required_groups(label, before):
            if group not in groups:
                sentence = gettext("Changes of {label} of {name} will no longer need an approval from {before}.")
                yield Loss(sentence, (("label", label), ("before", titles.get(group, group))))


def _compare_owners(rules: Rules, titles: dict[str, str], before: str, after: str) -> Iterator[Loss]:
    owners, others = (_name_owners(rules.find_owner(path), titles) for path in (before, after))
    if not owners:
        return
    if not others:
        sentence = gettext("{name} will have no owners: {before} will not be needed to approve.")
        yield Loss(sentence, (("before", ", ".join(owners)),))
    elif not set(others) <= set(owners):
        sentence = gettext("The owners of {name} will be {after} instead of {before}.")
        yield Loss(sentence, (("before", ", ".join(owners)), ("after", ", ".join(others))))


def _name_owners(owner: Owner | None, titles: dict[str, str]) -> tuple[str, ...]:
    return (*owner.people, *(titles.get(name, name) for name in owner.groups)) if owner else ()


def _compare_names(rules: Rules, before: str, after: str) -> Iterator[Loss]:
    """The standard of names, if it only warns: as an error it refuses the new name."""
    standard = rules.standards.name
    if standard is not None and standard.severity == "warning" and standard.fits(before) and not standard.fits(after):
        sentence = gettext("{name} will no longer match the pattern of names, {pattern}: each save will warn of it.")
        yield Loss(sentence, (("pattern", standard.pattern),))


def _find_role_changes(
    namespace: Namespace, paths: Sequence[MovedPath], folder: MovedPath | None
) -> Iterator[tuple[str, Loss]]:
    """Roles in folders that people lose or get for the templates. Getting one counts too: it may be one to approve."""
    rows = Membership.objects.filter(namespace=namespace, person__is_active=True).exclude(highest_folder_role="")
    for person, role, folder_roles in rows.order_by("person__username").values_list(
        "person__username", "role", "folder_roles"
    ):
        roles = read_member_roles(role, folder_roles)
        moved = MemberRoles(roles.namespace, {_move(at, folder): there for at, there in roles.folders.items()})
        for before, after in paths:
            role_before, role_after = roles.at(before), moved.at(after)
            if role_after.rank < role_before.rank:
                sentence = gettext("{person} will be {after} instead of {before} for {name}.")
            elif role_after.rank > role_before.rank:
                sentence = gettext("{person} will get the role {after} for {name}, instead of {before}.")
            else:
                continue
            facts = (("person", person), ("before", role_before.value), ("after", role_after.value))
            yield before, Loss(sentence, facts)


def _move(place: str, folder: MovedPath | None) -> str:
    """The folder where the roles of `place` are after the renaming."""
    if folder is None or not (place == folder[0] or place.startswith(f"{folder[0]}/")):
        return place
    return folder[1] + place.removeprefix(folder[0])
