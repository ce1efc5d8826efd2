"""Queries about API keys: the actor of a token, the keys of a namespace or person, and descriptions of keys."""

import hashlib
import hmac
from collections.abc import Sequence

from django.utils.translation import gettext, gettext_lazy

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.client_address import Network, is_address_in, parse_networks
from registry.core.errors import AddressNotAllowed, NotAllowed, NotFound
from registry.journal import log
from registry.namespaces import key_rights, permissions
from registry.namespaces.key_use import note_key_use
from registry.namespaces.verbs import Verb

__all__ = [
    "authenticate_key",
    "describe_key",
    "describe_rights",
    "describe_verb",
    "find_key",
    "has_key_ended",
    "list_keys",
    "list_managed_keys",
    "list_own_keys",
    "require_address",
]

_PREFIX = "pb_"
_VERBS_IN_WORDS = {
    Verb.READ: gettext_lazy("read"),
    Verb.CHECK: gettext_lazy("check and render"),
    Verb.FETCH: gettext_lazy("fetch"),
    Verb.SAVE: gettext_lazy("save versions"),
    Verb.PROPOSE: gettext_lazy("propose changes"),
    Verb.COMMENT: gettext_lazy("comment"),
    Verb.MOVE: gettext_lazy("move unprotected labels"),
    Verb.PUBLISH: gettext_lazy("publish what is approved"),
    Verb.EVALUATE: gettext_lazy("run evaluations"),
    Verb.ROLL_BACK: gettext_lazy("roll labels back"),
}


def authenticate_key(token: str, address: str = "") -> Actor | None:
    """The actor of `pb_<id>_<secret>`, or None for an unknown, revoked or expired key or an inactive person.

    address: the caller's. Raises AddressNotAllowed if the key is limited to others; that doesn't count as use.
    """
    if not token.startswith(_PREFIX):
        return None
    identifier, _, secret = token[len(_PREFIX) :].partition("_")
    if not identifier.isascii() or not identifier.isalnum():
        return None
    key = Key.objects.select_related("person", "namespace").filter(id=identifier).first()
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
    if key is None or not hmac.compare_digest(digest, key.secret_sha256):
        return None
    expired = key.expires_at is not None and key.expires_at <= log.now()
    if key.revoked_at is not None or expired or not key.person.is_active:
        return None
    if key.addresses:
        require_address(key.id, parse_networks(key.addresses), address)
    note_key_use(key.id)
    return Actor(key.person, key)


def require_address(key_id: str, networks: Sequence[Network], address: str) -> None:
    """Raise AddressNotAllowed if there is a list of networks and the address is in none of them."""
    if not networks or is_address_in(address, networks):
        return
    address_shown = address[:64] or gettext("an unknown address")
    raise AddressNotAllowed(
        gettext(
            "The key pb_{key_id} may not be used from {shown}: it is limited to other network addresses. "
            "An admin of its namespace changes them, on the page of its keys."
        ).format(key_id=key_id, shown=address_shown),
        key=key_id,
        address=address[:64],
    )


def find_key(actor: Actor, key_id: str) -> Key:
    """The key, for admins of its namespace and for the person it acts for. Raises NotFound for others, NotAllowed for
    keys.
    """
    if actor.key is not None:
        raise NotAllowed(gettext("A key can't view keys: sign in as a person to do this."), key=actor.key.id)
    key = Key.objects.select_related("namespace", "person").filter(id=key_id[:20]).first()
    if key is not None and actor.person.is_active and key.person == actor.person:
        return key
    if key is None or not permissions.is_allowed(actor, Verb.MANAGE, key.namespace):
        raise NotFound(gettext("There is no key {id}, or you may not manage it.").format(id=key_id[:20]))
    return key


def list_keys(actor: Actor, namespace: str) -> list[Key]:
    """List all keys of the namespace, including revoked ones, newest first; admins only."""
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    return list(space.keys.select_related("person", "created_by", "replaced_by").order_by("-created_at"))


def list_managed_keys(actor: Actor) -> list[Key]:
    """List the active keys of all namespaces whose keys the actor may manage, by namespace, newest first, in a constant
    number of queries. Empty for a key.
    """
    if actor.key is not None:
        return []
    managed = permissions.find_allowing_namespaces(actor.person, Verb.MANAGE)
    rows = Key.objects.filter(namespace__in=managed).select_related("namespace")
    return [key for key in rows.order_by("namespace__name", "-created_at") if not has_key_ended(key)]


def list_own_keys(actor: Actor) -> list[Key]:
    """List all keys that act for the actor, in any namespace, including ended ones, newest first; not by key."""
    if actor.key is not None:
        raise NotAllowed(gettext("A key can't list keys: sign in as the person it acts for."), key=actor.key.id)
    rows = Key.objects.filter(person=actor.person).select_related("namespace", "person", "created_by")
    return list(rows.order_by("-created_at"))


def has_key_ended(key: Key) -> bool:
    """Whether the key is revoked or expired."""
    return key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= log.now())


def describe_verb(verb: Verb) -> str:
    """What a key with this verb may do: `roll labels back`."""
    return str(_VERBS_IN_WORDS[verb])


def describe_rights(key: Key) -> str:
    """What the key may do, in short: the name of its scope, or its individual permissions."""
    if key.scope != Key.CHOSEN:
        return {Key.READ: gettext("read"), Key.WRITE: gettext("write")}[key.scope]
    return ", ".join(describe_verb(Verb(verb)) for verb in key.verbs)


def describe_key(key: Key) -> str:
    """What the key may do: `read, check and render and fetch, only what production serves`."""
    verbs = key_rights.list_key_verbs(key)
    words = [str(phrase) for verb, phrase in _VERBS_IN_WORDS.items() if verb in verbs]
    text = words[0]
    if len(words) > 1:
        text = gettext("{names} and {last}").format(names=", ".join(words[:-1]), last=words[-1])
    if key.labels:
        labels = gettext(" and ").join(key.labels)
        text = gettext("{text}, only what {labels} serves").format(text=text, labels=labels)
    return gettext("{text}, approved versions only").format(text=text) if key_rights.is_limited(key) else text
