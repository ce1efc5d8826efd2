"""Keys act for a person, who is notified of keys made by others, sees all of them, and can revoke them."""

import json
from datetime import timedelta

import pytest
from django.core import mail as outbox

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import Invalid, NotAllowed, NotFound
from registry.journal import log
from registry.journal.event import to_microseconds
from registry.journal.models import Event
from registry.namespaces import key_queries as found
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.notifications import email as notification_email
from registry.notifications import queries as notification_queries
from registry.notifications import watches
from registry.notifications.models import Notification


def issue(actor, person="author", **facts):
    facts = {"scope": "read"} | facts
    return keys.issue_key(actor=actor, namespace="support", name="bot", person=person, **facts).key


def list_sentences(actor):
    return [notice.sentence for notice in notification_queries.list_key_notifications(actor)]


def test_a_person_is_notified_of_a_key_that_another_issued_in_their_name(admin, author):
    issue(admin, scope="write")
    assert len(list_sentences(author)) == 1
    assert list_sentences(author)[0].startswith(
        "admin issued a key that acts in your name: bot in support. It may read, check"
    )
    assert "roll labels back" not in list_sentences(author)[0]
    assert list_sentences(admin) == []


def test_they_are_notified_of_one_that_a_command_issued(operator, author, support):
    issue(operator, verbs=["fetch"], scope="")
    assert "operator issued a key that acts in your name: bot in support. It may fetch" in list_sentences(author)[0]


def test_they_are_notified_of_one_that_another_rotated(admin, author):
    old = issue(admin)
    Notification.objects.all().delete()
    keys.rotate_key(actor=admin, key_id=old.id)
    assert list_sentences(author)[0].startswith("admin rotated a key that acts in your name: bot in support.")


def test_nobody_is_notified_of_what_they_did_themselves(admin):
    keys.rotate_key(actor=admin, key_id=issue(admin, person="admin").id)
    assert list_sentences(admin) == []


def test_it_goes_out_by_mail_even_to_who_wants_none(admin, author, settings, monkeypatch):
    settings.MAIL_IS_SENT = True
    monkeypatch.setattr(notification_email, "_not_before", 0.0)
    author.person.email = "author@example.org"
    author.person.save()
    watches.set_watch_level(actor=author, level="none", namespace=None, template="")
    issue(admin)
    Notification.objects.update(created_at=log.now() - timedelta(minutes=1))
    assert notification_email.send_pending_mail() == 1
    message = outbox.outbox[-1]
    assert (message.to, "/account/keys" in message.body) == (["author@example.org"], True)
    assert message.subject.startswith("admin issued a key that acts in your name")


def test_they_see_the_keys_of_every_namespace_and_no_others(admin, author, reviewer):
    mine = issue(admin)
    issue(admin, person="reviewer")
    keys.revoke_key(actor=admin, key_id=mine.id)
    assert [(key.id, key.namespace.name, key.created_by.username) for key in found.list_own_keys(author)] == [
        (mine.id, "support", "admin")
    ]
    assert found.has_key_ended(found.list_own_keys(author)[0])
    with pytest.raises(NotAllowed, match="sign in"):
        found.list_own_keys(Actor(reviewer.person, issue(admin, person="reviewer")))


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"scope": "read"}, "read, check and render and fetch, approved versions only"),
        ({"verbs": ["fetch"], "labels": ["staging"], "approved_only": False}, "fetch, only what staging serves"),
        ({"verbs": ["move", "publish"]}, "move unprotected labels and publish what is approved"),
    ],
)
def test_the_rights_of_a_key_are_described_in_words(admin, author, facts, words):
    assert found.describe_key(issue(admin, **{"scope": "", **facts})) == words


@pytest.mark.parametrize("role", ["author", "reader"])
def test_the_person_it_acts_for_revokes_it_whatever_their_role(admin, author, reader, role):
    key = issue(admin, person=role)
    keys.revoke_key(actor={"author": author, "reader": reader}[role], key_id=key.id)
    assert Key.objects.get(id=key.id).revoked_at is not None
    assert Event.objects.latest("number").person == role


def test_they_revoke_it_after_they_left_the_namespace_too(admin, author):
    key = issue(admin)
    namespace_services.set_role(actor=admin, namespace="support", username="author", role=None)
    keys.revoke_key(actor=author, key_id=key.id)
    assert Key.objects.get(id=key.id).revoked_at is not None


def test_nobody_else_revokes_it_and_no_key_does(admin, author, reviewer, outsider):
    key = issue(admin)
    with pytest.raises(NotAllowed):
        keys.revoke_key(actor=reviewer, key_id=key.id)
    with pytest.raises(NotFound):
        keys.revoke_key(actor=outsider, key_id=key.id)
    with pytest.raises(NotAllowed):
        keys.revoke_key(actor=Actor(author.person, issue(admin, scope="write")), key_id=key.id)


def test_the_person_it_acts_for_may_revoke_but_not_rotate(admin, author):
    with pytest.raises(NotAllowed):
        keys.rotate_key(actor=author, key_id=issue(admin).id)


def test_a_key_can_be_revoked_to_end_in_a_while(admin):
    issued = keys.issue_key(actor=admin, namespace="support", name="bot", scope="read", person="author")
    until = log.now() + timedelta(hours=1)
    keys.revoke_key(actor=admin, key_id=issued.key.id, keep_until=until)
    assert found.authenticate_key(issued.secret) is not None
    assert Key.objects.get().expires_at == until
    body = json.loads(Event.objects.latest("number").text)["body"]
    assert body == {"id": issued.key.id, "until": to_microseconds(until)}
    keys.revoke_key(actor=admin, key_id=issued.key.id)
    assert found.authenticate_key(issued.secret) is None


def test_a_key_that_ends_sooner_is_not_made_to_last(admin):
    soon = log.now() + timedelta(minutes=5)
    key = issue(admin, expires_at=soon)
    keys.revoke_key(actor=admin, key_id=key.id, keep_until=log.now() + timedelta(hours=1))
    assert Key.objects.get().expires_at == soon
    with pytest.raises(Invalid):
        keys.revoke_key(actor=admin, key_id=key.id, keep_until=log.now() - timedelta(hours=1))
