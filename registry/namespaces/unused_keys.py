"""Valid keys that nobody used for PROMPTUARY_UNUSED_KEY_DAYS days, which should be revoked.

For a key that was never used, the days count from when it was issued.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import NotAllowed
from registry.journal import log
from registry.namespaces.models import Membership, Role

__all__ = ["find_unused_keys", "is_key_unused", "list_unused_keys"]

_IDLE_SINCE = Coalesce("last_used_at", "created_at")


def is_key_unused(key: Key, at: datetime) -> bool:
    """Whether the key is valid at that time and was not used for the configured number of days."""
    if not settings.PROMPTUARY_UNUSED_KEY_DAYS or key.revoked_at is not None:
        return False
    is_open = key.expires_at is None or key.expires_at > at
    return is_open and (key.last_used_at or key.created_at) < _find_limit(at)


def find_unused_keys(at: datetime) -> QuerySet[Key]:
    """A query for all unused keys; each row has `idle_since`: its last use, else when it was issued."""
    rows = Key.objects.annotate(idle_since=_IDLE_SINCE)
    if not settings.PROMPTUARY_UNUSED_KEY_DAYS:
        return rows.none()
    is_open = Q(expires_at=None) | Q(expires_at__gt=at)
    return rows.filter(is_open, revoked_at=None, idle_since__lt=_find_limit(at))


def list_unused_keys(actor: Actor) -> list[Key]:
    """List the unused keys that the actor may revoke, the longest unused first. Raises NotAllowed for a key.

    These are the keys of namespaces where the actor is admin, and those that act for the actor.
    """
    if actor.key is not None:
        raise NotAllowed(gettext("A key can't list keys: sign in as the person it acts for."), key=actor.key.id)
    managed = Membership.objects.filter(person=actor.person, role=Role.ADMIN).values("namespace")
    rows = find_unused_keys(log.now()).filter(Q(person=actor.person) | Q(namespace__in=managed))
    return list(rows.select_related("namespace", "person").order_by(_IDLE_SINCE, "id"))


def _find_limit(at: datetime) -> datetime:
    return at - timedelta(days=settings.PROMPTUARY_UNUSED_KEY_DAYS)
