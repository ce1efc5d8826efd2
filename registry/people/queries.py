"""Queries about people: the list for admins, and the effects of deactivating somebody."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.db.models import F, Max, Q, QuerySet

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import SECOND_STEPS, Key, User
from registry.changes import gate as change_gate
from registry.changes.models import ChangeRequest, Decision
from registry.journal.models import Event
from registry.namespaces import key_queries
from registry.namespaces.models import Membership, Namespace, Role
from registry.namespaces.rules import read_owning_groups, read_rules
from registry.namespaces.verbs import TABLE, Verb
from registry.people import permissions
from registry.releases.models import Release
from registry.rollouts.models import Rollout
from registry.rollouts.responsible import find_responsible
from registry.usage import queries as usage_queries

__all__ = [
    "AffectedKey",
    "DeactivationEffects",
    "HeldRole",
    "Ownership",
    "PersonSummary",
    "describe_effects_of_deactivation",
    "list_account_events",
    "list_namespaces_left_without_admin",
    "list_people",
]

MAX_EVENTS = 20
_OPEN = (ChangeRequest.OPEN, ChangeRequest.APPROVED)


@dataclass(frozen=True)
class HeldRole:
    """A person's role in a namespace. own_role: the one given to the person; empty if only groups give one."""

    namespace: str
    role: str
    own_role: str
    folder_roles: Mapping[str, str] = field(default_factory=dict)  # those above the role in the namespace

    @property
    def may_write(self) -> bool:
        """Whether it is above reader, in the namespace or in one of its folders."""
        return any(Role(role).rank > Role.READER.rank for role in (self.role, *self.folder_roles.values()) if role)


class Ownership(NamedTuple):
    """A path pattern in an ownership rule of a namespace."""

    namespace: str
    pattern: str


@dataclass(frozen=True)
class PersonSummary:
    """An account as admins see it. roles: those in the namespaces that the viewer manages. has_app, has_passkey:
    whether an authenticator app or a passkey is set up as second step. closed_namespaces: those of the roles where the
    person can only read until two-step sign-in is on.
    """

    username: str
    full_name: str
    email: str
    is_active: bool
    is_installation_admin: bool
    roles: tuple[HeldRole, ...]
    has_two_step: bool
    has_app: bool
    has_passkey: bool
    has_provider: bool
    last_sign_in: datetime | None
    last_active: datetime | None
    closed_namespaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class AffectedKey:
    """A key that acts for the person and would stop working. fetches: in the last 30 days."""

    name: str
    namespace: str
    fetches: int


@dataclass(frozen=True)
class DeactivationEffects:
    """The effects of deactivating a person.

    last_admin_of: namespaces that need another admin first; deactivating is refused while there are any. own_changes:
    open changes that they proposed, which stay. approvals: changes that aren't published or still need approval, where
    their approval counts now and won't any more. without_reviewer: namespaces where nobody else may approve.
    sole_owner: patterns without another active owner. keys: those that stop while the person is deactivated. schedules,
    releases: numbers of what the person scheduled, which won't go live on time. rollouts: those whose planned steps are
    taken for the person, which pause at the next one.
    """

    username: str
    last_admin_of: list[str]
    own_changes: list[int]
    without_reviewer: list[str]
    sole_owner: list[Ownership]
    approvals: list[int] = field(default_factory=list)
    keys: list[AffectedKey] = field(default_factory=list)
    schedules: list[int] = field(default_factory=list)
    releases: list[int] = field(default_factory=list)
    rollouts: list[int] = field(default_factory=list)


def list_people(actor: Actor, *, words: str = "", with_deactivated: bool = False) -> list[PersonSummary]:
    """List the people of the namespaces that the actor manages, or all for an admin of the installation; by username.

    words: a part of the username, name or address. A constant number of queries.
    """
    namespaces = permissions.list_managed_namespaces(actor)
    rows = User.objects.exclude(username=OPERATOR).order_by("username")
    if not permissions.is_installation_admin(actor):
        rows = rows.filter(memberships__namespace__in=namespaces).distinct()
    if not with_deactivated:
        rows = rows.filter(is_active=True)
    if words := words.strip():
        rows = rows.filter(Q(username__icontains=words) | Q(first_name__icontains=words) | Q(email__icontains=words))
    return _summarize(list(rows), namespaces)


def describe_effects_of_deactivation(actor: Actor, username: str) -> DeactivationEffects:
    """The effects of deactivating the person, for the confirmation dialog. For admins of the installation."""
    permissions.require_installation_admin(actor)
    person = permissions.find_person(username)
    changes = ChangeRequest.objects.filter(opened_by=person, state__in=_OPEN).order_by("number")
    return DeactivationEffects(
        username=person.username,
        last_admin_of=list_namespaces_left_without_admin(person),
        own_changes=list(changes.values_list("number", flat=True)),
        without_reviewer=_list_namespaces_left_without(person, [role for role in Role if _may_approve(role)]),
        sole_owner=list(_find_sole_ownerships(person)),
        approvals=_list_counted_approvals(person),
        keys=[
            AffectedKey(key.name, key.namespace.name, usage_queries.find_use_of_key(key).count)
            for key in Key.objects.filter(person=person).select_related("namespace").order_by("namespace__name", "name")
            if not key_queries.has_key_ended(key)
        ],
        schedules=_list_numbers(
            ChangeRequest.objects.pending().filter(scheduled_by=person, goes_live_at__isnull=False)
        ),
        releases=_list_numbers(
            Release.objects.filter(scheduled_by=person, state=Release.OPEN, goes_live_at__isnull=False)
        ),
        rollouts=_list_rollouts(person),
    )


def _list_counted_approvals(person: User) -> list[int]:
    """The requests that are open, or wait for approval after an emergency, where the person's approval counts now."""
    approved = Decision.objects.filter(person=person, decision=Decision.APPROVE, round=F("change__round"))
    waiting = ChangeRequest.objects.pending() | ChangeRequest.objects.in_emergency()
    rows = waiting.filter(pk__in=approved.values("change")).order_by("number")
    rows = rows.select_related("template__namespace", "template__latest", "version__author", "opened_by", "release")
    listed = list(rows.defer("version__bundle", "template__latest__bundle"))
    gates = change_gate.evaluate_many(listed, None, with_checks=False)
    return [gate.change.number for gate in gates if person.username in gate.approval_status.approvals]


def _list_numbers(rows: QuerySet[Any]) -> list[int]:
    return list(rows.order_by("number").values_list("number", flat=True))


def _list_rollouts(person: User) -> list[int]:
    """The running rollouts whose next planned step is taken for the person."""
    rows = Rollout.objects.filter(state=Rollout.RUNNING, next_at__isnull=False).select_related("started_by", "key")
    return sorted(number for number, actor in find_responsible(list(rows)).items() if actor.person == person)


def list_namespaces_left_without_admin(person: User) -> list[str]:
    """List the names of the namespaces without another active admin."""
    return _list_namespaces_left_without(person, [Role.ADMIN])


def list_account_events(actor: Actor) -> list[Event]:
    """List the latest actions of admins on accounts, newest first. For admins of the installation."""
    permissions.require_installation_admin(actor)
    return list(Event.objects.filter(namespace="", kind__startswith="person.").order_by("-number")[:MAX_EVENTS])


def _list_namespaces_left_without(person: User, roles: Collection[Role]) -> list[str]:
    """The namespaces where the person has one of these roles and no other active account has."""
    others = Membership.objects.filter(role__in=roles, person__is_active=True).exclude(person=person)
    own = Membership.objects.filter(person=person, role__in=roles).exclude(namespace__in=others.values("namespace"))
    return list(own.order_by("namespace__name").values_list("namespace__name", flat=True))


def _may_approve(role: Role) -> bool:
    return role.rank >= TABLE[Verb.APPROVE].rank


def _find_sole_ownerships(person: User) -> Iterable[Ownership]:
    active = set(User.objects.filter(is_active=True).values_list("username", flat=True))
    for namespace in Namespace.objects.filter(memberships__person=person).order_by("name"):
        groups = read_owning_groups([namespace])[namespace.pk]
        for owner in read_rules(namespace).owners:
            if active & set(owner.list_people(groups)) == {person.username}:
                yield Ownership(namespace.name, owner.pattern)


def _summarize(people: list[User], namespaces: list[Namespace]) -> list[PersonSummary]:
    roles: defaultdict[int, list[HeldRole]] = defaultdict(list)
    members = Membership.objects.filter(namespace__in=namespaces, person__in=people).order_by("namespace__name")
    for person_id, *role_columns in members.values_list(
        "person_id", "namespace__name", "role", "own_role", "folder_roles"
    ):
        roles[person_id].append(HeldRole(*role_columns))
    two_step: defaultdict[int, set[str]] = defaultdict(set)
    steps = Authenticator.objects.filter(user__in=people, type__in=SECOND_STEPS)
    for person_id, kind in steps.values_list("user_id", "type"):
        two_step[person_id].add(kind)
    strict = {namespace.name for namespace in namespaces if namespace.two_step_required}
    provided = _read_ids(SocialAccount.objects.filter(user__in=people))
    last_seen = dict(
        UserSession.objects.filter(user__in=people).values_list("user_id").annotate(latest=Max("last_seen_at"))
    )
    return [
        PersonSummary(
            username=person.username,
            full_name=person.get_full_name(),
            email=person.email,
            is_active=person.is_active,
            is_installation_admin=person.is_superuser,
            roles=tuple(roles[person.pk]),
            has_two_step=person.pk in two_step,
            has_app=Authenticator.Type.TOTP in two_step[person.pk],
            has_passkey=Authenticator.Type.WEBAUTHN in two_step[person.pk],
            has_provider=person.pk in provided,
            last_sign_in=person.last_login,
            last_active=max(filter(None, (last_seen.get(person.pk), person.last_login)), default=None),
            closed_namespaces=() if two_step[person.pk] else _list_closed_names(roles[person.pk], strict),
        )
        for person in people
    ]


def _list_closed_names(roles: Iterable[HeldRole], strict: Collection[str]) -> tuple[str, ...]:
    return tuple(role.namespace for role in roles if role.namespace in strict and role.may_write)


def _read_ids(rows: Any) -> set[int]:
    return set(rows.values_list("user_id", flat=True))
