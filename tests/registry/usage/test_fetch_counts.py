"""A process's counts in memory, and how they reach the rows."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError, connection

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.namespaces import keys, services
from registry.namespaces.key_use import KeyUses
from registry.templates import save as template_save
from registry.usage import recorder
from registry.usage.models import Fetch
from registry.usage.recorder import FetchCounts

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def counts(clock) -> FetchCounts:
    return FetchCounts(now=clock)


@pytest.fixture
def place() -> tuple[str, int]:
    """A key and a version that it may fetch."""
    admin = Actor(User.objects.create(username="admin"))
    services.create_namespace(actor=admin, name="support")
    saved = template_save.save_version(
        actor=admin, name="support/reply", document="- name: a\n  content: b\n", message=""
    )
    issued = keys.issue_key(actor=admin, namespace="support", name="chat", scope="read")
    return issued.key.id, saved.version.pk


def rows() -> list[tuple[str, str, int]]:
    return [(row.ref, str(row.day), row.count) for row in Fetch.objects.order_by("day", "ref")]


def test_fetches_of_one_ref_on_one_day_are_one_row(counts, place):
    for _ in range(3):
        counts.note(*place, "production")
    counts.note(*place, "1")
    assert counts.flush()
    assert rows() == [("1", "2026-03-01", 1), ("production", "2026-03-01", 3)]


def test_later_counts_are_added_and_each_day_has_a_row(counts, clock, place):
    counts.note(*place, "production")
    counts.flush()
    counts.note(*place, "production")
    counts.flush()
    clock.now += timedelta(days=1)
    counts.note(*place, "production")
    counts.flush()
    assert rows() == [("production", "2026-03-01", 2), ("production", "2026-03-02", 1)]
    assert Fetch.objects.latest("day").last_at == clock.now


def test_two_processes_add_to_the_same_row(counts, clock, place):
    fetch_counts = FetchCounts(now=clock)
    key, version = place
    for each in (counts, fetch_counts):
        each.note(key, version, "production")
    counts.flush(), fetch_counts.flush()
    assert rows() == [("production", "2026-03-01", 2)]


def test_counting_asks_the_database_nothing(counts, place, django_assert_num_queries):
    with django_assert_num_queries(0):
        for _ in range(100):
            counts.note(*place, "production")


def test_nothing_new_writes_nothing(counts, place, django_assert_num_queries):
    counts.note(*place, "production")
    counts.flush()
    with django_assert_num_queries(0):
        counts.flush()


def test_threads_lose_no_count(counts, place):
    def work() -> None:
        for _ in range(2000):
            counts.note(*place, "production")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    counts._gather()
    for thread in threads:
        thread.join()
    counts.flush()
    assert rows() == [("production", "2026-03-01", 8000)]


def test_a_database_that_is_away_loses_nothing(counts, place):
    counts.note(*place, "production")
    with connection.execute_wrapper(_fail):
        assert not counts.flush()
    counts.note(*place, "production")
    assert counts.flush()
    assert rows() == [("production", "2026-03-01", 2)]


def _fail(*_arguments: object) -> None:
    raise OperationalError("gone")


def test_memory_is_bounded_while_the_database_is_away(clock, place):
    counts = FetchCounts(now=clock, limit=3)
    key, version = place
    for number in range(10):
        counts.note(key, version, str(number))
    with connection.execute_wrapper(_fail):
        counts.flush()
    assert (len(counts._counters), len(counts._waiting), counts.lost) == (3, 3, 7)


def test_a_counter_that_nobody_uses_is_given_up_and_starts_again(counts, place):
    counts.note(*place, "production")
    counter = counts._counters[(*place, "production", "")]
    for _ in range(recorder.IDLE + 1):
        counts.flush()
    assert counts._counters == {}
    counter.step()  # a thread that held it all the while
    counts.flush()
    counts.note(*place, "production")
    counts.flush()
    assert rows() == [("production", "2026-03-01", 3)]


def test_counts_of_another_database_are_dropped(counts, place):
    counts.note(*place, "production")
    counts.forget()
    counts.flush()
    assert rows() == []


def test_a_key_says_when_it_was_last_used_to_half_a_minute(clock, place):
    uses = KeyUses(now=clock)
    uses.note(place[0])
    uses.write()
    first = clock.now
    assert Key.objects.get(pk=place[0]).last_used_at == first
    clock.now += timedelta(seconds=20)
    uses.note(place[0])
    uses.write()
    assert Key.objects.get(pk=place[0]).last_used_at == first
    clock.now += timedelta(seconds=20)
    uses.write()
    assert Key.objects.get(pk=place[0]).last_used_at == clock.now


def test_the_use_of_a_key_waits_while_the_database_is_away(clock, place):
    uses = KeyUses(now=clock)
    uses.note(place[0])
    with connection.execute_wrapper(_fail):
        assert not uses.write()
    assert uses.write()
    assert Key.objects.get(pk=place[0]).last_used_at == clock.now
