"""Mail about comments: their current text, also on a release."""

from datetime import timedelta

import pytest
from django.core import mail as outbox

from registry.accounts.models import User
from registry.changes import decisions, revisions, threads
from registry.changes import services as change_services
from registry.changes.places import Place
from registry.namespaces import services as namespace_services
from registry.notifications import email as notification_email
from registry.notifications.models import Notification
from registry.releases import comments, proposals
from registry.releases.plans import ReleaseSelection

NAME = "support/reply"


@pytest.fixture(autouse=True)
def _with_a_mail_server(settings, support, monkeypatch):
    settings.MAIL_IS_SENT = True
    monkeypatch.setattr(notification_email, "_not_before", 0.0)
    monkeypatch.setattr(
        notification_email, "_GATHERED", timedelta(seconds=-1)
    )  # don't wait for more notifications to batch
    for person in User.objects.exclude(username="operator"):
        person.email = f"{person.username}@example.org"
        person.save()


@pytest.fixture
def change(author, save):
    proposed = change_services.propose_change(
        actor=author, name=NAME, label="production", version=save().number, message="Kinder"
    )
    Notification.objects.all().delete()
    return proposed


def _send(reader="author"):
    outbox.outbox.clear()
    notification_email.send_pending_mail()
    (message,) = [message for message in outbox.outbox if message.to == [f"{reader}@example.org"]]
    return message


def _html_of(message):
    ((html, _),) = message.alternatives
    return html


def _ask_for_edits(reviewer, change, text):
    decisions.decide_on_change(
        actor=reviewer, number=change.number, decision="request_changes", digest=change.version.digest, text=text
    )


def test_a_decision_comes_with_its_words(reviewer, change):
    _ask_for_edits(reviewer, change, "Say **sorry** first.\n\n<i>Then</i> help.")
    message = _send()
    assert "asked for edits in support/reply v1 for production" in message.body
    assert "\n> Say **sorry** first.\n>\n> <i>Then</i> help.\n" in message.body
    html = _html_of(message)
    assert "<strong>sorry</strong>" in html
    assert "&lt;i&gt;Then&lt;/i&gt;" in html


def test_the_mail_about_a_mention_quotes_the_comment(author, change):
    threads.open_thread(actor=author, number=change.number, place=Place(version=1, line=1), text="@reader, why?")
    message = _send("reader")
    assert "author mentioned you in support/reply v1 for production" in message.body
    assert "> @reader, why?" in message.body


def test_an_edited_comment_comes_as_it_reads_now_and_a_deleted_one_without_words(reviewer, author, change):
    threads.open_thread(actor=reviewer, number=change.number, place=Place(version=1, line=1), text="First words")
    revisions.edit_comment(actor=reviewer, number=change.number, thread=1, comment=1, text="Better words")
    body = _send().body
    assert "> Better words" in body
    assert "First words" not in body
    _ask_for_edits(reviewer, change, "Too rude")
    revisions.delete_comment(actor=reviewer, number=change.number, thread=0, comment=1)
    message = _send()
    assert "asked for edits" in message.body
    assert "Too rude" not in message.body
    assert "<blockquote" not in _html_of(message)


def test_words_go_to_members_only_and_not_where_mail_holds_no_texts(admin, reviewer, change, settings):
    settings.MAIL_HAS_DIFFS = False
    _ask_for_edits(reviewer, change, "Too rude")
    assert "Too rude" not in _send().body
    settings.MAIL_HAS_DIFFS = True
    _ask_for_edits(reviewer, change, "Still rude")
    namespace_services.set_role(actor=admin, namespace="support", username="author", role=None)
    assert "Still rude" not in _send().body


def test_a_comment_on_a_release_leads_to_the_release(author, reviewer, save):
    save()
    release = proposals.propose_release(
        actor=author,
        namespace="support",
        label="production",
        title="Kinder",
        selection=ReleaseSelection(from_label="latest", folder="support"),
    ).release
    Notification.objects.all().delete()
    comments.comment_on_release(actor=reviewer, number=release.number, text="All of it?")
    body = _send().body
    assert f"/releases/{release.number}\n\n> All of it?" in body
    assert "/changes/" not in body
    assert body.count("Kinder") == 1
