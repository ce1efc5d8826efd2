"""Who may fetch what, as far as a process remembers it."""

from dataclasses import dataclass

from registry.accounts.models import Key
from registry.namespaces.permissions import Verb, is_limited, role_of, verbs_of

__all__ = ["Caller", "caller_of_key"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who may fetch what: everything below one namespace, perhaps only what was approved or a protected label holds, or
    only what some labels serve.
    """

    key: str  # its id; empty for a person
    namespace: str
    approved_only: bool = False
    protected: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()  # none: all
    may_fetch: bool = True
    good_until: float = 0.0


def caller_of_key(key: Key, good_until: float) -> Caller:
    """What the key may fetch, as the database knows it now; to be believed until `good_until` (the fetcher's clock)."""
    # Without a role in the namespace any more the key finds nothing: no template lies below a namespace without a name.
    namespace = key.namespace.name if role_of(key.person, key.namespace) else ""
    return Caller(
        key.id,
        namespace,
        is_limited(key),
        frozenset(key.namespace.protected_labels),
        frozenset(key.labels),
        Verb.FETCH in verbs_of(key),
        good_until,
    )
