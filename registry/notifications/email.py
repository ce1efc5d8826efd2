"""E-mail about notifications: those that came together for a person go out as one message, each once.

A notification is taken before its mail is sent and given back when that fails, so several workers send nothing twice; a
worker that is killed between the two loses that mail, never the notification on the home page.
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

_GATHERED = timedelta(seconds=10)  # what follows within this time goes into the same mail
_NEWS = timedelta(days=1)  # what is older is no news
_REST = 60.0  # seconds without another try after the mail server failed
_MOST = 500  # notifications looked at in one go
_log = logging.getLogger(__name__)
_not_before = 0.0


def send_pending_mail() -> int:
    """Send what waits; how many mails went out. Nothing if no mail server is set."""
    global _not_before  # noqa: PLW0603  # one worker, one mail server
    if not settings.MAIL_IS_SENT or time.monotonic() < _not_before:
        return 0
    count, proposals = 0, Proposals()
    for person, notifications in _take().items():
        if not (wanted_rows := _wanted(person, notifications)):
            continue
        try:
            write_mail(person, wanted_rows, proposals).send()
        except (smtplib.SMTPException, OSError) as error:
            _log.warning("no mail can be sent (%s); trying again in %d s", error, _REST)
            Notification.objects.filter(pk__in=[notification.pk for notification in wanted_rows]).update(mailed_at=None)
            _not_before = time.monotonic() + _REST
            break
        count += 1
    return count


def _take() -> dict[User, list[Notification]]:
    """The notifications that nobody mailed yet, marked as mailed, by person."""
    at = log.now()
    waiting = Notification.objects.filter(mailed_at=None, created_at__lt=at - _GATHERED).order_by("pk")
    if not waiting.exists():  # the clock asks every few seconds, and a transaction would stop SQLite's other writers
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
        rows_found = list(rows[:_MOST])
        Notification.objects.filter(pk__in=[row.pk for row in rows_found]).update(mailed_at=at)
    for row in rows_found:
        by_person[row.person].append(row)
    return by_person


def _wanted(person: User, notifications: list[Notification]) -> list[Notification]:
    """Those that the person wants by mail: unread still, new, and not refused. What is about a key or their
    own sign-in can't be refused, and an emergency is told until it is approved."""
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
    if row.template is None:  # about a key that acts for the person, or about their sign-in
        return True
    return watch_level(watches, row.template.namespace, row.template.name.partition("/")[2]) != Watch.NONE
