"""Notifications of the one who asks."""

from registry.accounts.actor import Actor
from registry.notifications.models import Notification

__all__ = ["of_keys"]

_MOST_OF_KEYS = 20


def of_keys(actor: Actor) -> list[Notification]:
    """What the actor was told of keys that act for them and has not marked as read, the newest first."""
    rows = Notification.objects.filter(person=actor.person, read_at=None, key__isnull=False)
    return list(rows.select_related("key__namespace").order_by("-pk")[:_MOST_OF_KEYS])
