"""What open requests, schedules and rollouts lose when people lose rights, and confirmation of such actions."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple, TypeVar

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.changes import gate as change_gate
from registry.changes import policy
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict
from registry.journal import log
from registry.namespaces import path_permissions, permissions
from registry.namespaces.models import FolderRole, Namespace
from registry.namespaces.verbs import Verb
from registry.releases.models import Release
from registry.releases.queries import read_paths
from registry.rollouts.models import Rollout
from registry.rollouts.responsible import find_responsible

__all__ = ["AccessLosses", "GroupLoss", "Loss", "UnconfirmedLosses", "do_confirmed", "preview_act"]

_MAX_CHANGES = 500  # compared at most; the newest first
T = TypeVar("T")


class Loss(NamedTuple):
    """A person, and the number of the request, release or rollout that is affected."""

    person: str
    number: int


class GroupLoss(NamedTuple):
    """A person whose approval of this request no longer counts for the group. group: its title."""

    person: str
    group: str
    number: int


@dataclass(frozen=True)
class AccessLosses:
    """The losses. approvals, objections: decisions that no longer count, by number of the request. without_approvers:
    requests that too few people could approve. schedules, releases: what its scheduler may no longer publish. rollouts:
    those whose next planned step its person may no longer take. folders: (holder, folder) of roles that end along with
    the role in the namespace.
    """

    approvals: tuple[Loss, ...] = ()
    objections: tuple[Loss, ...] = ()
    group_approvals: tuple[GroupLoss, ...] = ()
    without_approvers: tuple[int, ...] = ()
    schedules: tuple[Loss, ...] = ()
    releases: tuple[Loss, ...] = ()
    rollouts: tuple[Loss, ...] = ()
    folders: tuple[tuple[str, str], ...] = ()

    @property
    def sentences(self) -> list[str]:
        """One sentence for each loss; empty if nothing is lost."""
        by_person = (
            (gettext("{person}'s approval of change {number} will not count any more."), self.approvals),
            (gettext("{person} asked for edits of change {number}: that will not block it any more."), self.objections),
            (
                gettext("{person} scheduled change {number} and could not publish it any more: it would not go live."),
                self.schedules,
            ),
            (
                gettext("{person} scheduled release {number} and could not publish it any more: it would not go live."),
                self.releases,
            ),
            (
                gettext("{person} started rollout {number} and could not continue it: its next step would pause it."),
                self.rollouts,
            ),
        )
        lines = [
            sentence.format(person=loss.person, number=loss.number) for sentence, losses in by_person for loss in losses
        ]
        of_group = gettext("{person}'s approval of change {number} will not count for {group} any more.")
        lines += [of_group.format(**loss._asdict()) for loss in self.group_approvals]
        approvers = gettext("Too few people will be left who can approve change {number}.")
        lines += [approvers.format(number=number) for number in self.without_approvers]
        ends = gettext("The role of {holder} in the folder {folder} ends too.")
        return lines + [ends.format(holder=holder, folder=folder) for holder, folder in self.folders]

    @property
    def seal(self) -> str:
        """A digest over all of it, which changes if anything changed since it was read."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


class UnconfirmedLosses(Conflict):
    """An action loses something without confirmation; nothing was changed."""

    def __init__(self, losses: AccessLosses) -> None:
        again = gettext("Nothing was changed: send it again with the seal as confirmed to do it all the same.")
        sentences = losses.sentences
        super().__init__(" ".join([*sentences, again]), losses=sentences, seal=losses.seal)
        self.losses = losses


def do_confirmed(actor: Actor, namespace: str, act: Callable[[], T], confirmed: str, *, with_folders: bool = True) -> T:
    """Run `act`, which removes rights of people in the namespace, and return its result; admins only.

    confirmed: the seal of the losses that were shown. Raises UnconfirmedLosses, with nothing changed, if something is
    lost and the seal differs. with_folders: whether ending roles in folders counts as a loss; False if the action is
    about one.
    """
    with transaction.atomic():
        result, losses = _measure(actor, namespace, act, with_folders=with_folders)
        if losses.sentences and confirmed != losses.seal:
            raise UnconfirmedLosses(losses)
    return result


def preview_act(
    actor: Actor, namespace: str, act: Callable[[Actor], object], *, with_folders: bool = True
) -> AccessLosses:
    """The losses of `act`, which runs and is rolled back, so no fresh proof is required. Otherwise as in
    `do_confirmed`.
    """
    tried = replace(actor, missing_proof="")
    with transaction.atomic():
        _, losses = _measure(tried, namespace, lambda: act(tried), with_folders=with_folders)
        transaction.set_rollback(True)
    return losses


def _measure(actor: Actor, namespace: str, act: Callable[[], T], *, with_folders: bool) -> tuple[T, AccessLosses]:
    log.lock()  # so that nothing else changes between the two states
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    changes = _list_open_changes(space)
    before = _State(actor, space, changes)
    result = act()
    losses = before.compare(_State(actor, space, changes))
    return result, losses if with_folders else replace(losses, folders=())


class _State:
    """A snapshot of approvals, schedules and roles in the namespace."""

    def __init__(self, actor: Actor, namespace: Namespace, changes: list[ChangeRequest]) -> None:
        self._gates = change_gate.evaluate_many(changes, actor, with_checks=False)
        self._schedules = _list_able(namespace, _list_schedules(changes))
        self._releases = _list_able(namespace, _list_releases(namespace))
        self._rollouts = _list_able(namespace, _list_rollouts(namespace))
        rows = FolderRole.objects.filter(namespace=namespace).select_related("person", "group", "namespace")
        self._folders = {(row.holder_name, row.folder) for row in rows}

    def compare(self, after: "_State") -> AccessLosses:
        """The losses from this state to a later one."""
        pairs = list(zip(self._gates, after._gates, strict=True))
        return AccessLosses(
            approvals=tuple(chain.from_iterable(_list_lost_approvals(now, then) for now, then in pairs)),
            objections=tuple(chain.from_iterable(_list_lost_objections(now, then) for now, then in pairs)),
            group_approvals=tuple(chain.from_iterable(_list_group_losses(now, then) for now, then in pairs)),
            without_approvers=tuple(now.change.number for now, then in pairs if _is_losing_approvers(now, then)),
            schedules=tuple(sorted(self._schedules - after._schedules)),
            releases=tuple(sorted(self._releases - after._releases)),
            rollouts=tuple(sorted(self._rollouts - after._rollouts)),
            folders=tuple(sorted(self._folders - after._folders)),
        )


def _list_open_changes(namespace: Namespace) -> list[ChangeRequest]:
    """The open requests of the namespace, the oldest first."""
    rows = ChangeRequest.objects.pending().filter(template__namespace=namespace, template__archived_at=None)
    related = ("template__latest", "template__namespace", "version__author", "opened_by", "release__namespace")
    schedule = ("scheduled_by", "schedule_key")
    listed = rows.select_related(*related, *schedule).defer("version__bundle", "template__latest__bundle")
    return list(listed.order_by("-number")[:_MAX_CHANGES])[::-1]


class _Task(NamedTuple):
    """Something that the clock publishes for a person, at these paths."""

    number: int
    person: User
    key: Key | None
    paths: tuple[str, ...]


def _list_schedules(changes: Iterable[ChangeRequest]) -> Iterator[_Task]:
    for change in changes:
        if change.goes_live_at is not None and change.scheduled_by is not None:
            yield _Task(change.number, change.scheduled_by, change.schedule_key, (change.template.path,))


def _list_releases(namespace: Namespace) -> Iterator[_Task]:
    rows = Release.objects.filter(namespace=namespace, state=Release.OPEN, goes_live_at__isnull=False)
    for release in rows.select_related("scheduled_by", "schedule_key"):
        if release.scheduled_by is not None:
            paths = tuple(read_paths(release))
            yield _Task(release.number, release.scheduled_by, release.schedule_key, paths)


def _list_rollouts(namespace: Namespace) -> Iterator[_Task]:
    rows = Rollout.objects.filter(template__namespace=namespace, state=Rollout.RUNNING, next_at__isnull=False)
    rollouts = list(rows.select_related("started_by", "key", "template"))
    responsible = find_responsible(rollouts)
    for rollout in rollouts:
        yield _Task(rollout.number, responsible[rollout.number].person, None, (rollout.template.path,))


def _list_able(namespace: Namespace, tasks: Iterable[_Task]) -> set[Loss]:
    """The tasks that their person may still perform."""
    return {
        Loss(task.person.username, task.number)
        for task in tasks
        if path_permissions.is_allowed_at_all(Actor(task.person, task.key), Verb.PUBLISH, namespace, task.paths)
    }


def _list_lost_approvals(now: Gate, then: Gate) -> list[Loss]:
    lost = set(now.approval_status.approvals) - set(then.approval_status.approvals)
    return [Loss(person, now.change.number) for person in sorted(lost)]


def _list_lost_objections(now: Gate, then: Gate) -> list[Loss]:
    lost = set(now.approval_status.objections) - set(then.approval_status.objections)
    return [Loss(person, now.change.number) for person in sorted(lost)]


def _list_group_losses(now: Gate, then: Gate) -> list[GroupLoss]:
    """Approvals that still count, but no longer for a group."""
    approvers = set(then.approval_status.approvals)
    approvers_by_group = {group.name: set(group.people) for group in then.group_approvals}
    return [
        GroupLoss(person, group.title, now.change.number)
        for group in now.group_approvals
        for person in group.people
        if person in approvers and person not in approvers_by_group.get(group.name, ())
    ]


def _is_losing_approvers(now: Gate, then: Gate) -> bool:
    return not policy.lacks_approvers(now.rules, now.facts) and policy.lacks_approvers(then.rules, then.facts)
