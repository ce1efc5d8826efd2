"""Rates of callers: counted by each process, or by all of them together in the broker."""

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis

from registry.core.rate_counter import LIMIT, RateCounter, SharedCounts, open_shared_counts
from tests.support.broker import Broker


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def rates(settings):
    settings.PROMPTUARY_RATES = {"caller": "3/min", "short": "3/s", "work": "30/min"}


@pytest.fixture
def broker(tmp_path) -> Iterator[Broker]:
    with Broker(tmp_path) as broker:
        yield broker


def alone() -> None:
    """No counts shared with others."""


@given(amounts=st.lists(st.integers(min_value=1, max_value=9), max_size=30))
def test_a_single_process_counts_the_sum_of_its_calls(amounts):
    counter = RateCounter(Clock(), shared=alone)
    for amount in amounts:
        counter.add("caller", "a", amount)
    assert counter.used("caller", "a") == sum(amounts)
    assert counter.used("caller", "b") == 0


def test_a_window_that_is_over_counts_no_more():
    clock = Clock()
    counter = RateCounter(clock, shared=alone)
    counter.add("caller", "a", 2)
    clock.now += 59
    assert (counter.used("caller", "a"), counter.wait("caller", "a")) == (2, 2)
    clock.now += 1
    assert (counter.used("caller", "a"), counter.wait("caller", "a")) == (0, 1)
    assert counter.add("caller", "a") == 1


def test_callers_that_are_remembered_are_bounded(monkeypatch):
    monkeypatch.setattr("registry.core.rate_counter.LIMIT", 3)
    counter = RateCounter(Clock(), shared=alone)
    for number in range(10):
        counter.add("caller", str(number))
    assert sum(counter.used("caller", str(number)) for number in range(10)) <= 3 < LIMIT


def test_processes_with_a_broker_count_together(broker):
    first, second = (RateCounter(shared=lambda: SharedCounts(broker.url)) for _ in range(2))
    assert [first.add("caller", "a"), second.add("caller", "a"), first.add("caller", "a")] == [1, 2, 3]
    assert second.add("caller", "b") == 1
    assert 1 <= second.wait("caller", "a") <= 61


def test_nothing_is_lost_where_many_count_at_the_same_time(broker):
    counters = [RateCounter(shared=lambda: SharedCounts(broker.url)) for _ in range(2)]

    def count(counter: RateCounter) -> None:
        for _ in range(50):
            counter.add("caller", "a")

    threads = [threading.Thread(target=count, args=(counter,)) for counter in counters * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert counters[0].add("caller", "a") == 201


def test_small_amounts_are_gathered_before_the_others_are_reported(broker):
    first, second = (RateCounter(step=0.25, shared=lambda: SharedCounts(broker.url)) for _ in range(2))
    assert first.add("work", "a", 0.125) == 0.125
    assert second.add("work", "a", 1.0) == 1.0
    assert first.add("work", "a", 0.125) == 1.25


def test_the_broker_forgets_a_window_that_is_over(broker):
    counter = RateCounter(shared=lambda: SharedCounts(broker.url))
    counter.add("short", "a", 3)
    threading.Event().wait(1.1)  # the broker has its own clock
    assert counter.add("short", "a") == 1


def test_without_an_answer_each_process_counts_for_itself_and_asks_again_later(broker):
    clock = Clock()
    shared = SharedCounts(broker.url, clock)
    counter, other = (RateCounter(clock, shared=lambda: shared) for _ in range(2))
    assert counter.add("caller", "a") == 1
    broker.kill()
    assert counter.add("caller", "a") == 2
    assert other.add("caller", "a") == 1
    broker.start()
    assert other.add("caller", "a") == 2  # still in the pause, in which nothing waits for the broker
    clock.now += 6
    assert other.add("caller", "a") == 3  # the broker lost its counts; unsent ones are sent now
    assert counter.add("caller", "a") == 5


def test_a_short_silence_of_the_broker_gives_nobody_a_fresh_rate():
    class Forgetful(SharedCounts):
        """Answers every second question."""

        asked, total = 0, 0.0

        def add(self, name: str, amount: float, window: float) -> tuple[float, float] | None:
            self.asked += 1
            if self.asked % 2 == 0:
                return None
            self.total += amount
            return self.total, 60.0

    shared = Forgetful("redis://127.0.0.1:1/0")
    counter = RateCounter(Clock(), shared=lambda: shared)
    assert [counter.add("caller", "a") for _ in range(9)] == list(range(1, 10))


def test_neither_addresses_nor_keys_are_in_the_broker(broker):
    RateCounter(shared=lambda: SharedCounts(broker.url)).add("caller", "address 192.0.2.1")
    SharedCounts(broker.url).add("caller key 7", 1.0, 60.0)
    names = [str(name) for name in Redis.from_url(broker.url, decode_responses=True).scan_iter()]
    assert len(names) == 2
    assert all(name.startswith("promptuary:rate:") and "192" not in name and "key" not in name for name in names)


def test_only_a_broker_that_is_a_server_has_counts(settings):
    open_shared_counts.cache_clear()
    settings.CELERY_BROKER_URL = "filesystem://"
    assert open_shared_counts() is None
    open_shared_counts.cache_clear()
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert open_shared_counts() is not None
    open_shared_counts.cache_clear()
