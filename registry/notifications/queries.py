"""Notifications of the one who asks."""

from registry.accounts.actor import Actor
from registry.core.pagination import Page, check_limit, cut, read_number
from registry.notifications.models import Notification

__all__ = ["count_unread", "of_keys", "page"]

_MOST_OF_KEYS = 20


def page(actor: Actor, *, unread: bool = False, cursor: str | None = None, limit: int = 50) -> Page[Notification]:
    """The actor's notifications, newest first; only new ones with `unread`."""
    limit = check_limit(limit)
    rows = Notification.objects.filter(person=actor.person).select_related("template", "change").order_by("-pk")
    rows = rows.defer("template__words")
    if unread:
        rows = rows.filter(read_at=None)
    if before := read_number(cursor):
        rows = rows.filter(pk__lt=before)
    return cut(rows[: limit + 1], limit, lambda notification: notification.pk)


def of_keys(actor: Actor) -> list[Notification]:
    """What the actor was told of keys that act for them and has not marked as read, the newest first."""
    rows = Notification.objects.filter(person=actor.person, read_at=None, key__isnull=False)
    return list(rows.select_related("key__namespace").order_by("-pk")[:_MOST_OF_KEYS])


def count_unread(actor: Actor) -> int:
    """How many are new."""
    return Notification.objects.filter(person=actor.person, read_at=None).count()
