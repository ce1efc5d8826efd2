"""API keys: who one acts for, and which there are."""

import hashlib
import hmac

from registry import access, journal, usage
from registry.access import Actor, Verb
from registry.models import Key

__all__ = ["authenticate", "listing"]

_PREFIX = "pb_"


def authenticate(token: str) -> Actor | None:
    """The actor behind `pb_<id>_<secret>`, or None for an unknown, revoked or expired key or an inactive person."""
    if not token.startswith(_PREFIX):
        return None
    identifier, _, secret = token[len(_PREFIX) :].partition("_")
    if not identifier.isascii() or not identifier.isalnum():
        return None
    key = Key.objects.select_related("person", "namespace").filter(id=identifier).first()
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
    if key is None or not hmac.compare_digest(digest, key.secret_sha256):
        return None
    expired = key.expires_at is not None and key.expires_at <= journal.now()
    if key.revoked_at is not None or expired or not key.person.is_active:
        return None
    usage.used(key.id)
    return Actor(key.person, key)


def listing(actor: Actor, namespace: str) -> list[Key]:
    """All keys of the namespace, revoked ones too, the newest first; admins only."""
    found = access.find_namespace(actor, Verb.MANAGE, namespace)
    return list(found.keys.select_related("person", "created_by", "replaced_by").order_by("-created_at"))
