"""The people who proposed and scheduled publications are notified of a freeze that stops them."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import schedules as change_schedules
from registry.freezes import services as freeze_services
from registry.notifications import email as notification_email
from registry.notifications.models import Notification
from registry.releases import proposals, schedules
from registry.releases.plans import ReleaseSelection

MOMENT = (datetime.now(UTC) + timedelta(days=3)).replace(second=0, microsecond=0)


@pytest.fixture
def freeze(admin):
    """Set a freeze around MOMENT, this many days later."""

    def set_freeze(actor=None, days=0):
        begins = MOMENT + timedelta(days=days)
        return freeze_services.set_freeze(
            actor=actor or admin,
            namespace="support",
            repeat="once",
            starts=(begins - timedelta(hours=1)).isoformat(),
            ends=(begins + timedelta(hours=1)).isoformat(),
            reason="Stocktaking",
        )

    return set_freeze


def list_notifications():
    rows = Notification.objects.filter(kind="freeze.set").order_by("pk")
    return [(row.person.username, row.sentence) for row in rows.select_related("person")]


def test_the_scheduler_and_the_proposer_are_notified_once(author, reviewer, change, freeze):
    change_schedules.schedule_change(actor=reviewer, number=change.number, at=MOMENT)
    freeze()
    people, sentences = zip(*list_notifications(), strict=True)
    assert set(people) == {"author", "reviewer"}
    assert sentences[0].startswith(f"Change {change.number} (support/reply v1): ")
    assert sentences[0].endswith("set a freeze (Stocktaking). Choose another date.")


def test_the_setter_of_a_freeze_and_a_freeze_next_to_it_are_not_notified(admin, change, freeze):
    change_schedules.schedule_change(actor=admin, number=change.number, at=MOMENT)
    freeze(days=1)
    assert list_notifications() == []
    freeze()
    assert [person for person, _ in list_notifications()] == ["author"]


def test_a_release_is_announced_once_and_leads_to_its_page(author, save, freeze, settings, mailoutbox, monkeypatch):
    settings.MAIL_IS_SENT = True
    monkeypatch.setattr(notification_email, "_not_before", 0.0)
    author.person.email = "author@example.org"
    author.person.save()
    for name in ("support/one", "support/two"):
        save(name=name)
    selection = ReleaseSelection(versions={"support/one": 1, "support/two": 1})
    release = proposals.propose_release(
        actor=author, namespace="support", label="production", title="Together", selection=selection
    ).release
    schedules.schedule_release(actor=author, number=release.number, at=MOMENT)
    freeze()
    assert [person for person, _ in list_notifications()] == ["author"]
    Notification.objects.update(created_at=datetime.now(UTC) - timedelta(minutes=1))
    notification_email.send_pending_mail()
    (message,) = [message for message in mailoutbox if message.to == ["author@example.org"]]
    assert f"/releases/{release.number}" in message.body
    assert "/changes/" not in message.body
