"""Permissions at all or any of several paths in a namespace: for releases, drafts and bulk writes."""

from collections.abc import Iterable

from registry.accounts.actor import Actor
from registry.core.errors import NotAllowed, NotFound
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import find_by_name, require_at, require_verb
from registry.namespaces.verbs import Verb

__all__ = [
    "find_namespace_for_draft",
    "find_namespace_for_some",
    "is_allowed_at_all",
    "is_allowed_somewhere",
    "require_verb_at_all",
    "require_verb_at_any",
    "require_verb_for_draft",
    "require_verb_somewhere",
]


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


def require_verb_at_all(actor: Actor, verb: Verb, namespace: Namespace, paths: Iterable[str]) -> None:
    """Raise like `require_verb` if the actor may not do this at each of the paths. They are read only if it depends on
    them.
    """
    require_at(actor, verb, namespace, lambda roles: min(paths, key=lambda path: roles.at(path).rank, default=""))


def require_verb_at_any(actor: Actor, verb: Verb, namespace: Namespace, paths: Iterable[str]) -> None:
    """Raise like `require_verb` if the actor may do this at none of the paths; read as in `require_verb_at_all`."""
    require_at(actor, verb, namespace, lambda roles: max(paths, key=lambda path: roles.at(path).rank, default=""))


def require_verb_somewhere(actor: Actor, verb: Verb, namespace: Namespace) -> None:
    """Raise like `require_verb` if the actor may not do this anywhere in the namespace, including its folders."""
    require_at(actor, verb, namespace, lambda roles: max(roles.folders, key=lambda it: roles.folders[it].rank) + "/")


def require_verb_for_draft(actor: Actor, verb: Verb, namespace: Namespace, path: str) -> None:
    """Raise like `require_verb` for work on a path. It is empty for an unnamed new template; then the actor has to be
    allowed somewhere in the namespace.
    """
    if path:
        require_verb(actor, verb, namespace, path)
    else:
        require_verb_somewhere(actor, verb, namespace)


def find_namespace_for_some(actor: Actor, verb: Verb, name: str) -> Namespace:
    """The namespace, if the actor may do this somewhere in it. The caller checks each path."""
    namespace = find_by_name(name)
    require_verb_somewhere(actor, verb, namespace)
    return namespace


def find_namespace_for_draft(actor: Actor, verb: Verb, name: str, path: str) -> Namespace:
    """The namespace, after checking the permission at the path as in `require_verb_for_draft`."""
    namespace = find_by_name(name)
    require_verb_for_draft(actor, verb, namespace, path)
    return namespace
