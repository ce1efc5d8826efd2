"""Reminders of two-step sign-in: who may send them, to whom, and where they are shown."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail as outbox

from registry.accounts.actor import build_operator_actor
from registry.changes import rules
from registry.core.errors import Conflict, NotAllowed, NotFound
from registry.journal import log
from registry.notifications import email as notification_email
from registry.notifications.models import Notification
from registry.notifications.two_step_reminders import find_two_step_reminder, remind_of_two_step
from registry.people import administration, queries


@pytest.fixture
def strict(support, author):
    """The namespace requires two-step sign-in, which nobody has yet."""
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)


def test_a_person_limited_to_reading_is_reminded(strict, admin, author):
    reminder = remind_of_two_step(actor=admin, username="author")
    assert reminder.sentence == "admin asks you to turn on two-step sign-in. Until then you can only read in support."
    assert find_two_step_reminder(author) == reminder


def test_the_reminder_goes_out_by_mail_with_the_page_to_open(strict, admin, author, settings):
    settings.MAIL_IS_SENT = True
    author.person.email = "author@example.org"
    author.person.save()
    reminder = remind_of_two_step(actor=admin, username="author")
    Notification.objects.filter(pk=reminder.pk).update(created_at=log.now() - timedelta(seconds=20))
    assert notification_email.send_pending_mail() == 1
    assert f"{settings.BASE_URL}/account/second-step" in str(outbox.outbox[0].body)


def test_nobody_is_reminded_twice_a_day(strict, admin, author):
    first = remind_of_two_step(actor=admin, username="author")
    with pytest.raises(Conflict, match="less than a day ago"):
        remind_of_two_step(actor=admin, username="author")
    Notification.objects.filter(pk=first.pk).update(created_at=log.now() - timedelta(hours=25))
    second = remind_of_two_step(actor=admin, username="author")
    assert find_two_step_reminder(author) == second


def test_readers_and_those_who_have_it_need_no_reminder(strict, admin, author, reader):
    Authenticator.objects.create(user=author.person, type=Authenticator.Type.TOTP, data={})
    for username in ("author", "reader"):
        with pytest.raises(Conflict, match="required nowhere, or on"):
            remind_of_two_step(actor=admin, username=username)


def test_where_it_is_not_required_there_is_nothing_to_remind_of(support, admin, author):
    with pytest.raises(Conflict, match="required nowhere"):
        remind_of_two_step(actor=admin, username="author")


def test_only_admins_remind_and_only_people_of_their_namespaces(strict, admin, reviewer, author, outsider):
    with pytest.raises(NotAllowed):
        remind_of_two_step(actor=reviewer, username="author")
    with pytest.raises(NotFound):
        remind_of_two_step(actor=admin, username="outsider")
    with pytest.raises(NotFound):
        remind_of_two_step(actor=admin, username="nobody")
    administration.deactivate_person(actor=build_operator_actor(), username="author")
    with pytest.raises(Conflict):
        remind_of_two_step(actor=admin, username="author")


def test_the_list_names_the_namespaces_limited_to_reading(strict, admin, author, reader):
    closed = {row.username: row.closed_namespaces for row in queries.list_people(admin)}
    assert closed["author"] == ("support",)
    assert closed["reader"] == ()
