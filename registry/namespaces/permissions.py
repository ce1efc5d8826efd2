"""The only permission rules: who may do what in which namespace, and at which path in it.

`require_verb` and `is_allowed` ask the database each time, so that a role taken away counts from the next call on; only
a page that is read asks once (`role_memory`).
"""

from collections.abc import Callable, Iterable
from enum import StrEnum

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.core.errors import NotAllowed, NotFound, ProofRequired, TwoStepRequired
from registry.namespaces.models import MemberRoles, Membership, Namespace, Role, read_member_roles
from registry.namespaces.role_memory import remembered

__all__ = [
    "KEY_VERBS",
    "SCOPES",
    "TABLE",
    "Role",
    "Verb",
    "describe_granters",
    "find_namespace",
    "find_namespace_for_draft",
    "find_namespace_for_some",
    "is_allowed",
    "is_allowed_at_all",
    "is_allowed_somewhere",
    "is_limited",
    "is_narrow",
    "list_namespaces_closed_without_two_step",
    "require_key",
    "require_label",
    "require_proof",
    "require_verb",
    "require_verb_at_all",
    "require_verb_at_any",
    "require_verb_for_draft",
    "require_verb_somewhere",
    "require_wide",
    "role_of",
    "roles_of",
    "verbs_of",
    "visible_namespaces",
]


class Verb(StrEnum):
    """What can be done in a namespace."""

    BROWSE = "browse"  # names, labels and the versions that the caller may fetch; whoever may read may browse
    READ = "read"
    CHECK = "check"
    FETCH = "fetch"
    SAVE = "save"
    PROPOSE = "propose"
    COMMENT = "comment"
    MOVE = "move"
    PUBLISH = "publish"
    APPROVE = "approve"
    EVALUATE = "evaluate"
    TRY = "try"
    ROLL_BACK = "roll_back"
    MANAGE = "manage"


TABLE: dict[Verb, Role] = {  # the least role that may
    Verb.BROWSE: Role.READER,
    Verb.READ: Role.READER,
    Verb.CHECK: Role.READER,
    Verb.FETCH: Role.READER,
    Verb.SAVE: Role.AUTHOR,
    Verb.PROPOSE: Role.AUTHOR,
    Verb.COMMENT: Role.AUTHOR,
    Verb.MOVE: Role.AUTHOR,
    Verb.PUBLISH: Role.AUTHOR,
    Verb.EVALUATE: Role.AUTHOR,
    Verb.TRY: Role.AUTHOR,
    Verb.APPROVE: Role.REVIEWER,
    Verb.ROLL_BACK: Role.REVIEWER,
    Verb.MANAGE: Role.ADMIN,
}
_NEVER_BY_KEY = frozenset({Verb.APPROVE, Verb.MANAGE, Verb.TRY})
_BY_NAME_ONLY = frozenset({Verb.ROLL_BACK})  # no scope includes it: it moves a protected label at once
_NEVER_BY_NARROW_KEY = frozenset({Verb.READ, Verb.COMMENT, Verb.EVALUATE})  # all show text of any version
KEY_VERBS = tuple(verb for verb in Verb if verb not in {*_NEVER_BY_KEY, Verb.BROWSE})  # what a key can be given
SCOPES: dict[str, frozenset[Verb]] = {  # the named sets; a key of the scope chosen has a set of its own
    Key.READ: frozenset({Verb.READ, Verb.CHECK, Verb.FETCH}),
    Key.WRITE: frozenset(KEY_VERBS) - _BY_NAME_ONLY,
}
_WRITING = frozenset(KEY_VERBS) - SCOPES[Key.READ]
_NEVER_BY_OPERATOR = frozenset({Verb.APPROVE})
_IN_WORDS = {
    Verb.BROWSE: gettext_lazy("read"),
    Verb.READ: gettext_lazy("read"),
    Verb.CHECK: gettext_lazy("check"),
    Verb.FETCH: gettext_lazy("fetch"),
    Verb.SAVE: gettext_lazy("save"),
    Verb.PROPOSE: gettext_lazy("propose"),
    Verb.COMMENT: gettext_lazy("comment"),
    Verb.MOVE: gettext_lazy("move labels"),
    Verb.PUBLISH: gettext_lazy("publish"),
    Verb.APPROVE: gettext_lazy("approve"),
    Verb.EVALUATE: gettext_lazy("run evaluations"),
    Verb.TRY: gettext_lazy("try a prompt with a model"),
    Verb.ROLL_BACK: gettext_lazy("roll back"),
    Verb.MANAGE: gettext_lazy("manage members, keys and rules"),
}


def role_of(person: User, namespace: Namespace) -> Role | None:
    """The person's role in the namespace now, or None for an outsider: what reading, managing and keys go by."""
    roles = roles_of(person, namespace)
    return roles.namespace if roles else None


@remembered
def roles_of(person: User, namespace: Namespace) -> MemberRoles | None:
    """The person's roles in the namespace and its folders now, or None for an outsider."""
    rows = Membership.objects.filter(person=person, namespace=namespace).values_list("role", "folder_roles")
    row = rows.first()
    return read_member_roles(*row) if row else None


def is_allowed(actor: Actor, verb: Verb, namespace: Namespace, path: str = "") -> bool:
    """Whether the actor may do this in the namespace; with a path at that place in it."""
    try:
        require_verb(actor, verb, namespace, path)
    except (NotAllowed, NotFound):
        return False
    return True


def is_allowed_at_all(actor: Actor, verb: Verb, namespace: Namespace, paths: Iterable[str]) -> bool:
    """Whether the actor may do this at each of the paths in the namespace."""
    try:
        require_verb_at_all(actor, verb, namespace, paths)
    except (NotAllowed, NotFound):
        return False
    return True


def is_allowed_somewhere(actor: Actor, verb: Verb, namespace: Namespace) -> bool:
    """Whether the actor may do this somewhere in the namespace."""
    try:
        require_verb_somewhere(actor, verb, namespace)
    except (NotAllowed, NotFound):
        return False
    return True


def require_verb(actor: Actor, verb: Verb, namespace: Namespace, path: str = "") -> None:
    """Raise NotFound for an outsider, NotAllowed where the role or the key does not reach, TwoStepRequired where the
    namespace asks for two-step sign-in and the person, or the person whom the key acts for, has none.

    path: of the template or dataset that it is about, inside the namespace: roles in its folders count too. Empty for
    what is about the namespace. A key has the role in the namespace only.
    """
    _require(actor, verb, namespace, lambda _roles: path)


def require_verb_at_all(actor: Actor, verb: Verb, namespace: Namespace, paths: Iterable[str]) -> None:
    """Raise as `require_verb` where the actor may not do this at each of the paths. They are read only where it depends
    on them.
    """
    _require(actor, verb, namespace, lambda roles: min(paths, key=lambda path: roles.at(path).rank, default=""))


def require_verb_at_any(actor: Actor, verb: Verb, namespace: Namespace, paths: Iterable[str]) -> None:
    """Raise as `require_verb` where the actor may do this at none of the paths; read as in `require_verb_at_all`."""
    _require(actor, verb, namespace, lambda roles: max(paths, key=lambda path: roles.at(path).rank, default=""))


def require_verb_somewhere(actor: Actor, verb: Verb, namespace: Namespace) -> None:
    """Raise as `require_verb` where the actor may do this nowhere in the namespace, in no folder either."""
    _require(actor, verb, namespace, lambda roles: max(roles.folders, key=lambda it: roles.folders[it].rank) + "/")


def require_verb_for_draft(actor: Actor, verb: Verb, namespace: Namespace, path: str) -> None:
    """Raise as `require_verb` for work on a path, which is empty while a new template has no name: then the actor may
    do this somewhere in the namespace.
    """
    if path:
        require_verb(actor, verb, namespace, path)
    else:
        require_verb_somewhere(actor, verb, namespace)


def _require(actor: Actor, verb: Verb, namespace: Namespace, find_path: Callable[[MemberRoles], str]) -> None:
    """Raise as `require_verb`. find_path: gives the path at which the role counts, asked only where the person has
    roles in folders and it depends on them.
    """
    if actor.is_operator:
        if verb in _NEVER_BY_OPERATOR:
            raise NotAllowed(
                gettext("Approving is done by a person who signed in, never by a command."), verb=verb.value
            )
        return
    roles = roles_of(actor.person, namespace) if actor.person.is_active else None
    if roles is None or (actor.key is not None and actor.key.namespace_id != namespace.pk):
        raise NotFound(
            gettext("There is no namespace {name}, or you are not a member of it.").format(name=namespace.name)
        )
    if actor.key is not None:
        require_key(actor, verb)
    needed, role, place = TABLE[verb], roles.namespace, namespace.name
    if role.rank < needed.rank and roles.folders and actor.key is None:
        path = find_path(roles)
        role, place = roles.at(path), f"{namespace.name}/{path}".rpartition("/")[0]
    if role.rank < needed.rank:
        is_about_key = actor.key is not None and roles.highest.rank >= needed.rank
        more = gettext("A key acts with the role in the namespace, without those in folders.") if is_about_key else ""
        raise NotAllowed(
            gettext("You need the role {needed} to {act} in {namespace}; {person} is {role}. {granters}").format(
                act=_IN_WORDS[verb],
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
            ).format(act=_IN_WORDS[verb], name=namespace.name, username=actor.person.username),
            verb=verb.value,
        )


def find_namespace(actor: Actor, verb: Verb, name: str, path: str = "") -> Namespace:
    """The namespace, with the right to do this in it checked; with a path at that place in it."""
    namespace = _find_by_name(name)
    require_verb(actor, verb, namespace, path)
    return namespace


def find_namespace_for_some(actor: Actor, verb: Verb, name: str) -> Namespace:
    """The namespace, where the actor may do this somewhere in it. The caller checks each path."""
    namespace = _find_by_name(name)
    require_verb_somewhere(actor, verb, namespace)
    return namespace


def find_namespace_for_draft(actor: Actor, verb: Verb, name: str, path: str) -> Namespace:
    """The namespace, with the right to do this at the path checked as `require_verb_for_draft` does."""
    namespace = _find_by_name(name)
    require_verb_for_draft(actor, verb, namespace, path)
    return namespace


def _find_by_name(name: str) -> Namespace:
    namespace = Namespace.objects.filter(name=name).first()
    if namespace is None:
        raise NotFound(gettext("There is no namespace {name}, or you are not a member of it.").format(name=name))
    return namespace


def list_namespaces_closed_without_two_step(actor: Actor) -> list[str]:
    """The namespaces, by name, in which the person can only read until they switch on two-step sign-in."""
    rows = Membership.objects.filter(person=actor.person, namespace__two_step_required=True)
    rows = rows.exclude(highest_role=Role.READER)
    names = list(rows.order_by("namespace__name").values_list("namespace__name", flat=True))
    return [] if not names or actor.person.has_two_step else names


def visible_namespaces(actor: Actor, verb: Verb = Verb.READ) -> QuerySet[Namespace]:
    """The namespaces the actor may read or browse in: those of the person, for a key only its own, for a command all.

    NotAllowed for a key that was not given the verb read, and for a narrow one unless it only browses.
    """
    require_key(actor, verb)
    if actor.is_operator:
        return Namespace.objects.all()
    if not actor.person.is_active:
        return Namespace.objects.none()
    rows = Namespace.objects.filter(memberships__person=actor.person)
    return rows.filter(pk=actor.key.namespace_id) if actor.key else rows


def verbs_of(key: Key) -> frozenset[Verb]:
    """All that the key may do, as far as the role of its person reaches."""
    if key.scope == Key.CHOSEN:
        return frozenset(Verb(verb) for verb in key.verbs) - _NEVER_BY_KEY
    return SCOPES[key.scope]


def require_key(actor: Actor, verb: Verb) -> None:
    """Raise NotAllowed where the actor comes through a key that was not given this verb."""
    key = actor.key
    if key is None:
        return
    if verb in _NEVER_BY_KEY:
        raise NotAllowed(
            gettext("A key can't {act}: sign in as a person to do this.").format(act=_IN_WORDS[verb]),
            verb=verb.value,
            key=key.id,
        )
    if verb == Verb.BROWSE:
        is_wide, verb = True, Verb.READ
    else:
        is_wide = verb not in _NEVER_BY_NARROW_KEY or not is_narrow(key)
    if verb in verbs_of(key):
        if not is_wide:
            raise _too_narrow(key, verb)
        return
    if key.scope == Key.CHOSEN:
        sentence = gettext("The key {name} may {verbs}; to {act} takes one with the verb {verb}. {granters}")
    elif verb in _BY_NAME_ONLY:
        sentence = gettext("The key {name} has the scope {scope}; to {act} takes one with the verb {verb}. {granters}")
    else:
        sentence = gettext("The key {name} has the scope {scope}; to {act} takes one with the scope write. {granters}")
    raise NotAllowed(
        sentence.format(
            name=key.name,
            verbs=", ".join(key.verbs),
            scope=key.scope,
            act=_IN_WORDS[verb],
            verb=verb.value,
            granters=describe_granters(key.namespace),
        ),
        verb=verb.value,
        key=key.id,
    )


def is_limited(key: Key) -> bool:
    """Whether the key gets approved digests only: as set, else for keys that only read where a label is protected,
    unless the namespace's rule keys_approved_only says otherwise.

    A key that may write reads what it is going to change, approved or not.
    """
    if key.approved_only is not None:
        return key.approved_only
    space = key.namespace
    return space.keys_approved_only and bool(space.protected_labels) and not _WRITING & verbs_of(key)


def is_narrow(key: Key | None) -> bool:
    """Whether the key sees some versions only: the approved ones, or those that its labels serve."""
    return key is not None and (bool(key.labels) or is_limited(key))


def require_wide(actor: Actor, verb: Verb) -> None:
    """Raise NotAllowed for a narrow key: this act's answer or refusal shows text of versions that it may not fetch."""
    if actor.key is not None and is_narrow(actor.key):
        raise _too_narrow(actor.key, verb)


def _too_narrow(key: Key, verb: Verb) -> NotAllowed:
    """The refusal of what shows text of versions that a narrow key may not fetch.

    The text of a draft reaches far: change requests, threads, runs, datasets, samples and the journal all quote it. So
    a narrow key gets none of these, and for all else exactly the versions that it may fetch.
    """
    limit = gettext("approved versions")
    if key.labels:
        limit = gettext("what {labels} serves").format(labels=gettext(" and ").join(key.labels))
    return NotAllowed(
        gettext(
            "The key {name} is limited to {limit}, and this shows text of other versions too. It may "
            "list templates, fetch, check and render. {granters}"
        ).format(name=key.name, limit=limit, granters=describe_granters(key.namespace)),
        verb=verb.value,
        key=key.id,
    )


def require_proof(actor: Actor) -> None:
    """Raise ProofRequired where the actor's session has to prove first that it is still the person.

    For services, before whatever weakens the gate: rules, roles, keys, approvals, emergencies, publishing, redactions,
    evaluations that are required, and webhooks, whose secrets they show. Never before what reverts: rolling back and
    revoking are quick on purpose.
    """
    if not actor.missing_proof:
        return
    if actor.missing_proof == "totp":
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
    raise ProofRequired(sentence.format(minutes=minutes), proof=actor.missing_proof)


def require_label(actor: Actor, label: str) -> None:
    """Raise NotAllowed where the actor comes through a key that is limited to other labels."""
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


@remembered
def describe_granters(namespace: Namespace) -> str:
    """The sentence that says who gives roles and keys in the namespace."""
    admins = Membership.objects.filter(namespace=namespace, role=Role.ADMIN, person__is_active=True)
    names = list(admins.order_by("person__username").values_list("person__username", flat=True)[:3])
    if not names:
        return gettext("{namespace} has no admin at the moment who could give it.").format(namespace=namespace.name)
    return gettext("Ask an admin of {namespace}: {names}.").format(namespace=namespace.name, names=", ".join(names))
