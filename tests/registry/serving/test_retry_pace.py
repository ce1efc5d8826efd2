"""Retries of clients that wait for label moves are spread out: fast if there are few, slower if there are many."""

import pytest

from registry.serving.retry_pace import MAX_PAUSE, MAX_PER_SECOND, MIN_PAUSE, RetryPace


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def ask_for(pace, clock, clients, seconds):
    """Let clients ask, each after the pause it was given, and return the pauses of the last four seconds."""
    due = [clock.now + number / clients * MIN_PAUSE for number in range(clients)]
    pauses, ends = [], clock.now + seconds
    while (at := min(due)) < ends:
        clock.now = at
        pause = pace.next_pause()
        due[due.index(at)] = at + pause
        if at >= ends - 4:
            pauses.append(pause)
    return pauses


@pytest.mark.parametrize("clients", [1, 10, 60])
def test_a_few_clients_ask_again_soon(clients):
    clock = Clock()
    assert set(ask_for(RetryPace(clock), clock, clients, 8)) == {MIN_PAUSE}


def test_many_clients_ask_no_more_often_than_the_process_may_answer():
    clock = Clock()
    pauses = ask_for(RetryPace(clock), clock, 150, 12)
    assert len(pauses) / 4 <= 1.1 * MAX_PER_SECOND
    assert all(pause == pytest.approx(150 / MAX_PER_SECOND, rel=0.15) for pause in pauses)


def test_nobody_waits_longer_than_the_longest_pause():
    clock = Clock()
    assert set(ask_for(RetryPace(clock), clock, 900, 10)) == {MAX_PAUSE}


def test_when_the_many_have_gone_the_few_are_quick_again():
    clock = Clock()
    pace = RetryPace(clock)
    ask_for(pace, clock, 300, 12)
    assert set(ask_for(pace, clock, 5, 20)) == {MIN_PAUSE}
