"""Starting a rollout: what the label serves then, and refusals."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import emergencies, schedules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotAllowed, NotFound
from registry.notifications import following
from registry.notifications.models import Notification
from registry.rollouts import services
from registry.rollouts.models import Rollout
from registry.templates import archive, labels
from registry.templates.label_models import Label


def test_a_rollout_leaves_the_label_on_the_stable_version(start):
    rollout = start()
    label = Label.objects.get()
    assert (label.version.number, label.rollout) == (1, rollout)
    assert (rollout.stable.number, rollout.candidate.number, rollout.share) == (1, 2, 500)
    assert rollout.next_at is not None


def test_its_event_says_all_that_chooses_the_callers(start, last_event):
    rollout = start(steps=[{"share": 1000, "hours": None}])
    kind, body = last_event()
    assert (kind, body["rollout"], body["version"], body["stable"]) == ("rollout.started", 1, 2, 1)
    assert (body["salt"], body["steps"]) == (rollout.salt, [{"share": 1000, "hours": None}])


def test_two_rollouts_choose_different_callers(start, reviewer):
    first = start()
    services.stop_rollout(actor=reviewer, number=first.number, reason="Again")
    assert start().salt != first.salt


def test_an_unapproved_change_is_not_rolled_out(author, publish, propose, save):
    publish(save("one"))
    change = propose(save("two"))
    with pytest.raises(ApprovalRequired, match="approval"):
        services.start_rollout(actor=author, change=change.number)


def test_a_label_that_serves_nothing_has_nothing_to_stay_on(author, propose, approve, save):
    change = propose(save("one"))
    approve(change)
    with pytest.raises(Conflict, match="serves nothing yet"):
        services.start_rollout(actor=author, change=change.number)


def test_a_published_change_is_not_rolled_out(author, approved):
    change_services.publish_change(actor=author, number=approved.number)
    with pytest.raises(Conflict, match="is published"):
        services.start_rollout(actor=author, change=approved.number)


def test_a_second_rollout_of_the_label_is_refused_by_its_name(start):
    start()
    with pytest.raises(Conflict, match="rollout 1"):
        start()
    assert Rollout.objects.count() == 1


def test_readers_and_outsiders_start_nothing(start, reader, outsider):
    with pytest.raises(NotAllowed):
        start(actor=reader)
    with pytest.raises(NotFound):
        start(actor=outsider)


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "1 to 20 steps"),
        ([{"share": 0, "hours": 1}], "step 1: the share is"),
        ([{"share": 10_000, "hours": 1}], "step 1: the share is"),
        ([{"share": True, "hours": 1}], "step 1: the share is"),
        ([{"share": 500, "hours": 1}, {"share": 500, "hours": 1}], "step 2: the share is not larger"),
        ([{"share": 500, "hours": 0}], "step 1: the wait is"),
        ([{"share": number, "hours": 1} for number in range(1, 22)], "1 to 20 steps"),
    ],
)
def test_a_plan_that_cannot_be_followed_is_refused(start, steps, words):
    with pytest.raises(Invalid) as caught:
        start(steps=steps)
    assert words in caught.value.fields["steps"]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"metric": "Not a name", "below": 0.5}, "name the score"),
        ({"metric": "helpful"}, "say what stops it"),
        ({"metric": "helpful", "below": float("nan")}, "must be a number"),
        ({"metric": "helpful", "below": 0.5, "replies": 0}, "the replies to wait for"),
    ],
)
def test_an_empty_stop_rule_is_refused(start, rule, words):
    with pytest.raises(Invalid) as caught:
        start(stop_rule=rule)
    assert words in caught.value.fields["stop_rule"]


def test_a_stop_rule_waits_for_two_hundred_replies_by_default(start):
    rule = start(stop_rule={"metric": "helpful", "below": 0.85}).stop_rule
    assert rule == {"metric": "helpful", "replies": 200, "below": 0.85, "worse_than_stable": False}


def test_nothing_else_moves_the_label_meanwhile(start, author, reviewer, approved, save, propose, approve):
    start()
    with pytest.raises(Conflict, match="by rollout 1"):
        change_services.publish_change(actor=author, number=approved.number)
    other = propose(save("three"))
    approve(other)
    with pytest.raises(Conflict, match="in rollout 1, which publishes change 2"):
        change_services.publish_change(actor=author, number=other.number)
    with pytest.raises(Conflict, match="stop it to give everybody version 1 again"):
        labels.roll_back_label(actor=reviewer, name="support/reply", label="production", version=1, reason="Bad")
    assert Label.objects.get().version.number == 1


def test_an_emergency_waits_for_the_end_of_the_rollout(start, reviewer, save, propose, support):
    support.break_glass = True
    support.save()
    start()
    change = propose(save("three"))
    with pytest.raises(Conflict, match="in rollout 1"):
        emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="Fire")


def test_the_change_keeps_its_version_and_stays_open(start, author, approved, save):
    start()
    third = save("three")
    with pytest.raises(Conflict, match="by rollout 1"):
        change_services.set_head(actor=author, number=approved.number, version=third.number)
    with pytest.raises(Conflict, match="by rollout 1"):
        change_services.withdraw_change(actor=author, number=approved.number, reason="Not needed")


def test_a_template_is_not_archived_during_a_rollout(start, admin):
    start()
    with pytest.raises(Conflict, match="is open"):
        archive.archive_template(actor=admin, name="support/reply", reason="Old", force=True)


def test_a_start_notifies_the_author_and_not_the_reviewers(start, reviewer, author, approved):
    start(actor=reviewer)
    notice = Notification.objects.get(kind="rollout.started")
    assert (notice.person, notice.change) == (author.person, approved)
    assert notice.sentence.endswith(
        "started rollout 1 of support/reply 2 for production, with 5\N{NO-BREAK SPACE}% of the callers."
    )


@pytest.mark.parametrize(("topic", "count"), [("published", 1), ("saved", 0)])
def test_followers_of_publishes_are_notified(start, reader, topic, count):
    following.follow_template(actor=reader, name="support/reply", topics=[topic])
    start()
    assert Notification.objects.filter(person=reader.person, kind="rollout.started").count() == count


def test_a_change_goes_live_at_a_moment_or_gradually_and_not_both(start, author, approved):
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    schedules.schedule_change(actor=author, number=approved.number, at=tomorrow)
    with pytest.raises(Conflict, match="cancel that schedule first"):
        start()
    schedules.unschedule_change(actor=author, number=approved.number)
    start()
    with pytest.raises(Conflict, match="by rollout 1: stop that first"):
        schedules.schedule_change(actor=author, number=approved.number, at=tomorrow)


def test_a_scheduled_publish_ends_with_its_reason_while_a_rollout_divides_the_label(
    start, author, save, propose, approve
):
    other = propose(save("three"))
    approve(other)
    at = datetime.now(UTC) + timedelta(days=1)
    schedules.schedule_change(actor=author, number=other.number, at=at)
    start()
    past = datetime.now(UTC) - timedelta(seconds=1)
    ChangeRequest.objects.filter(pk=other.pk).update(goes_live_at=past)
    schedules.publish_scheduled_change(number=other.number, at=past)
    other.refresh_from_db()
    assert (other.state, other.goes_live_at) == (ChangeRequest.APPROVED, None)
    assert Label.objects.get().version.number == 1
    notice = Notification.objects.get(kind="change.unscheduled", person=author.person)
    assert "production is in rollout 1, which publishes change 2 gradually" in notice.sentence
