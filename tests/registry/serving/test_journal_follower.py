"""The thread that polls the journal, so that no fetch has to."""

import threading
import time
from collections.abc import Iterator

import pytest
from django.db import DatabaseError, connection

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.journal.log import CHANNEL
from registry.namespaces import services
from registry.serving import journal_follower
from registry.serving.journal_follower import FollowedEvent, Follower

pytestmark = [pytest.mark.usefixtures("transactional_db"), pytest.mark.dialect]
LONG = 10.0  # seconds after which something is taken for broken


class Ears:
    """Records a follower's notifications."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.some = threading.Event()
        self.follower = Follower(self.heed, lambda _: self.some.set(), time.monotonic)

    def heed(self, happened: FollowedEvent) -> None:
        self.heard.append(happened.kind)
        self.some.set()

    def wait(self) -> bool:
        """Until something is heard."""
        found = self.some.wait(LONG)
        self.some.clear()
        return found


@pytest.fixture
def actor() -> Actor:
    """An actor who has already written to the journal, so that it isn't empty."""
    actor = Actor(User.objects.create(username="author"))
    services.create_namespace(actor=actor, name="first")
    return actor


@pytest.fixture
def ears(actor: Actor) -> Ears:
    return Ears()


@pytest.fixture
def scout(ears: Ears) -> Iterator[threading.Thread]:
    ended = threading.Event()
    thread = journal_follower.start_poller(ears.follower, ended)
    yield thread
    ended.set()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"NOTIFY {CHANNEL}")  # a round may be long
    thread.join(LONG)
    assert not thread.is_alive()


def test_an_append_is_heard_though_nobody_asks(actor, ears, scout):
    assert ears.wait()  # the first look forgets: there may have been another journal
    services.create_namespace(actor=actor, name="support")
    assert ears.wait()
    assert ears.heard == ["namespace.created"]


def test_while_it_looks_no_look_is_due(ears, scout):
    assert ears.wait()
    for _ in range(20):
        time.sleep(0.05)  # a second of chances to be late
        assert ears.follower.next_poll > time.monotonic()


def test_a_database_that_is_away_ends_nothing(ears, monkeypatch, request):
    monkeypatch.setattr(journal_follower, "RETRY_DELAY", 0.01)
    poll, failures = ears.follower.poll, iter([DatabaseError("away"), DatabaseError("away")])

    def fail_twice() -> None:
        if failure := next(failures, None):
            raise failure
        poll()

    monkeypatch.setattr(ears.follower, "poll", fail_twice)
    request.getfixturevalue("scout")
    assert ears.wait()


@pytest.mark.dialect  # PostgreSQL announces an append; of SQLite's commits the thread reads a number
def test_an_append_is_polled_before_the_interval_is_over(actor, ears, monkeypatch, request):
    monkeypatch.setattr(journal_follower, "POLL_INTERVAL", 60.0)
    request.getfixturevalue("scout")
    assert ears.wait()
    services.create_namespace(actor=actor, name="support")
    assert ears.wait()
    assert ears.heard == ["namespace.created"]


@pytest.mark.postgres  # SQLite tells nobody of an append
def test_it_listens_again_on_another_connection(actor, ears, monkeypatch, request):
    monkeypatch.setattr(journal_follower, "POLL_INTERVAL", 60.0)
    monkeypatch.setattr(journal_follower, "RETRY_DELAY", 0.01)
    request.getfixturevalue("scout")
    assert ears.wait()
    with connection.cursor() as cursor:
        cursor.execute(
            # Of this database only: another worker's tests speak of events too.
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE query LIKE %s AND pid <> pg_backend_pid() AND datname = current_database()",
            ["%registry_event%"],
        )
    deadline = time.monotonic() + LONG
    while not ears.heard and time.monotonic() < deadline:
        services.create_namespace(actor=actor, name=f"support-{time.monotonic_ns()}")
        ears.some.wait(0.5)
    assert ears.heard


def test_a_request_after_mark_due_does_not_wait_for_the_poll_of_another_thread(ears):
    ears.follower.poll_if_due()
    ears.follower.mark_due()
    with ears.follower._poll_lock:  # another thread polls
        began = time.monotonic()
        ears.follower.poll_if_due()
    assert time.monotonic() - began < 0.4
