"""Unused keys: who sees them, and the single mail to their person."""

from datetime import timedelta

import pytest
from django.core import mail as outbox

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import NotAllowed
from registry.journal import log
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.namespaces.unused_keys import find_unused_keys, is_key_unused, list_unused_keys
from registry.notifications import email as notification_email
from registry.notifications import queries as notification_queries
from registry.notifications.models import UNUSED_KEY, Notification
from registry.notifications.unused_keys import notify_of_unused_keys
from registry.tasks import tasks


@pytest.fixture
def key(admin, author) -> Key:
    """A key of the author's, issued 61 days ago and never used."""
    author.person.email = "author@example.org"
    author.person.save()
    issued = keys.issue_key(actor=admin, namespace="support", name="chat", verbs=["fetch"], person="author")
    Notification.objects.all().delete()
    return change(issued.key, created_at=ago(61))


def ago(days: float):
    return log.now() - timedelta(days=days)


def change(key: Key, **columns) -> Key:
    Key.objects.filter(pk=key.pk).update(**columns)
    return Key.objects.get(pk=key.pk)


def is_unused(key: Key) -> bool:
    """List them by the function and by the query, which must agree."""
    at = log.now()
    found = find_unused_keys(at).filter(pk=key.pk).exists()
    assert found == is_key_unused(Key.objects.get(pk=key.pk), at)
    return found


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({}, True),
        ({"created_at": 59}, False),
        ({"last_used_at": 59}, False),
        ({"created_at": 300, "last_used_at": 61}, True),
        ({"revoked_at": 1}, False),
        ({"expires_at": 1}, False),
        ({"expires_at": -1}, True),
    ],
)
def test_a_key_that_holds_and_was_not_used_for_sixty_days_is_unused(key, columns, expected):
    change(key, **{name: ago(days) for name, days in columns.items()})
    assert is_unused(key) is expected


def test_the_setting_says_how_long_and_none_is_unused_with_0(key, settings):
    settings.PROMPTUARY_UNUSED_KEY_DAYS = 62
    assert not is_unused(key)
    settings.PROMPTUARY_UNUSED_KEY_DAYS = 0
    change(key, created_at=ago(9000))
    assert not is_unused(key)


def test_its_person_and_the_admins_of_its_namespace_see_it(key, admin, author, reviewer, outsider):
    namespace_services.create_namespace(actor=outsider, name="other")
    seen = {actor.person.username: list_unused_keys(actor) for actor in (admin, author, reviewer, outsider)}
    assert seen == {"admin": [key], "author": [key], "reviewer": [], "outsider": []}
    with pytest.raises(NotAllowed):
        list_unused_keys(Actor(author.person, key))


def test_a_revoked_one_is_gone_from_the_list(key, author):
    keys.revoke_key(actor=author, key_id=key.id)
    assert list_unused_keys(author) == []


def mailed() -> list[str]:
    outbox.outbox = []
    Notification.objects.filter(mailed_at=None).update(created_at=log.now() - timedelta(minutes=1))
    notification_email.send_pending_mail()
    return [f"{message.to[0]}: {message.subject}" for message in outbox.outbox]


def test_its_person_is_mailed_once(key, settings, monkeypatch):
    settings.MAIL_IS_SENT = True
    monkeypatch.setattr(notification_email, "_not_before", 0.0)
    tasks.run_upkeep()
    (mail,) = mailed()
    assert mail.startswith("author@example.org: The key chat in support, which acts in your name, was not used for 60")
    tasks.run_upkeep()
    assert mailed() == []


def test_used_again_and_left_again_it_is_reported_once_more(key):
    assert (notify_of_unused_keys(), notify_of_unused_keys()) == (1, 0)
    Notification.objects.update(created_at=ago(100))
    change(key, last_used_at=ago(61))
    assert (notify_of_unused_keys(), notify_of_unused_keys()) == (1, 0)
    assert Notification.objects.filter(kind=UNUSED_KEY, key=key).count() == 2


def test_a_deactivated_person_is_not_notified(key, author):
    author.person.is_active = False
    author.person.save()
    assert notify_of_unused_keys() == 0


def test_it_is_not_news_next_to_the_list(key, author):
    notify_of_unused_keys()
    assert notification_queries.list_key_notifications(author) == []
