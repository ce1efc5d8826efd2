"""Scheduling a change request, and the worker's actions when it is due."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from registry.accounts.models import User
from registry.changes import queries, schedules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.freezes import services as freeze_services
from registry.jobs import claims
from registry.jobs.models import Job
from registry.journal.models import Event
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.notifications.models import Notification
from registry.releases import proposals, scheduled_publishing
from registry.releases import schedules as release_schedules
from registry.releases import services as release_services
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.tasks import tasks
from registry.templates.label_models import LabelMove
from tests.registry.changes.test_concurrency import at_once


def soon(hours=1):
    return datetime.now(UTC) + timedelta(hours=hours)


@pytest.fixture
def change(save, propose):
    return propose(save())


@pytest.fixture
def due(author, change):
    """Schedule the change for a second ago; return that time."""

    def run(actor=None):
        schedules.schedule_change(actor=actor or author, number=change.number, at=soon())
        past = datetime.now(UTC) - timedelta(seconds=1)
        ChangeRequest.objects.filter(pk=change.pk).update(goes_live_at=past)
        return past

    return run


def test_a_change_is_scheduled_before_it_is_approved(author, change):
    at = soon()
    schedules.schedule_change(actor=author, number=change.number, at=at)
    change.refresh_from_db()
    assert (change.goes_live_at, change.scheduled_by.username, change.state) == (at, "author", "open")
    event = Event.objects.latest("number")
    assert (event.kind, event.person, event.change) == ("change.scheduled", "author", change.number)
    assert json.loads(event.text)["body"]["at"] // 1_000_000 == int(at.timestamp())


@pytest.mark.parametrize(("hours", "sentence"), [(-1, "in the past"), (24 * 400, "more than a year")])
def test_a_moment_that_makes_no_sense_is_refused(author, change, hours, sentence):
    with pytest.raises(Invalid) as refusal:
        schedules.schedule_change(actor=author, number=change.number, at=soon(hours))
    assert sentence in refusal.value.fields["goes_live_at"]


def test_a_moment_in_a_freeze_is_refused_with_the_next_slot(admin, author, change):
    starts, ends = soon().isoformat(), soon(3).isoformat()
    freeze_services.set_freeze(
        actor=admin, namespace="support", repeat="once", starts=starts, ends=ends, reason="Stocktaking"
    )
    with pytest.raises(Invalid) as refusal:
        schedules.schedule_change(actor=author, number=change.number, at=soon(2))
    sentence = refusal.value.fields["goes_live_at"]
    assert sentence.startswith("this is in a freeze: support has no releases until ")
    assert "(Stocktaking). Releases can continue after the freeze." in sentence


def test_readers_and_outsiders_schedule_nothing(reader, outsider, change):
    with pytest.raises(NotAllowed):
        schedules.schedule_change(actor=reader, number=change.number, at=soon())
    with pytest.raises(NotFound):
        schedules.schedule_change(actor=outsider, number=change.number, at=soon())


def test_a_closed_change_is_not_scheduled(author, change):
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    with pytest.raises(Conflict, match="withdrawn"):
        schedules.schedule_change(actor=author, number=change.number, at=soon())


def test_the_date_is_changed_by_another_author_who_then_publishes(author, reviewer, change):
    schedules.schedule_change(actor=author, number=change.number, at=soon())
    schedules.schedule_change(actor=reviewer, number=change.number, at=soon(2))
    change.refresh_from_db()
    assert change.scheduled_by.username == "reviewer"


def test_a_schedule_is_taken_back_once(author, change):
    schedules.schedule_change(actor=author, number=change.number, at=soon())
    schedules.unschedule_change(actor=author, number=change.number)
    change.refresh_from_db()
    assert (change.goes_live_at, change.scheduled_by, change.is_open) == (None, None, True)
    with pytest.raises(Conflict, match="not scheduled"):
        schedules.unschedule_change(actor=author, number=change.number)


def test_a_withdrawn_change_that_is_reopened_has_no_schedule(author, change):
    schedules.schedule_change(actor=author, number=change.number, at=soon())
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    assert change_services.reopen_change(actor=author, number=change.number).goes_live_at is None


def test_at_its_moment_it_is_published_in_the_schedulers_name(author, change, approve, due):
    approve(change)
    due()
    assert scheduled_publishing.request_due_publishes() == 1
    assert scheduled_publishing.request_due_publishes() == 0
    tasks.run_jobs()
    change.refresh_from_db()
    move = LabelMove.objects.get(label="production")
    assert (change.state, move.person.username) == ("published", "author")
    body = json.loads(Event.objects.filter(kind="label.moved").latest("number").text)["body"]
    assert body["scheduled"] is True


def test_before_its_moment_nothing_is_due(author, change, approve):
    approve(change)
    at = schedules.schedule_change(actor=author, number=change.number, at=soon()).goes_live_at
    assert scheduled_publishing.request_due_publishes() == 0
    schedules.publish_scheduled_change(number=change.number, at=at)
    change.refresh_from_db()
    assert change.is_open


def test_without_approval_the_schedule_ends_and_both_are_told_why(reviewer, change, due):
    at = due(reviewer)
    schedules.publish_scheduled_change(number=change.number, at=at)
    change.refresh_from_db()
    assert (change.goes_live_at, change.is_open) == (None, True)
    event = Event.objects.filter(kind="change.unscheduled").latest("number")
    body = json.loads(event.text)["body"]
    assert (event.person, body["scheduled_by"]) == ("operator", "reviewer")
    assert "Needs 1 more approval" in body["reason"]
    told = Notification.objects.filter(kind="change.unscheduled").order_by("person__username")
    assert [row.person.username for row in told] == ["author", "reviewer"]
    assert all("Not published as scheduled" in row.sentence and row.mailed_at is None for row in told)
    assert not LabelMove.objects.exists()


def test_a_freeze_that_was_set_later_ends_the_schedule(admin, change, approve, due):
    approve(change)
    at = due()
    freeze_services.set_freeze(
        actor=admin,
        namespace="support",
        repeat="once",
        starts=soon(-1).isoformat(),
        ends=soon().isoformat(),
        reason="Stocktaking",
    )
    schedules.publish_scheduled_change(number=change.number, at=at)
    body = json.loads(Event.objects.filter(kind="change.unscheduled").latest("number").text)["body"]
    assert "(Stocktaking)" in body["reason"]
    assert not LabelMove.objects.exists()


def test_rights_are_read_again_at_the_moment(admin, change, approve, due):
    approve(change)
    at = due()
    namespace_services.set_role(actor=admin, namespace="support", username="author", role="reader")
    schedules.publish_scheduled_change(number=change.number, at=at)
    body = json.loads(Event.objects.filter(kind="change.unscheduled").latest("number").text)["body"]
    assert body["reason"] == "author, who scheduled it, may not publish in support any more."


def test_nobody_publishes_in_the_name_of_a_closed_account(change, approve, due):
    approve(change)
    at = due()
    User.objects.filter(username="author").update(is_active=False)
    schedules.publish_scheduled_change(number=change.number, at=at)
    assert not LabelMove.objects.exists()
    assert not Notification.objects.filter(kind="change.unscheduled", person__username="author").exists()


def test_a_key_that_was_revoked_publishes_nothing(admin, author, change, approve, due):
    approve(change)
    issued = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write", person="author")
    at = due(type(author)(author.person, issued.key))
    keys.revoke_key(actor=admin, key_id=issued.key.id)
    schedules.publish_scheduled_change(number=change.number, at=at)
    body = json.loads(Event.objects.filter(kind="change.unscheduled").latest("number").text)["body"]
    assert body["reason"] == f"The key pb_{issued.key.id}, which scheduled it, has ended."


def test_where_proposer_and_scheduler_have_left_the_reviewers_are_notified(author, change, approve, due):
    approve(change)
    at = due()
    User.objects.filter(username="author").update(is_active=False)
    Notification.objects.all().delete()
    schedules.publish_scheduled_change(number=change.number, at=at)
    told = Notification.objects.order_by("person__username").values_list("person__username", "kind")
    assert list(told) == [("admin", "change.unscheduled"), ("reviewer", "change.unscheduled")]
    assert "Not published as scheduled" in Notification.objects.latest("pk").sentence


def test_a_job_of_an_older_date_does_nothing(author, change, approve, due):
    approve(change)
    at = due()
    schedules.schedule_change(actor=author, number=change.number, at=soon())
    schedules.publish_scheduled_change(number=change.number, at=at)
    change.refresh_from_db()
    assert (change.is_open, change.goes_live_at is None) == (True, False)


@pytest.mark.parametrize("has_published", [False, True])
def test_a_job_whose_worker_died_is_done_late_and_once(change, approve, due, has_published):
    approve(change)
    due()
    Job.objects.all().delete()  # the checks of the change
    scheduled_publishing.request_due_publishes()
    job = claims.claim_job()
    if has_published:  # it died between the publish and the end of the job
        scheduled_publishing.publish_scheduled(json.loads(job.payload))
    Job.objects.filter(pk=job.pk).update(heartbeat_at=datetime.now(UTC) - 2 * claims.SILENCE)
    assert claims.requeue_silent_jobs() == 1
    tasks.run_jobs()
    job.refresh_from_db()
    assert (job.state, LabelMove.objects.count()) == ("done", 1)
    assert not Event.objects.filter(kind="change.unscheduled").exists()


@pytest.mark.dialect
def test_of_two_workers_at_the_same_time_one_publishes(transactional_db, change, approve, due):
    approve(change)
    at = due()
    results = at_once([lambda: schedules.publish_scheduled_change(number=change.number, at=at)] * 2)
    assert results == [None, None]
    assert LabelMove.objects.count() == 1
    assert not Event.objects.filter(kind="change.unscheduled").exists()


@pytest.fixture
def release(author, save):
    versions = {name: save(name=name).number for name in ("support/one", "support/two")}
    return proposals.propose_release(
        actor=author, namespace="support", label="production", title="Both", selection=ReleaseSelection(versions)
    ).release


def let_come(release):
    past = datetime.now(UTC) - timedelta(seconds=1)
    Release.objects.filter(pk=release.pk).update(goes_live_at=past)
    return past


def test_a_release_is_published_at_its_moment(author, reviewer, release):
    members = queries.list_members([release.number])
    release_services.approve_release(
        actor=reviewer, number=release.number, digests={row.number: row.version.digest for row in members}
    )
    release_schedules.schedule_release(actor=author, number=release.number, at=soon())
    let_come(release)
    assert scheduled_publishing.request_due_publishes() == 1
    tasks.run_jobs()
    release.refresh_from_db()
    assert (release.state, LabelMove.objects.count()) == ("published", 2)


def test_a_release_that_is_not_approved_stays_open_as_a_whole(reviewer, release):
    release_schedules.schedule_release(actor=reviewer, number=release.number, at=soon())
    release_schedules.publish_scheduled_release(number=release.number, at=let_come(release))
    release.refresh_from_db()
    assert (release.state, release.goes_live_at, LabelMove.objects.count()) == ("open", None, 0)
    told = Notification.objects.filter(kind="release.unscheduled").order_by("person__username")
    assert [row.person.username for row in told] == ["author", "reviewer"]


def test_a_member_is_not_scheduled_by_itself(author, release):
    member = release.members.first()
    with pytest.raises(Conflict, match="scheduled as a whole"):
        schedules.schedule_change(actor=author, number=member.number, at=soon())


def test_the_schedule_of_a_release_is_taken_back_once(author, release):
    release_schedules.schedule_release(actor=author, number=release.number, at=soon())
    assert release_schedules.unschedule_release(actor=author, number=release.number).goes_live_at is None
    with pytest.raises(Conflict, match="not scheduled"):
        release_schedules.unschedule_release(actor=author, number=release.number)
