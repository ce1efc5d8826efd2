"""E-mail about notifications: a person's accumulated notifications are sent as one message, each once.

A notification is marked as mailed before its mail is sent, and unmarked if that fails, so several workers never send it
twice; a worker that is killed in between loses that mail, but not the notification on the home page.
"""

import logging
import smtplib
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import transaction

from registry.accounts.models import User
from registry.journal import log
from registry.notifications.mail_message import Proposals, write_mail
from registry.notifications.models import EMERGENCY, Notification, Watch
from registry.notifications.queries import watch_level

__all__ = ["send_pending_mail"]

_GATHERED = timedelta(seconds=10)  # notifications within this time go into the same mail
_NEWS = timedelta(days=1)  # older ones are not mailed
_RETRY_PAUSE = 60.0  # seconds without another attempt after the mail server failed
_LIMIT = 500  # notifications per run
_log = logging.getLogger(__name__)
_not_before = 0.0


def send_pending_mail() -> int:
    """Send pending mail; returns how many mails were sent. A no-op without a mail server."""
    global _not_before  # noqa: PLW0603  # one worker, one mail server
    if not settings.MAIL_IS_SENT or time.monotonic() < _not_before:
        return 0
    count, proposals = 0, Proposals()
    for person, notifications in _take().items():
        if not (wanted_rows := _select_wanted(person, notifications)):
            continue
        try:
            write_mail(person, wanted_rows, proposals).send()
        except (smtplib.SMTPException, OSError) as error:
            _log.warning("no mail can be sent (%s); trying again in %d s", error, _RETRY_PAUSE)
            Notification.objects.filter(pk__in=[notification.pk for notification in wanted_rows]).update(mailed_at=None)
            _not_before = time.monotonic() + _RETRY_PAUSE
            break
        count += 1
    return count


def _take() -> dict[User, list[Notification]]:
    """Mark the notifications that are not mailed yet as mailed, and return them by person."""
    at = log.now()
    waiting = Notification.objects.filter(mailed_at=None, created_at__lt=at - _GATHERED).order_by("pk")
    if not waiting.exists():  # the clock runs every few seconds, and a transaction would block SQLite's other writers
        return {}
    by_person: dict[User, list[Notification]] = defaultdict(list)
    with transaction.atomic():
        rows = waiting.select_for_update(of=("self",)).select_related(
            "person",
            "template__namespace",
            "change__template__namespace",
            "change__version__template",
            "change__release",
        )
        rows_found = list(rows[:_LIMIT])
        Notification.objects.filter(pk__in=[row.pk for row in rows_found]).update(mailed_at=at)
    for row in rows_found:
        by_person[row.person].append(row)
    return by_person


def _select_wanted(person: User, notifications: list[Notification]) -> list[Notification]:
    """Filter the notifications to mail: unread, recent, and not opted out of. Those about keys or the person's own
    sign-in can't be opted out of. Emergencies are mailed until they are approved.
    """
    if not person.email or not person.is_active:
        return []
    watches, news = list(Watch.objects.filter(person=person)), log.now() - _NEWS
    return [
        row
        for row in notifications
        if row.created_at > news
        and (_is_urgent(row) if row.kind == EMERGENCY else row.read_at is None and _is_wished(watches, row))
    ]


def _is_urgent(row: Notification) -> bool:
    return row.change is not None and row.change.needs_approval


def _is_wished(watches: Sequence[Watch], row: Notification) -> bool:
    if row.template is None:  # about the person's key or sign-in
        return True
    return watch_level(watches, row.template.namespace, row.template.name.partition("/")[2]) != Watch.NONE
