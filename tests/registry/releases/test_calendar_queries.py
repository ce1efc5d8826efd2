"""The entries of a calendar, for whom, and in which period."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import emergencies, rules, schedules
from registry.changes import services as change_services
from registry.freezes import services as freeze_services
from registry.freezes.models import Freeze
from registry.namespaces import services as namespace_services
from registry.releases import schedules as release_schedules
from registry.releases.calendar_queries import read_calendar
from registry.templates import labels

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)


def _read(actor, begins=NOW - DAY, ends=NOW + 30 * DAY, namespace=""):
    return read_calendar(actor, begins, ends, namespace)


@pytest.fixture
def change(author, save):
    version = save()
    return change_services.propose_change(
        actor=author, name="support/reply", label="production", version=version.number, message=""
    )


def _freeze(admin, begins, ends, **more):
    return freeze_services.set_freeze(
        actor=admin,
        namespace="support",
        repeat="once",
        starts=begins.isoformat(),
        ends=ends.isoformat(),
        reason="Holidays",
        **more,
    )


def test_a_scheduled_change_is_on_it_until_the_schedule_is_taken_back(author, reader, change):
    schedules.schedule_change(actor=author, number=change.number, at=NOW + 3 * DAY)
    assert [it.number for it in _read(reader).changes] == [change.number]
    schedules.unschedule_change(actor=author, number=change.number)
    assert _read(reader).changes == []


def test_a_release_is_on_it_once_for_all_its_changes(author, reader, open_release):
    release = open_release()
    release_schedules.schedule_release(actor=author, number=release.number, at=NOW + 3 * DAY)
    calendar = _read(reader)
    assert [it.number for it in calendar.releases] == [release.number]
    assert calendar.changes == []


def test_the_span_ends_before_its_last_moment(author, reader, change):
    at = NOW + 3 * DAY
    schedules.schedule_change(actor=author, number=change.number, at=at)
    assert _read(reader, ends=at).changes == []
    assert len(_read(reader, begins=at).changes) == 1


def test_moves_of_protected_labels_are_on_it_in_order_and_those_of_others_are_not(
    author, admin, reviewer, reader, change
):
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="Broken")
    moves = _read(reader).moves
    assert [(move.label, move.how) for move in moves] == [("production", "broke_glass")]
    assert _read(reader, begins=NOW + DAY).moves == []


def test_a_freeze_is_on_it_with_its_window(admin, reader):
    freeze = _freeze(admin, NOW + DAY, NOW + 2 * DAY)
    ((freeze_window),) = _read(reader).windows
    assert freeze_window.freeze.number == freeze.number
    assert (freeze_window.window.begins, freeze_window.window.ends) == (NOW + DAY, NOW + 2 * DAY)
    assert _read(reader, begins=NOW + 2 * DAY).windows == []
    assert _read(reader, ends=NOW + DAY).windows == []


def test_a_weekly_freeze_is_on_it_once_a_week_and_not_before_it_was_set(admin, reader):
    freeze_services.set_freeze(
        actor=admin,
        namespace="support",
        repeat="weekly",
        starts="fri 16:00",
        ends="mon 08:00",
        time_zone="Europe/Zurich",
        reason="Weekend",
    )
    windows = _read(reader, begins=NOW - 60 * DAY, ends=NOW + 28 * DAY).windows
    assert len(windows) in (4, 5)
    created_at = Freeze.objects.get().created_at
    assert min(it.window.begins for it in windows) >= created_at


def test_a_removed_freeze_stays_up_to_its_removal(admin, reader):
    freeze = _freeze(admin, NOW - 2 * DAY, NOW + 2 * DAY)
    Freeze.objects.update(created_at=NOW - 3 * DAY)
    freeze_services.remove_freeze(actor=admin, namespace="support", number=freeze.number)
    removed_at = Freeze.objects.get().removed_at
    ((freeze_window),) = _read(reader, begins=NOW - 5 * DAY).windows
    assert freeze_window.window.ends == removed_at
    assert _read(reader, begins=NOW + DAY).windows == []


def test_strangers_see_nothing_and_a_namespace_narrows_it(author, admin, outsider, reader, change):
    schedules.schedule_change(actor=author, number=change.number, at=NOW + 3 * DAY)
    _freeze(admin, NOW + 5 * DAY, NOW + 6 * DAY)
    namespace_services.create_namespace(actor=reader, name="sales")
    assert len(_read(reader, namespace="support").changes) == 1
    for calendar in (_read(outsider), _read(outsider, namespace="support"), _read(reader, namespace="sales")):
        assert (calendar.changes, calendar.releases, calendar.windows, calendar.moves) == ([], [], [], [])


def test_its_queries_do_not_grow_with_what_is_on_it(author, admin, reader, save, django_assert_num_queries):
    for number in range(4):
        version = save(name=f"support/reply-{number}")
        change = change_services.propose_change(
            actor=author, name=version.template.name, label="production", version=1, message=""
        )
        schedules.schedule_change(actor=author, number=change.number, at=NOW + 3 * DAY)
        _freeze(admin, NOW + (5 + number) * DAY, NOW + (6 + number) * DAY)
    with django_assert_num_queries(7):
        assert len(_read(reader).changes) == 4


def test_the_moves_of_few_templates_are_looked_up_by_them_and_not_among_all(author, reader, save, publish):
    publish(save())
    with CaptureQueriesContext(connection) as queries:
        assert len(_read(reader).moves) == 1
    statements = [query["sql"] for query in queries if 'FROM "registry_labelmove"' in query["sql"]]
    assert len(statements) == 1
    assert '"registry_labelmove"."template_id" IN (' in statements[0]
    assert '"namespace_id"' not in statements[0]
