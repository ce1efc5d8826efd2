"""A rollout's start, next steps and end."""

from copy import copy
from datetime import timedelta

from registry.releases.calendar_queries import read_calendar
from registry.rollouts import services
from registry.rollouts.models import Rollout
from registry.rollouts.timetable import MAX_ROLLOUTS, list_moments

STEPS = [{"share": 500, "hours": 24}, {"share": 2500, "hours": 12}]


def moments(rollout: Rollout):
    rollout.refresh_from_db()
    return [(it.kind, it.at - rollout.created_at, it.share) for it in list_moments(rollout)]


def test_the_steps_to_come_have_their_times_and_the_last_is_for_everybody(start):
    assert moments(start(steps=STEPS)) == [
        ("started", timedelta(0), 500),
        ("step", timedelta(hours=24), 2500),
        ("step", timedelta(hours=36), 10_000),
    ]


def test_a_manual_step_and_the_steps_after_it_have_no_time(start):
    assert len(moments(start(steps=[{"share": 500, "hours": None}, STEPS[1]]))) == 1


def test_a_step_by_hand_in_between_is_the_last_one_with_a_time(start):
    assert [kind for kind, _, _ in moments(start(steps=[STEPS[0], {"share": 2500, "hours": None}]))] == [
        "started",
        "step",
    ]


def test_a_paused_one_has_nothing_to_come_and_a_stopped_one_has_its_end(start, reviewer):
    rollout = start(steps=STEPS)
    services.pause_rollout(actor=reviewer, number=rollout.number, reason="Odd replies")
    assert [kind for kind, _, _ in moments(rollout)] == ["started"]
    services.stop_rollout(actor=reviewer, number=rollout.number, reason="Wrong answers")
    assert [(kind, share) for kind, _, share in moments(rollout)] == [("started", 500), ("stopped", 500)]


def test_a_finished_one_is_a_move_of_its_label(start, author):
    rollout = start(steps=STEPS)
    services.finish_rollout(actor=author, number=rollout.number)
    assert [kind for kind, _, _ in moments(rollout)] == ["started"]


def test_the_calendar_has_those_of_its_span_for_whom_may_read_them(start, reader, outsider):
    rollout = start(steps=STEPS)
    at = rollout.created_at

    def kinds(actor, begins, ends):
        return [it.kind for it in read_calendar(actor, at + begins, at + ends).rollouts]

    day = timedelta(days=1)
    assert kinds(reader, timedelta(0), 2 * day) == ["started", "step", "step"]
    assert kinds(reader, timedelta(seconds=1), day) == []
    assert kinds(reader, day, day + timedelta(seconds=1)) == ["step"]
    assert kinds(outsider, timedelta(0), 2 * day) == []


def test_of_many_rollouts_those_with_the_next_step_soonest_and_the_newest_are_read(
    start, reader, django_assert_num_queries
):
    rollout = start(steps=STEPS)
    at = rollout.created_at
    copies = [copy_stopped(rollout, number) for number in range(2, 10_001)]
    Rollout.objects.bulk_create(copies, batch_size=500)
    day = timedelta(days=1)
    with django_assert_num_queries(7):
        calendar = read_calendar(reader, at, at + 2 * day)
    assert calendar.has_more_rollouts
    assert {it.rollout.number for it in calendar.rollouts} == {1, *range(10_002 - MAX_ROLLOUTS, 10_001)}
    assert [it.rollout.number for it in calendar.rollouts if it.kind == "step"] == [1, 1]
    Rollout.objects.filter(number__gt=MAX_ROLLOUTS).delete()
    assert not read_calendar(reader, at, at + 2 * day).has_more_rollouts


def copy_stopped(rollout: Rollout, number: int) -> Rollout:
    rollout = copy(rollout)
    rollout.number, rollout.state, rollout.next_at, rollout.ended_at = number, "stopped", None, rollout.created_at
    return rollout
