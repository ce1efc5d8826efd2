"""An unapproved emergency is announced daily by mail, regardless of a person's mail settings."""

from datetime import timedelta

import pytest
from django.core import mail as outbox

from registry.accounts.models import User
from registry.changes import emergencies, rules
from registry.changes.models import ChangeRequest
from registry.journal import log
from registry.namespaces import services as namespace_services
from registry.notifications import email as notification_email
from registry.notifications import emergency_reminders, watches
from registry.notifications.models import EMERGENCY, Notification
from registry.tasks import tasks as tasks_tasks
from registry.webhooks import delivery

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _with_a_mail_server(settings, monkeypatch):
    settings.MAIL_IS_SENT = True
    monkeypatch.setattr(notification_email, "_not_before", 0.0)


@pytest.fixture
def change(admin, reviewer, propose, save):
    """Published in an emergency by the reviewer; everybody has an address."""
    for person in User.objects.exclude(username="operator"):
        person.email = f"{person.username}@example.org"
        person.save()
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    change = propose(save("one"))
    Notification.objects.all().delete()
    return emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="Customers get insults")


def pass_time(span=DAY):
    """Move all timestamps so far back by this much."""
    for row in Notification.objects.all():
        Notification.objects.filter(pk=row.pk).update(created_at=row.created_at - span)
    for change in ChangeRequest.objects.exclude(closed_at=None):
        ChangeRequest.objects.filter(pk=change.pk).update(closed_at=change.closed_at - span)


def mailed():
    """Who gets mail now, once the time for gathering is over."""
    outbox.outbox = []
    at = log.now() - timedelta(minutes=1)
    Notification.objects.filter(mailed_at=None, created_at__gt=at).update(created_at=at)
    notification_email.send_pending_mail()
    return sorted(message.to[0].partition("@")[0] for message in outbox.outbox)


def test_on_the_first_day_each_possible_approver_gets_one_mail(change, admin):
    watches.set_watch_level(actor=admin, level="none")
    assert mailed() == ["admin", "author"], "the admin wishes for no mail at all"
    assert emergency_reminders.remind_of_emergencies() == 0
    assert mailed() == []


def test_each_further_day_brings_one_reminder_however_often_the_clock_asks(change):
    mailed()
    for _day in range(3):
        pass_time()
        assert [emergency_reminders.remind_of_emergencies(), emergency_reminders.remind_of_emergencies()] == [2, 0]
        assert mailed() == ["admin", "reviewer"]
        assert mailed() == []


def test_the_reminder_says_what_who_and_why(change):
    pass_time()
    emergency_reminders.remind_of_emergencies()
    mailed()
    text = outbox.outbox[0].body
    assert "Published in an emergency by reviewer" in text
    assert "not yet approved: support/reply v1 for production (change 1). Customers get insults" in text
    assert "Approve it, or roll back." in text
    assert "/changes/1" in text


def test_days_on_which_no_worker_ran_are_not_made_up_for(change):
    pass_time(5 * DAY)
    emergency_reminders.remind_of_emergencies()
    assert mailed() == ["admin", "reviewer"]
    assert len(outbox.outbox[0].body.split("Published in an emergency")) == 2


def test_a_mail_server_that_was_away_for_days_brings_one_mail(change):
    for _day in range(3):
        pass_time()
        emergency_reminders.remind_of_emergencies()
    assert mailed() == ["admin", "reviewer"]
    assert all(message.body.count("not yet approved") == 1 for message in outbox.outbox)


def test_a_new_reviewer_is_reminded(change, operator):
    namespace_services.set_role(actor=operator, namespace="support", username="reader", role="reviewer")
    assert emergency_reminders.remind_of_emergencies() == 1
    assert Notification.objects.get(kind=EMERGENCY, person__username="reader").is_waiting


def test_an_approval_ends_it(change, admin, approve):
    pass_time()
    emergency_reminders.remind_of_emergencies()
    approve(change, actor=admin)
    assert mailed() == ["author"], "that it was approved; no reminder any more"
    pass_time()
    assert emergency_reminders.remind_of_emergencies() == 0
    assert not Notification.objects.filter(is_waiting=True, read_at=None).exists()


def test_one_that_is_not_served_any_more_is_reported_until_it_is_closed(change, admin, reviewer, author, save, publish):
    publish(save("two"))
    pass_time()
    emergency_reminders.remind_of_emergencies()
    mailed()
    assert "production serves version 2 now: approve it all the same, or close it." in outbox.outbox[0].body
    emergencies.close_emergency(actor=admin, number=change.number, reason="The next version holds it")
    pass_time()
    assert emergency_reminders.remind_of_emergencies() == 0


def test_the_clock_reminds(change, monkeypatch):
    monkeypatch.setattr(delivery, "delete_old_deliveries", lambda: None)
    pass_time()
    tasks_tasks.run_upkeep()
    assert Notification.objects.filter(kind=EMERGENCY, sentence__contains="not yet approved").count() == 2
