"""A clock that is set back an hour: every action has the same result as with a correct clock."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from registry import mirror
from registry.accounts.actor import Actor
from registry.audit.verification import find_chain_faults
from registry.changes import decisions, gate, queries, schedules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import ApprovalRequired, Conflict
from registry.journal.models import Event
from registry.releases import scheduled_publishing
from registry.releases.models import Release
from registry.rollouts import clock
from registry.rollouts import services as rollout_services
from registry.tasks import tasks
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Version
from tests.support import act_story
from tests.support.act_story import TEMPLATE, Story

pytestmark = pytest.mark.dialect

HOUR = timedelta(hours=1)
ACTS: list[Callable[[Story], None]] = [
    Story.save,
    Story.propose,
    Story.approve,
    Story.publish,
    Story.prepare_roll_back,
    Story.roll_back,
    Story.prepare_release,
    Story.publish_release,
]


class Clock:
    """The time as seen by the whole process; it advances by itself."""

    def __init__(self) -> None:
        self._traveller = time_machine.travel(datetime(2030, 5, 14, 10, tzinfo=UTC), tick=True)
        self._time = self._traveller.start()

    def move(self, by: timedelta) -> None:
        self._time.shift(by)

    def stop(self) -> None:
        self._traveller.stop()


@pytest.fixture
def clock_at_ten() -> Iterator[Clock]:
    clock_of_test = Clock()
    yield clock_of_test
    clock_of_test.stop()


@pytest.fixture
def cast(transactional_db, settings, tmp_path) -> dict[str, Actor]:
    """The people of `support`, in a separate database with its own mirror."""
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    return act_story.load_actors()


@pytest.fixture
def story(cast, clock_at_ten) -> Story:
    return Story(cast)


def check_journal() -> None:
    """Events are numbered without gaps and chained, and the mirror holds the same."""
    numbers = list(Event.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert list(find_chain_faults()) == []
    mirror.catch_up()
    assert mirror.verify() == []


@pytest.mark.parametrize("later", ACTS, ids=lambda act: act.__name__)
def test_all_acts_come_out_alike_whichever_follows_the_jump(story, clock_at_ten, later):
    for act in ACTS:
        if act is later:
            clock_at_ten.move(-HOUR)
        act(story)
    assert dict(Label.objects.values_list("template__name", "version__number")) == {
        TEMPLATE: 1,
        "support/first": 1,
        "support/second": 1,
    }
    moves = LabelMove.objects.filter(template__name=TEMPLATE).order_by("pk")
    assert list(moves.values_list("after__number", flat=True)) == [1, 2, 1]
    assert list(ChangeRequest.objects.order_by("number").values_list("state", flat=True)) == ["published"] * 4
    assert Release.objects.get().state == "published"
    check_journal()


def test_the_later_decision_counts_though_its_time_is_earlier(cast, story, clock_at_ten):
    for act in (Story.save, Story.propose, Story.approve):
        act(story)
    clock_at_ten.move(-HOUR)
    decisions.decide_on_change(
        actor=cast["reviewer"],
        number=story.change,
        decision="request_changes",
        digest=story.digests[-1],
        text="No",
    )
    with pytest.raises(ApprovalRequired):
        story.publish()
    clock_at_ten.move(-HOUR)
    story.approve()
    assert gate.evaluate(queries.get_change(cast["author"], story.change), cast["author"]).blockers == ()
    story.publish()
    check_journal()


def test_versions_and_moves_are_listed_in_the_order_in_which_they_came(cast, story, clock_at_ten):
    for _ in range(3):
        story.save()
        clock_at_ten.move(-HOUR)
    numbers = Version.objects.filter(template__name=TEMPLATE).values_list("number", flat=True)
    assert sorted(numbers) == [1, 2, 3]
    for number in (1, 2, 3):
        labels.move_label(
            actor=cast["author"], name=TEMPLATE, label="staging", version=number, expected=number - 1 or None
        )
        clock_at_ten.move(-HOUR)
    assert Label.objects.get(name="staging").version.number == 3
    labels.roll_back_label(actor=cast["reviewer"], name=TEMPLATE, label="staging", version=2, reason="Broken")
    assert Label.objects.get(name="staging").version.number == 2
    check_journal()


def test_a_schedule_publishes_once_and_not_before_its_time(cast, story, clock_at_ten):
    for act in (Story.save, Story.propose, Story.approve):
        act(story)
    at = datetime.now(UTC) + HOUR
    schedules.schedule_change(actor=cast["author"], number=story.change, at=at)
    clock_at_ten.move(-HOUR)
    assert scheduled_publishing.request_due_publishes() == 0
    clock_at_ten.move(3 * HOUR)
    for _ in range(3):
        scheduled_publishing.request_due_publishes()
        tasks.run_jobs()
        clock_at_ten.move(-HOUR)
        scheduled_publishing.request_due_publishes()
        tasks.run_jobs()
        clock_at_ten.move(2 * HOUR)
    assert ChangeRequest.objects.get().state == "published"
    assert LabelMove.objects.count() == 1
    check_journal()


def test_a_job_that_was_queued_before_the_jump_publishes_when_its_moment_comes_again(cast, story, clock_at_ten):
    for act in (Story.save, Story.propose, Story.approve):
        act(story)
    schedules.schedule_change(actor=cast["author"], number=story.change, at=datetime.now(UTC) + HOUR)
    clock_at_ten.move(HOUR + timedelta(minutes=1))
    assert scheduled_publishing.request_due_publishes() == 1
    clock_at_ten.move(-HOUR)
    tasks.run_jobs()
    assert not LabelMove.objects.exists()
    clock_at_ten.move(HOUR + timedelta(minutes=1))
    scheduled_publishing.request_due_publishes()
    tasks.run_jobs()
    assert LabelMove.objects.count() == 1
    check_journal()


def test_a_rollout_takes_each_step_once(cast, story, clock_at_ten):
    for act in (Story.save, Story.propose, Story.approve, Story.publish, Story.save, Story.propose, Story.approve):
        act(story)
    steps = [{"share": share, "hours": 1} for share in (1000, 3000, 6000)]
    rollout = rollout_services.start_rollout(actor=cast["author"], change=story.change, steps=steps)
    shares = [rollout.share]
    for hours in (-1, 1, 1, -1, 1, 1, -1, 1, 1):
        clock_at_ten.move(hours * HOUR + timedelta(seconds=1))
        clock.advance_rollouts()
        rollout.refresh_from_db()
        shares.append(rollout.share)
    assert shares == sorted(shares)
    assert rollout.state == "finished"
    assert [event.kind for event in Event.objects.filter(kind__startswith="rollout.").order_by("number")] == [
        "rollout.started",
        "rollout.stepped",
        "rollout.stepped",
        "rollout.finished",
    ]
    assert Label.objects.get(name="production").version.number == 2
    check_journal()


def test_a_withdrawn_change_stays_withdrawn(cast, story, clock_at_ten):
    for act in (Story.save, Story.propose, Story.approve):
        act(story)
    clock_at_ten.move(-HOUR)
    change_services.withdraw_change(actor=cast["author"], number=story.change, reason="Not needed")
    with pytest.raises(Conflict):
        story.publish()
    assert not LabelMove.objects.exists()
    check_journal()
