"""Notifications by mail: batched, sent once, and only as the person chose."""

import smtplib
from datetime import timedelta

import pytest
from django.core import mail as outbox
from django.core.mail.backends.base import BaseEmailBackend

from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.journal import log
from registry.notifications import email as notification_email
from registry.notifications import watches
from registry.notifications.models import Notification
from registry.templates import labels


@pytest.fixture(autouse=True)
def _with_a_mail_server(settings, monkeypatch):
    settings.MAIL_IS_SENT = True
    monkeypatch.setattr(notification_email, "_not_before", 0.0)


@pytest.fixture
def addressed(support):
    """Give everybody an address."""
    for person in User.objects.exclude(username="operator"):
        person.email = f"{person.username}@example.org"
        person.save()


def _send():
    """Pretend that the time for collecting notifications is over."""
    Notification.objects.filter(mailed_at=None).update(created_at=log.now() - timedelta(minutes=1))
    return notification_email.send_pending_mail()


def _propose(author, version):
    return change_services.propose_change(
        actor=author, name="support/reply", label="production", version=version.number, message="Please"
    )


@pytest.mark.usefixtures("addressed")
def test_a_reviewer_gets_mail_of_a_request_that_waits(author, save):
    change = _propose(author, save())
    _send()
    message = next(message for message in outbox.outbox if message.to == ["reviewer@example.org"])
    assert message.subject.startswith("author asks for your review")
    assert f"/changes/{change.number}" in message.body
    assert message.extra_headers["List-Unsubscribe"].endswith("/mail>")


@pytest.mark.usefixtures("addressed")
def test_nothing_is_mailed_twice(author, save):
    _propose(author, save())
    assert _send() > 0
    assert _send() == 0


@pytest.mark.usefixtures("addressed")
def test_notifications_are_sent_in_one_message(author, reviewer, save, document):
    change = _propose(author, save())
    for text in ("First", "Second"):
        decisions.decide_on_change(
            actor=reviewer, number=change.number, decision="comment", digest=change.version.digest, text=text
        )
    _send()
    (message,) = [message for message in outbox.outbox if message.to == ["author@example.org"]]
    assert message.subject.endswith("(and 1 more)")


@pytest.mark.usefixtures("addressed")
def test_read_notifications_are_not_mailed(author, save):
    _propose(author, save())
    Notification.objects.update(read_at=log.now())
    assert _send() == 0


@pytest.mark.usefixtures("addressed")
def test_yesterdays_news_are_not_mailed(author, save):
    _propose(author, save())
    Notification.objects.update(created_at=log.now() - timedelta(days=2))
    assert notification_email.send_pending_mail() == 0
    assert not Notification.objects.filter(mailed_at=None).exists()


@pytest.mark.usefixtures("support")
def test_people_without_an_address_get_no_mail(author, save):
    _propose(author, save())
    assert _send() == 0


@pytest.mark.usefixtures("addressed")
def test_without_a_mail_server_nothing_is_taken(author, save, settings):
    settings.MAIL_IS_SENT = False
    _propose(author, save())
    assert _send() == 0
    assert Notification.objects.filter(mailed_at=None).exists()


@pytest.mark.usefixtures("addressed")
def test_the_watch_level_none_stops_mail_of_a_namespace(author, reviewer, save):
    watches.set_watch_level(actor=reviewer, level="none", namespace="support")
    _propose(author, save())
    _send()
    assert ["reviewer@example.org"] not in [message.to for message in outbox.outbox]


@pytest.mark.usefixtures("addressed")
def test_a_watcher_is_notified_of_saves_and_moves(author, reader, save):
    watches.set_watch_level(actor=reader, level="all", namespace="support", template="reply")
    version = save("one")
    save(name="support/other")
    labels.move_label(actor=author, name="support/reply", label="staging", version=version.number, expected=None)
    _send()
    (message,) = outbox.outbox
    assert message.to == ["reader@example.org"]
    assert "author saved support/reply v1: one" in message.body
    assert "author moved staging of support/reply: it is on version 1." in message.body
    assert "support/other" not in message.body


@pytest.mark.usefixtures("addressed")
def test_the_narrowest_wish_counts(reader, save):
    watches.set_watch_level(actor=reader, level="none")
    watches.set_watch_level(actor=reader, level="all", namespace="support")
    watches.set_watch_level(actor=reader, level="none", namespace="support", template="reply")
    save()
    save(name="support/other")
    _send()
    (message,) = outbox.outbox
    assert "support/other" in message.body
    assert "support/reply" not in message.body


@pytest.mark.usefixtures("addressed")
def test_a_watcher_is_not_said_to_be_waited_for(author, reader, save):
    watches.set_watch_level(actor=reader, level="all", namespace="support")
    _propose(author, save())
    assert Notification.objects.filter(person=reader.person).exists()
    assert not Notification.objects.filter(person=reader.person, is_waiting=True).exists()


class Refusing(BaseEmailBackend):
    """A mail server that refuses everything."""

    def send_messages(self, _messages):
        raise smtplib.SMTPServerDisconnected("gone")


@pytest.mark.usefixtures("addressed")
def test_a_mail_server_that_is_away_loses_nothing_and_is_left_alone_for_a_while(author, save, settings, monkeypatch):
    _propose(author, save())
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    assert _send() == 0
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert notification_email.send_pending_mail() == 0
    monkeypatch.setattr(notification_email, "_not_before", 0.0)
    assert notification_email.send_pending_mail() > 0
