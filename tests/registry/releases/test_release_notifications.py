"""Notifications of acts on a release: everybody is told once, with the names of the templates."""

from datetime import timedelta

import pytest
from django.core import mail as outbox

from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.notifications import email as notification_email
from registry.notifications.models import Notification
from registry.releases import proposals, roll_backs
from registry.releases import services as release_services
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from tests.registry.releases.conftest import FOUR

NAMES = ", ".join(f"{name} v1" for name in FOUR)
TITLE = "Refund window: 45 days (1)"


def list_notifications(person: str = "author") -> list[tuple[str, str]]:
    """The kind and the sentence of each notification of the person, oldest first."""
    rows = Notification.objects.filter(person__username=person).order_by("pk")
    return list(rows.values_list("kind", "sentence"))


@pytest.fixture
def release(open_release):
    opened = open_release()
    Notification.objects.all().delete()
    return opened


def test_an_approval_of_all_templates_is_announced_once(release, approve_all):
    approve_all(release)
    assert list_notifications() == [("release.decided", f"reviewer approved 4 templates of release {TITLE}: {NAMES}.")]


def test_an_approval_of_one_template_names_its_change(release, approve_all):
    approve_all(release, names=FOUR[:1])
    assert [kind for kind, _ in list_notifications()] == ["change.decided"]
    assert FOUR[0] in list_notifications()[0][1]


def test_asking_for_edits_is_one_mail_with_the_words_that_leads_to_the_release(
    release, reviewer, find_digests, settings, monkeypatch
):
    settings.MAIL_IS_SENT = True
    monkeypatch.setattr(notification_email, "_not_before", 0.0)
    monkeypatch.setattr(notification_email, "_GATHERED", timedelta(seconds=-1))
    User.objects.filter(username="author").update(email="author@example.org")
    text = "Say 45 days. @reader, is that so?"
    release_services.ask_for_release_edits(actor=reviewer, number=1, digests=find_digests(release), text=text)
    sentence = f"reviewer asked for edits in 4 templates of release {TITLE}: {NAMES}."
    assert list_notifications() == [("release.decided", sentence)]
    assert list_notifications("reader") == [("mention", f"reviewer mentioned you in {TITLE}.")]
    notification_email.send_pending_mail()
    (message,) = [message for message in outbox.outbox if message.to == ["author@example.org"]]
    assert sentence.startswith(message.subject.rstrip("…")) or message.subject == sentence[:200]
    assert "> Say 45 days. @reader, is that so?" in message.body
    assert "/releases/1" in message.body
    assert "/changes/" not in message.body


def test_a_publication_is_announced_once(release, author, approve_all):
    approve_all(release)
    Notification.objects.all().delete()
    release_services.publish_release(actor=author, number=1)
    sentence = f"author published release {TITLE}: production serves {NAMES}."
    assert list_notifications("reviewer") == [("release.published", sentence)]
    assert list_notifications("author") == []
    assert not Notification.objects.filter(is_waiting=True, read_at=None).exists()


def test_a_withdrawal_is_announced_once_with_its_reason(release, author, approve_all):
    approve_all(release)
    Notification.objects.all().delete()
    release_services.withdraw_release(actor=author, number=1, reason="Legal says no")
    sentence = f"author withdrew release {TITLE} with the changes of {NAMES}: Legal says no"
    assert list_notifications("reviewer") == [("release.withdrawn", sentence)]


@pytest.fixture
def joined(author, reviewer, save):
    """An approved change of the author, which another person makes part of a release."""
    change = change_services.propose_change(
        actor=author, name=FOUR[0], label="production", version=save("one", name=FOUR[0]).number, message="Kinder"
    )
    digest = change.version.digest
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=digest)
    save("one", name=FOUR[1])
    Notification.objects.all().delete()
    return change


def test_the_proposer_is_notified_when_a_change_joins_and_when_it_is_withdrawn(joined, admin, reviewer):
    selection = ReleaseSelection(versions={FOUR[0]: 1, FOUR[1]: 1})
    proposals.propose_release(actor=admin, namespace="support", label="production", title="Joint", selection=selection)
    subject = f"{FOUR[0]} v1 for production (change 1)"
    words = "with which it is published or withdrawn"
    assert (
        "release.opened",
        f"admin made your change part of release Joint (1), {words}: {subject}.",
    ) in list_notifications()
    Notification.objects.all().delete()
    release_services.withdraw_release(actor=reviewer, number=1, reason="Not now")
    sentence = f"reviewer withdrew release Joint (1) with the changes of {FOUR[0]} v1, {FOUR[1]} v1: Not now"
    assert list_notifications() == [("release.withdrawn", sentence)]


def test_the_proposer_is_notified_when_a_change_is_added(joined, admin, open_release):
    open_release(FOUR[2:3], actor=admin)
    Notification.objects.all().delete()
    proposals.add_to_release(actor=admin, number=1, versions={FOUR[0]: 1})
    assert [kind for kind, _ in list_notifications()] == ["release.changed"]


def test_a_roll_back_of_the_release_is_announced_once_with_its_reason(release, author, reviewer, approve_all, save):
    approve_all(release)
    release_services.publish_release(actor=author, number=1)
    selection = ReleaseSelection(versions={name: save("two", name=name).number for name in FOUR})
    proposals.propose_release(actor=author, namespace="support", label="production", title="Next", selection=selection)
    approve_all(Release.objects.get(number=2))
    release_services.publish_release(actor=author, number=2)
    Notification.objects.all().delete()
    roll_backs.roll_back_release(actor=reviewer, number=2, reason="Wrong answers")
    sentence = f"reviewer rolled back release Next (2): production serves {NAMES} again. Wrong answers"
    assert list_notifications() == [("release.rolled_back", sentence)]
    assert list_notifications("admin") == list_notifications()
    assert list_notifications("reviewer") == list_notifications("reader") == []
    assert Notification.objects.filter(person__username="author").get().change.release_id == 2


def test_a_roll_back_of_one_template_of_the_release_names_it(release, author, reviewer, approve_all, save):
    approve_all(release)
    release_services.publish_release(actor=author, number=1)
    selection = ReleaseSelection(versions={name: save("two", name=name).number for name in FOUR[:2]})
    proposals.propose_release(actor=author, namespace="support", label="production", title="Next", selection=selection)
    approve_all(Release.objects.get(number=2))
    release_services.publish_release(actor=author, number=2)
    Notification.objects.all().delete()
    roll_backs.roll_back_release(actor=reviewer, number=2, reason="Odd", templates=FOUR[:1])
    assert list_notifications() == [
        ("release.rolled_back", f"reviewer rolled back release Next (2): production serves {FOUR[0]} v1 again. Odd")
    ]


def test_the_proposer_is_notified_when_a_change_is_removed(joined, admin, open_release):
    open_release(FOUR[2:3], actor=admin)
    proposals.add_to_release(actor=admin, number=1, versions={FOUR[0]: 1})
    Notification.objects.all().delete()
    proposals.remove_from_release(actor=admin, number=1, change=joined.number)
    subject = f"{FOUR[0]} v1 for production (change {joined.number})"
    assert list_notifications() == [
        ("release.changed", f"admin removed your change from release {TITLE}: {subject} goes live on its own.")
    ]
    assert list_notifications("admin") == list_notifications("reviewer") == []
