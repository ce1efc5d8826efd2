"""What renamed templates lose of the rules that go by folder or by pattern: approvals, groups and owners."""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from registry.core.errors import Conflict
from registry.namespaces.models import Group, Namespace
from registry.namespaces.rules import Owner, Rules, read_rules

__all__ = ["RenameLosses", "UnconfirmedRename", "find_rename_losses", "require_confirmed"]


@dataclass(frozen=True)
class _Loss:
    """One way in which a rule gets weaker; templates that share it are told in one sentence.

    label: empty for owners. before, after: numbers of approvals, or the names of those who approve.
    """

    kind: str
    label: str
    before: str
    after: str = ""


@dataclass(frozen=True)
class RenameLosses:
    """What the rules lose, as sentences, and the seal that confirms it: another one if rules or names have changed."""

    sentences: tuple[str, ...]
    seal: str


class UnconfirmedRename(Conflict):
    """Renaming weakens rules and wasn't confirmed; nothing was changed."""

    def __init__(self, losses: RenameLosses) -> None:
        again = gettext("Nothing was changed: send it again with the seal as confirmed to do it all the same.")
        super().__init__(" ".join([*losses.sentences, again]), losses=list(losses.sentences), seal=losses.seal)


def find_rename_losses(namespace: Namespace, paths: Sequence[tuple[str, str]]) -> RenameLosses:
    """Compare what the rules ask for at the old and at the new places. paths: of each template the one before and the
    one after, inside the namespace.
    """
    has_rules = namespace.approval_rules or namespace.owners
    sentences = _list_sentences(namespace, paths) if has_rules else []
    seal = hashlib.sha256("\n".join([*sentences, *(after for _, after in paths)]).encode()).hexdigest()
    return RenameLosses(tuple(sentences), seal)


def require_confirmed(namespace: Namespace, paths: Sequence[tuple[str, str]], confirmed: str) -> None:
    """Raise UnconfirmedRename if the rules ask for less at the new places and the losses were not confirmed.

    paths: as in `find_rename_losses`. confirmed: the seal of the losses that were shown.
    """
    losses = find_rename_losses(namespace, paths)
    if losses.sentences and confirmed != losses.seal:
        raise UnconfirmedRename(losses)


def _list_sentences(namespace: Namespace, paths: Sequence[tuple[str, str]]) -> list[str]:
    rules = read_rules(namespace)
    titles = dict(Group.objects.filter(namespace=namespace).values_list("name", "title"))
    affected: dict[_Loss, list[str]] = {}
    for before, after in paths:
        for loss in _find_losses(rules, titles, before, after):
            affected.setdefault(loss, []).append(before)
    return [_describe(loss, before) for loss, before in affected.items()]


def _find_losses(rules: Rules, titles: dict[str, str], before: str, after: str) -> Iterator[_Loss]:
    for label in rules.protected_labels:
        needed, left = (rules.count_needed_approvals(label, path) for path in (before, after))
        if left < needed:
            yield _Loss("approvals", label, str(needed), str(left))
        groups = set(rules.list_required_groups(label, after))
        for name in rules.list_required_groups(label, before):
            if name not in groups:
                yield _Loss("group", label, titles.get(name, name))
    owners, others = (_name_owners(rules.find_owner(path), titles) for path in (before, after))
    if owners and not set(others) <= set(owners):
        yield _Loss("owners", "", ", ".join(owners), ", ".join(others))
    elif owners and not others:
        yield _Loss("owners", "", ", ".join(owners))


def _name_owners(owner: Owner | None, titles: dict[str, str]) -> tuple[str, ...]:
    return (*owner.people, *(titles.get(name, name) for name in owner.groups)) if owner else ()


def _describe(loss: _Loss, before: Collection[str]) -> str:
    """The sentence of a loss. before: the paths that have it."""
    count = ngettext("{count} template", "{count} templates", len(before)).format(count=len(before))
    name = next(iter(before)) if len(before) == 1 else count
    sentences = {
        "approvals": gettext("Changes of {label} of {name} will need {after} instead of {before} approvals."),
        "group": gettext("Changes of {label} of {name} will no longer need an approval from {before}."),
        "owners": gettext("The owners of {name} will be {after} instead of {before}.")
        if loss.after
        else gettext("{name} will have no owners: {before} will not be needed to approve."),
    }
    return sentences[loss.kind].format(label=loss.label, name=name, before=loss.before, after=loss.after)
