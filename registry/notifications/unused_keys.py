"""Notifications of long-unused keys: the key's person is notified once, until it is used again."""

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import ngettext

from registry.accounts.actor import OPERATOR
from registry.accounts.models import Key, use_language_of
from registry.journal import log
from registry.namespaces.unused_keys import find_unused_keys
from registry.notifications.models import UNUSED_KEY, Notification

__all__ = ["notify_of_unused_keys"]

_LIMIT = 200  # notified per run of the clock


def notify_of_unused_keys() -> int:
    """Notify the people of unused keys, once for each time that a key became unused; for the clock.

    Returns how many were notified. Deactivated people are not notified.
    """
    at = log.now()
    notifications = Notification.objects.filter(
        key=OuterRef("pk"), kind=UNUSED_KEY, created_at__gt=OuterRef("idle_since")
    )
    rows = (
        find_unused_keys(at).filter(~Exists(notifications), person__is_active=True).exclude(person__username=OPERATOR)
    )
    if not rows.exists():  # a transaction would block SQLite's other writers
        return 0
    with transaction.atomic():
        locked = list(rows.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True)[:_LIMIT])
        # Queried again under the lock: another worker may have sent some meanwhile.
        keys = list(rows.filter(pk__in=locked).select_related("person", "namespace").order_by("pk"))
        Notification.objects.bulk_create(
            Notification(person=key.person, kind=UNUSED_KEY, sentence=_describe(key), key=key, created_at=at)
            for key in keys
        )
    return len(keys)


def _describe(key: Key) -> str:
    days = settings.PROMPTUARY_UNUSED_KEY_DAYS
    with use_language_of(key.person):
        return ngettext(
            "The key {name} in {namespace}, which acts in your name, was not used for {days} day. "
            "If no service needs it any more, revoke it.",
            "The key {name} in {namespace}, which acts in your name, was not used for {days} days. "
            "If no service needs it any more, revoke it.",
            days,
        ).format(name=key.name, namespace=key.namespace.name, days=days)
