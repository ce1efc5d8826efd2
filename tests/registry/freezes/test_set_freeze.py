"""Setting and removing freezes, and the publications that they block."""

import json
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from registry.changes import emergencies, rules
from registry.changes import gate as change_gate
from registry.changes import services as change_services
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotAllowed, NotFound
from registry.freezes import queries, services
from registry.freezes.models import Freeze
from registry.journal.models import Event
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from registry.templates import labels
from registry.templates.label_models import Label

WEEKEND = {"repeat": "weekly", "starts": "fri 16:00", "ends": "Monday 8:00", "time_zone": "Europe/Zurich"}


def hours_from_now(hours):
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


def blockers_of(refusal) -> Any:
    return refusal.value.facts["blockers"]


@pytest.fixture
def freeze_now(admin):
    """Set a freeze from an hour ago until in an hour."""
    return partial(
        services.set_freeze,
        actor=admin,
        namespace="support",
        repeat="once",
        starts=hours_from_now(-1),
        ends=hours_from_now(1),
        reason="Stocktaking",
    )


@pytest.fixture
def approved(save, propose, approve):
    change = propose(save())
    approve(change)
    return change


def test_a_weekly_freeze_is_kept_as_minutes_of_the_week(admin, support):
    freeze = services.set_freeze(actor=admin, namespace="support", reason=" Nobody is there ", **WEEKEND)
    assert (freeze.week_start, freeze.week_end, freeze.time_zone) == (6720, 480, "Europe/Zurich")
    assert freeze.times == "Fri 16:00 to Mon 08:00 every week (Europe/Zurich)"
    event = Event.objects.latest("number")
    assert (event.kind, event.person) == ("freeze.set", "admin")
    assert json.loads(event.text)["body"] == {
        "number": freeze.number,
        "reason": "Nobody is there",
        "week_start": 6720,
        "week_end": 480,
        "time_zone": "Europe/Zurich",
    }


def test_times_without_an_offset_are_of_the_time_zone(admin, support):
    freeze = services.set_freeze(
        actor=admin,
        namespace="support",
        repeat="once",
        starts="2100-12-24T12:00",
        ends="2100-12-27T08:00",
        time_zone="Europe/Zurich",
        reason="Holidays",
    )
    assert freeze.starts_at == datetime(2100, 12, 24, 11, tzinfo=UTC)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("repeat", {"repeat": "daily"}),
        ("starts", {"starts": "frog 16:00"}),
        ("starts", {"starts": "fri 24:00"}),
        ("ends", {"ends": "8:00"}),
        ("ends", {"ends": "fri 16:00"}),
        ("time_zone", {"time_zone": "Mars/Base"}),
        ("time_zone", {"time_zone": "../etc/passwd"}),
        ("reason", {"reason": "  "}),
        ("starts", {"repeat": "once"}),
        ("ends", {"repeat": "once", "starts": "2100-01-02T00:00", "ends": "2100-01-01T00:00"}),
        ("ends", {"repeat": "once", "starts": "2020-01-02T00:00", "ends": "2020-01-03T00:00"}),
        ("ends", {"repeat": "once", "starts": "2020-01-02T00:00", "ends": "9999-12-31T23:59-23:00"}),
        ("starts", {"repeat": "once", "starts": "1600-01-02T00:00", "ends": "2100-01-01T00:00"}),
        ("ends", {"repeat": "once", "starts": "2020-01-02T00:00", "ends": "2400-01-01T00:00"}),
    ],
)
def test_each_wrong_field_is_named(admin, support, field, values):
    with pytest.raises(Invalid) as refusal:
        services.set_freeze(actor=admin, namespace="support", **{**WEEKEND, "reason": "Weekend", **values})
    assert set(refusal.value.fields) == {field}
    assert not Freeze.objects.exists()


def test_only_admins_set_and_remove_freezes(author, reviewer, outsider, freeze_now):
    with pytest.raises(NotAllowed):
        freeze_now(actor=author)
    with pytest.raises(NotFound):
        freeze_now(actor=outsider)
    freeze = freeze_now()
    with pytest.raises(NotAllowed):
        services.remove_freeze(actor=reviewer, namespace="support", number=freeze.number)
    with pytest.raises(NotFound):
        services.remove_freeze(actor=outsider, namespace="support", number=freeze.number)


def test_there_is_an_end_to_how_many_a_namespace_has(admin, support):
    for _ in range(services.LIMIT):
        services.set_freeze(actor=admin, namespace="support", reason="Weekend", **WEEKEND)
    with pytest.raises(Conflict, match="remove one first"):
        services.set_freeze(actor=admin, namespace="support", reason="Weekend", **WEEKEND)


def test_in_a_freeze_an_approved_change_is_not_published(author, approved, freeze_now):
    freeze = freeze_now()
    with pytest.raises(Conflict) as refusal:
        change_services.publish_change(actor=author, number=approved.number)
    assert refusal.value.message.startswith("support has no releases until ")
    assert "(Stocktaking). Releases can continue after the freeze." in refusal.value.message
    (blocker,) = blockers_of(refusal)
    assert blocker["code"] == "freeze"
    assert blocker["next_slot"] == freeze.ends_at.isoformat(timespec="microseconds").replace("+00:00", "Z")
    assert not Label.objects.filter(name="production").exists()


def test_a_freeze_blocks_the_gate_without_waiting_for_anyone(author, approved, freeze_now):
    freeze_now()
    approved.refresh_from_db()
    gate = change_gate.evaluate(approved, author)
    assert [blocker.code for blocker in gate.blockers] == ["freeze"]
    assert gate.turn.people == ()


def test_missing_approvals_are_still_reported_first(author, save, propose, freeze_now):
    freeze_now()
    with pytest.raises(ApprovalRequired) as refusal:
        change_services.publish_change(actor=author, number=propose(save()).number)
    assert [blocker["code"] for blocker in blockers_of(refusal)] == ["approvals", "freeze"]


def test_a_removed_freeze_keeps_nothing_back(admin, author, approved, freeze_now):
    freeze = freeze_now()
    services.remove_freeze(actor=admin, namespace="support", number=freeze.number)
    services.remove_freeze(actor=admin, namespace="support", number=freeze.number)
    assert [row.kind for row in Event.objects.filter(kind__startswith="freeze.").order_by("number")] == [
        "freeze.set",
        "freeze.removed",
    ]
    assert queries.list_freezes(author, "support") == []
    assert change_services.publish_change(actor=author, number=approved.number).state == "published"


def test_a_freeze_that_has_not_begun_keeps_nothing_back(author, approved, freeze_now):
    freeze_now(starts=hours_from_now(1), ends=hours_from_now(2))
    assert change_services.publish_change(actor=author, number=approved.number).state == "published"


def test_a_freeze_is_of_its_namespace(outsider, author, approved):
    services.set_freeze(
        actor=outsider,
        namespace="elsewhere",
        repeat="once",
        starts=hours_from_now(-1),
        ends=hours_from_now(1),
        reason="Elsewhere",
    )
    assert change_services.publish_change(actor=author, number=approved.number).state == "published"


def test_a_release_is_frozen_as_a_whole_and_says_it_once(author, reviewer, save, freeze_now):
    versions = {name: save(name=name).number for name in ("support/one", "support/two")}
    release = proposals.propose_release(
        actor=author, namespace="support", label="production", title="Both", selection=ReleaseSelection(versions)
    ).release
    digests = {row.number: row.version.digest for row in release.members.select_related("version")}
    release_services.approve_release(actor=reviewer, number=release.number, digests=digests)
    freeze_now()
    with pytest.raises(Conflict) as refusal:
        release_services.publish_release(actor=author, number=release.number)
    assert refusal.value.message.count("support has no releases until") == 1
    assert len(blockers_of(refusal)) == 2


def test_rolling_back_ignores_a_freeze(author, reviewer, save, propose, approve, freeze_now):
    for mark in ("", "again"):
        change = propose(save(mark))
        approve(change)
        change_services.publish_change(actor=author, number=change.number)
    freeze_now()
    label = labels.roll_back_label(
        actor=reviewer, name="support/reply", label="production", version=1, reason="Wrong answers"
    )
    assert label.version.number == 1


def test_a_roll_back_does_not_move_a_label_forward_in_a_freeze(admin, reviewer, save, publish, freeze_now):
    publish(save("one"))
    publish(save("two"))
    facts: dict[str, Any] = {
        "actor": reviewer,
        "name": "support/reply",
        "label": "production",
        "reason": "It insults people",
    }
    labels.roll_back_label(version=1, **facts)
    freeze = freeze_now()
    with pytest.raises(Conflict, match=r"no releases until .*Stocktaking.*continue after the freeze") as refusal:
        labels.roll_back_label(version=2, **facts)
    assert refusal.value.facts["next_slot"]
    assert Label.objects.get().version.number == 1
    services.remove_freeze(actor=admin, namespace="support", number=freeze.number)
    assert labels.roll_back_label(version=2, **facts).version.number == 2


def test_an_unprotected_label_goes_back_and_forth_in_a_freeze(author, reviewer, save, freeze_now):
    save("one")
    save("two")
    facts: dict[str, Any] = {"name": "support/reply", "label": "staging"}
    for version, expected in ((1, None), (2, 1), (1, 2)):
        labels.move_label(actor=author, version=version, expected=expected, **facts)
    freeze_now()
    assert labels.roll_back_label(actor=reviewer, version=2, reason="Rude", **facts).version.number == 2


def test_labels_that_are_not_protected_move_in_a_freeze(author, save, freeze_now):
    save()
    freeze_now()
    moved = labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    assert moved.version.number == 1


def test_an_emergency_ignores_a_freeze(admin, reviewer, save, propose, freeze_now):
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    change = propose(save())
    freeze_now()
    emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="It insults people")
    event = Event.objects.filter(kind="label.moved").latest("number")
    assert json.loads(event.text)["body"]["ignored_freeze"] == "Stocktaking"


def test_an_emergency_without_a_freeze_names_none(admin, reviewer, save, propose):
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    emergencies.publish_in_emergency(actor=reviewer, number=propose(save()).number, reason="It insults people")
    event = Event.objects.filter(kind="label.moved").latest("number")
    assert "ignored_freeze" not in json.loads(event.text)["body"]
