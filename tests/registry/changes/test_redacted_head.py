"""An open request whose proposed version was redacted can't be approved or published, and the gate says why."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import emergencies, gate, rules, schedules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Gone, NotAllowed
from registry.redaction import services as redaction_services
from registry.releases import proposals
from registry.releases import schedules as release_schedules
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from registry.rollouts import services as rollout_services
from registry.templates.label_models import Label

GONE = "Version 2 was redacted: its text is gone."


@pytest.fixture
def redact(admin):
    """Take the text of version 2 away, although it is proposed."""

    def run(name="support/reply"):
        redaction_services.redact_version(actor=admin, name=name, version=2, reason="A name", force=True)

    return run


@pytest.fixture
def redacted(save, publish, propose, approve, redact) -> ChangeRequest:
    """The approved request for version 2, which was redacted afterwards."""
    publish(save("one"))
    change: ChangeRequest = propose(save("two"))
    approve(change)
    redact()
    change.refresh_from_db()
    return change


def test_the_gate_says_what_to_do(author, redacted):
    found = gate.evaluate(redacted, author)
    assert [(one.code, one.cause) for one in found.blockers] == [("redacted", GONE)]
    assert found.blockers[0].action == "Propose another version, or withdraw the change."
    assert found.turn is not None
    assert found.turn.people == ("author",)


def test_nobody_approves_what_nobody_can_read(admin, redacted, approve):
    with pytest.raises(NotAllowed, match=GONE):
        approve(redacted, actor=admin)
    assert gate.evaluate(redacted, admin).refusal == GONE


def publish_change(actor, number):
    change_services.publish_change(actor=actor, number=number)


def schedule_change(actor, number):
    schedules.schedule_change(actor=actor, number=number, at=datetime.now(UTC) + timedelta(hours=1))


def start_rollout(actor, number):
    rollout_services.start_rollout(actor=actor, change=number)


@pytest.mark.parametrize("act", [publish_change, schedule_change, start_rollout])
def test_publishing_says_who_redacted_it(author, redacted, act):
    with pytest.raises(Gone, match=r"support/reply@2 was redacted on .* by admin: A name"):
        act(author, redacted.number)
    assert Label.objects.get().version.number == 1


def test_an_emergency_does_not_serve_it(admin, reviewer, redacted):
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    with pytest.raises((Gone, Conflict)):
        emergencies.publish_in_emergency(actor=reviewer, number=redacted.number, reason="Insults")
    redacted.refresh_from_db()
    assert (redacted.is_open, Label.objects.get().version.number) == (True, 1)


def test_a_schedule_ends_with_the_reason(author, save, publish, propose, approve, redact):
    publish(save("one"))
    change = propose(save("two"))
    approve(change)
    schedules.schedule_change(actor=author, number=change.number, at=datetime.now(UTC) + timedelta(hours=1))
    redact()
    at = datetime.now(UTC) - timedelta(seconds=1)
    ChangeRequest.objects.filter(pk=change.pk).update(goes_live_at=at)
    schedules.publish_scheduled_change(number=change.number, at=at)
    change.refresh_from_db()
    assert (change.goes_live_at, change.is_open, Label.objects.get().version.number) == (None, True, 1)


def test_a_release_with_it_moves_no_label(author, save, propose, approve, redact):
    save("one")
    save("two")
    save("one", name="support/other")
    selection = ReleaseSelection(versions={"support/other": 1, "support/reply": 2})
    release = proposals.propose_release(
        actor=author, namespace="support", label="production", title="Both", selection=selection
    ).release
    for change in release.members.all():
        approve(change)
    redact()
    with pytest.raises(Gone, match="support/reply@2 was redacted"):
        release_services.publish_release(actor=author, number=release.number)
    with pytest.raises(Gone, match="support/reply@2 was redacted"):
        release_schedules.schedule_release(
            actor=author, number=release.number, at=datetime.now(UTC) + timedelta(hours=1)
        )
    assert not Label.objects.exists()


def test_another_version_goes_live(author, redacted, save, approve):
    change_services.set_head(actor=author, number=redacted.number, version=save("three").number)
    approve(redacted)
    change_services.publish_change(actor=author, number=redacted.number)
    assert Label.objects.get().version.number == 3
