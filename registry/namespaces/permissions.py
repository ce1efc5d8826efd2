"""The only permission rules: who may do what in which namespace, and at which path in it.

`require_verb` and `is_allowed` query the database each time, so that a removed role takes effect with the next call;
only requests that read cache roles (`remember_roles`).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core.errors import NotAllowed, NotFound, ProofRequired, TwoStepRequired
from registry.core.names import is_in_folder
from registry.namespaces.granters import describe_granters, known_granters
from registry.namespaces.key_rights import require_key
from registry.namespaces.models import Membership, Namespace, Role
from registry.namespaces.verbs import IN_WORDS, NEVER_BY_OPERATOR, TABLE, Verb

__all__ = [
    "MemberRoles",
    "filter_by_role",
    "find_allowing_namespaces",
    "find_by_name",
    "find_namespace",
    "find_role",
    "find_roles",
    "is_allowed",
    "list_visible_namespaces",
    "may_create_namespace",
    "read_member_roles",
    "remember_roles",
    "require_at",
    "require_label",
    "require_proof",
    "require_verb",
]


@dataclass(frozen=True)
class MemberRoles:
    """A person's role in a namespace, and the higher ones in its folders."""

    namespace: Role
    folders: Mapping[str, Role] = field(default_factory=dict)

    def at(self, path: str) -> Role:
        """The role at a path inside the namespace, of a template or of a folder with a trailing slash: the highest of
        the namespace's and of those of all folders that contain the path. An empty path: the role in the namespace.
        """
        there = (role for folder, role in self.folders.items() if is_in_folder(path, folder))
        return max((self.namespace, *there), key=lambda role: role.rank)

    def allows(self, verb: Verb, path: str) -> bool:
        """Whether the role at a path suffices. Ignores keys and two-step sign-in, which `is_allowed` checks."""
        return self.at(path).rank >= TABLE[verb].rank

    def at_all(self, paths: Iterable[str]) -> Role:
        """The lowest of the roles at these paths; without any, the role in the namespace."""
        return min((self.at(path) for path in paths), key=lambda role: role.rank, default=self.namespace)

    def at_any(self, paths: Iterable[str]) -> Role:
        """The highest of the roles at these paths and in the namespace."""
        return max((self.namespace, *(self.at(path) for path in paths)), key=lambda role: role.rank)

    @property
    def highest(self) -> Role:
        """The highest role that the person has anywhere in the namespace."""
        return max((self.namespace, *self.folders.values()), key=lambda role: role.rank)

    @property
    def highest_in_folders(self) -> Role | Literal[""]:
        """The highest role in a folder; empty without roles in folders."""
        if not self.folders:
            return ""
        return max(self.folders.values(), key=lambda role: role.rank)


def filter_by_role(roles: Collection[Role], path: str = "") -> Q:
    """A filter for memberships with one of the roles in the namespace or in a folder. path: the prefix of a join, as in
    `memberships__`.
    """
    return Q((f"{path}role__in", roles)) | Q((f"{path}highest_folder_role__in", roles))


def read_member_roles(role: str, folder_roles: Mapping[str, str]) -> MemberRoles:
    """The two role columns of a membership as one value."""
    return MemberRoles(Role(role), {folder: Role(there) for folder, there in folder_roles.items()})


# Roles by the ids of person and namespace, cached in a block of `remember_roles`; None outside of one.
_known_roles: ContextVar[dict[tuple[int, int], MemberRoles | None] | None] = ContextVar("known_roles", default=None)


def find_role(person: User, namespace: Namespace) -> Role | None:
    """The person's role in the namespace now, or None for an outsider; reading, managing and keys depend on it."""
    roles = find_roles(person, namespace)
    return roles.namespace if roles else None


def find_roles(person: User, namespace: Namespace) -> MemberRoles | None:
    """The person's roles in the namespace and its folders now, or None for an outsider."""
    remembered, key = _known_roles.get(), (person.pk, namespace.pk)
    if remembered is not None and key in remembered:
        return remembered[key]
    rows = Membership.objects.filter(person=person, namespace=namespace).values_list("role", "folder_roles")
    row = rows.first()
    roles = read_member_roles(*row) if row else None
    if remembered is not None:
        remembered[key] = roles
    return roles


@contextmanager
def remember_roles() -> Iterator[None]:
    """Cache roles, and the text of who gives them, until the block ends; for requests that only read.

    Without it everything works the same with more queries. Requests that write must not use it, since a role may change
    between its checks.
    """
    roles, granters = _known_roles.set({}), known_granters.set({})
    try:
        yield
    finally:
        _known_roles.reset(roles)
        known_granters.reset(granters)


def is_allowed(actor: Actor, verb: Verb, namespace: Namespace, path: str = "") -> bool:
    """Whether the actor may do this in the namespace, or at a path in it."""
    try:
        require_verb(actor, verb, namespace, path)
    except (NotAllowed, NotFound):
        return False
    return True


def require_verb(actor: Actor, verb: Verb, namespace: Namespace, path: str = "", *, act: str = "") -> None:
    """Raise NotFound for an outsider, NotAllowed if the role or the key does not suffice, and TwoStepRequired if the
    namespace requires two-step sign-in and the person (or the key's person) has none.

    path: of the template or dataset inside the namespace; roles in its folders count too. Empty for the namespace
    itself. Keys only have the role in the namespace. act: the action that an error names, such as "archive datasets";
    empty for the name of the verb.
    """
    require_at(actor, verb, namespace, lambda _roles: path, act=act)


def require_at(
    actor: Actor, verb: Verb, namespace: Namespace, find_path: Callable[[MemberRoles], str], *, act: str = ""
) -> None:
    """Raise like `require_verb`. find_path: returns the path at which the role counts; called only if the result
    depends on roles in folders.
    """
    if actor.is_operator:
        if verb in NEVER_BY_OPERATOR:
            raise NotAllowed(
                gettext("Approving is done by a person who signed in, never by a command."), verb=verb.value
            )
        return
    roles = find_roles(actor.person, namespace) if actor.person.is_active else None
    if roles is None or (actor.key is not None and actor.key.namespace_id != namespace.pk):
        raise NotFound(
            gettext("There is no namespace {name}, or you are not a member of it.").format(name=namespace.name)
        )
    if actor.key is not None:
        require_key(actor.key, verb)
    needed, role, place = TABLE[verb], roles.namespace, namespace.name
    if role.rank < needed.rank and roles.folders and actor.key is None:
        path = find_path(roles)
        role, place = roles.at(path), f"{namespace.name}/{path}".rpartition("/")[0]
    if role.rank < needed.rank:
        is_about_key = actor.key is not None and roles.highest.rank >= needed.rank
        more = gettext("A key acts with the role in the namespace, without those in folders.") if is_about_key else ""
        raise NotAllowed(
            gettext("You need the role {needed} to {act} in {namespace}; {person} is {role}. {granters}").format(
                act=act or IN_WORDS[verb],
                namespace=place,
                needed=gettext(needed.value),
                person=actor.person.username,
                role=gettext(role.value),
                granters=f"{more} {describe_granters(namespace)}".strip(),
            ),
            verb=verb.value,
            role=role.value,
            needed=needed.value,
        )
    if namespace.two_step_required and needed.rank > Role.READER.rank and not actor.person.has_two_step:
        raise TwoStepRequired(
            gettext(
                "You need two-step sign-in to {act} in {name}, and {username} has not turned it on. "
                "Turn it on at /account/second-step."
            ).format(act=act or IN_WORDS[verb], name=namespace.name, username=actor.person.username),
            verb=verb.value,
        )


def find_namespace(actor: Actor, verb: Verb, name: str, path: str = "", *, act: str = "") -> Namespace:
    """The namespace, after checking the permission in it, or at a path in it. act: the action that an error names, if
    it isn't that of the verb.
    """
    namespace = find_by_name(name)
    require_verb(actor, verb, namespace, path, act=act)
    return namespace


def find_by_name(name: str) -> Namespace:
    """The namespace, without a permission check. Raises NotFound if it doesn't exist."""
    namespace = Namespace.objects.filter(name=name).first()
    if namespace is None:
        raise NotFound(gettext("There is no namespace {name}, or you are not a member of it.").format(name=name))
    return namespace


def list_visible_namespaces(actor: Actor, verb: Verb = Verb.READ) -> QuerySet[Namespace]:
    """The namespaces that the actor may read or browse: the person's; only its own for a key; all for a command.

    Raises NotAllowed for a key without the verb read, and for a narrow one unless it only browses.
    """
    if actor.key is not None:
        require_key(actor.key, verb)
    if actor.is_operator:
        return Namespace.objects.all()
    if not actor.person.is_active:
        return Namespace.objects.none()
    rows = Namespace.objects.filter(memberships__person=actor.person)
    return rows.filter(pk=actor.key.namespace_id) if actor.key else rows


def find_allowing_namespaces(person: User, verb: Verb) -> QuerySet[Namespace]:
    """The namespaces in which `is_allowed` permits this to the person through their role in the whole namespace; one
    query.
    """
    needed = TABLE[verb]
    rows = Namespace.objects.filter(
        memberships__person=person,
        memberships__person__is_active=True,
        memberships__role__in=[role for role in Role if role.rank >= needed.rank],
    )
    needs_two_step = needed.rank > Role.READER.rank and not person.has_two_step
    return rows.filter(two_step_required=False) if needs_two_step else rows


def may_create_namespace(actor: Actor) -> bool:
    """Whether the actor may create namespaces: a command, a signed-in admin of the installation, or every person if the
    setting says so. Never a key.
    """
    if actor.is_operator:
        return True
    is_creator = settings.PROMPTUARY_NAMESPACE_CREATORS == "everyone" or actor.person.is_superuser
    return actor.key is None and actor.person.is_active and is_creator


def require_proof(actor: Actor, *, is_emergency: bool = False) -> None:
    """Raise ProofRequired if the actor's session has to prove the person's identity again first.

    For services, before everything that weakens the gate: rules, roles, keys, approvals, emergencies, publishing,
    redactions, required evaluations, and webhooks, because they show secrets. Never before what reverts: rolling back
    and revoking are quick on purpose. An emergency requires a proof even where `PROMPTUARY_STEP_UP` is off.
    """
    proof = actor.find_missing_emergency_proof() if is_emergency else actor.missing_proof
    if not proof:
        return
    if proof == "totp":
        sentence = gettext(
            "This needs a code of your two-step sign-in from the last {minutes} minutes: "
            "confirm that it is you, at /account/prove."
        )
    else:
        sentence = gettext(
            "This needs your password or a code from the last {minutes} minutes: "
            "confirm that it is you, at /account/prove."
        )
    minutes = settings.ACCOUNT_REAUTHENTICATION_TIMEOUT // 60
    raise ProofRequired(sentence.format(minutes=minutes), proof=proof)


def require_label(actor: Actor, label: str) -> None:
    """Raise NotAllowed if the actor uses a key that is limited to other labels."""
    key = actor.key
    if key is None or not key.labels or label in key.labels:
        return
    raise NotAllowed(
        gettext("The key {name} is limited to {names}, so {label} takes another one. {granters}").format(
            name=key.name,
            names=gettext(" and ").join(key.labels),
            label=label,
            granters=describe_granters(key.namespace),
        ),
        label=label,
        key=key.id,
    )
