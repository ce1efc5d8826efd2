"""The status of the mirror and its remotes: how far each is, and since when it is waiting."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from registry import mirror
from registry.journal import mirror_paths
from registry.journal.event import to_microseconds
from registry.journal.models import Event
from registry.mirror.models import Remote
from registry.mirror.repository import Repository
from registry.mirror.status import Pushed, Status, list_remotes
from registry.namespaces import services as namespace_services

pytestmark = pytest.mark.django_db


def seconds_since(number):
    return (to_microseconds(timezone.now()) - Event.objects.get(number=number).at) / 1_000_000


def test_before_anything_was_mirrored_all_events_wait(support, mirror_path):
    last = Event.objects.count()
    status = mirror.read_status()
    assert (status.path, status.head, status.mirrored, status.journal) == (str(mirror_path), None, 0, last)
    assert (status.behind, status.chain, status.diverged, status.remotes) == (last, None, None, ())
    assert status.lag == pytest.approx(seconds_since(1), abs=2)


def test_a_mirror_that_has_all_names_its_head_and_lags_by_nothing(support, mirror_path):
    mirror.catch_up()
    last = Event.objects.order_by("number").last()
    head = Repository(mirror_path).list_heads()[mirror_paths.MAIN]
    assert mirror.read_status() == Status(
        path=str(mirror_path),
        head=head.commit,
        mirrored=last.number,
        journal=last.number,
        lag=0.0,
        chain=head.stamp.chain,
        diverged=None,
    )


def test_the_lag_is_the_age_of_the_oldest_event_that_is_not_mirrored(support, mirror_path, operator, monkeypatch):
    mirror.catch_up()
    mirrored = Event.objects.count()
    for username in ("reader", "author"):
        namespace_services.set_role(actor=operator, namespace="support", username=username, role="admin")
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(seconds=100))
    status = mirror.read_status()
    assert (status.mirrored, status.journal, status.behind) == (mirrored, mirrored + 2, 2)
    assert status.lag == pytest.approx(seconds_since(mirrored + 1))
    assert status.lag > seconds_since(mirrored + 2)


def test_a_clock_that_went_back_makes_no_lag_below_nothing(support, mirror_path, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: datetime(2020, 1, 1, tzinfo=UTC))
    assert mirror.read_status().lag == 0.0


def test_each_remote_says_how_far_it_is_and_how_its_last_push_went(support, mirror_path):
    last, now = Event.objects.count(), timezone.now()
    Remote.objects.create(name="two", url="https://b.example/p.git", added_at=now, pushed=last)
    Remote.objects.create(
        name="one",
        url="https://a.example/p.git",
        added_at=now,
        pushed=last - 2,
        failures=3,
        error="No route",
        diverged=True,
        retry_at=now,
    )
    first, second = list_remotes()
    assert first.lag == pytest.approx(seconds_since(last - 1), abs=2)
    assert first == Pushed("one", "https://a.example/p.git", last - 2, 2, first.lag, True, 3, "No route", now)
    assert second == Pushed("two", "https://b.example/p.git", last, 0, 0.0, False, 0, "", None)
    assert mirror.read_status().remotes[1] == second


def test_a_remote_that_holds_more_than_the_journal_is_behind_by_nothing(support, mirror_path):
    Remote.objects.create(name="one", url="https://a.example/p.git", added_at=timezone.now(), pushed=1_000)
    assert list_remotes()[0].behind == 0
