"""GET /api/v1/namespaces/<ns>/moves: label moves for clients that need them immediately."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from registry.serving.fetcher import Fetcher, get_fetcher
from registry.serving.label_moves_long_poll import LabelMovesPoll, label_moves_poll
from registry.serving.retry_pace import MIN_PAUSE
from registry.templates import labels
from tests.api.conftest import OTHER, REPLY, Caller, problem
from tests.api.test_fetch import Ahead
from tests.api.test_fetch_cache import Clock

pytestmark = pytest.mark.dialect

MOVES = "namespaces/support/moves"


@pytest.fixture
def author(cast) -> Caller:
    cast.save()
    return Caller(key=cast.key(scope="write"))


def test_the_first_answer_is_the_cursor_of_now(author):
    assert author.get(MOVES).json() == {"moves": [], "cursor": author.get(MOVES).json()["cursor"], "again": 0.0} | {
        "reset": False
    }


def test_later_moves_contain_the_served_versions(cast, author):
    cursor = author.get(MOVES).json()["cursor"]
    first = cast.move("staging", 1).version.digest
    second = cast.save(OTHER, base=first).version.digest
    body = author.get(f"{MOVES}?after={cursor}").json()
    assert body["moves"] == [
        {"name": REPLY, "label": "staging", "version": 1, "digest": first},
        {"name": REPLY, "label": "latest", "version": 2, "digest": second},
    ]
    again = author.get(f"{MOVES}?after={body['cursor']}").json()
    assert (again["moves"], again["cursor"], again["again"]) == ([], body["cursor"], 1.0)


def test_only_the_last_move_of_a_label_is_reported(cast, author):
    cursor = author.get(MOVES).json()["cursor"]
    cast.save(OTHER, base=cast.move("staging", 1).version.digest)
    cast.move("staging", 2, expected=1)
    labels.remove_label(actor=cast.actor("author"), name=REPLY, label="staging", expected=2)
    moves = author.get(f"{MOVES}?after={cursor}").json()["moves"]
    assert moves[-1] == {"name": REPLY, "label": "staging", "version": None, "digest": None}
    assert len(moves) == 2


def test_moves_in_another_namespace_are_not_reported(cast, author):
    cursor = author.get(MOVES).json()["cursor"]
    cast.save(name="demo/answer")
    assert author.get(f"{MOVES}?after={cursor}").json()["moves"] == []


def test_a_cursor_of_another_journal_is_reported(author):
    body = author.get(f"{MOVES}?after=999999").json()
    assert (body["reset"], body["moves"]) == (True, [])
    assert int(body["cursor"]) < 999999


def test_a_cursor_that_another_process_gave_a_moment_earlier_is_good(cast, author):
    clock = Clock()
    late = LabelMovesPoll(Fetcher(clock=clock))
    late.read_moves_since("support", None)
    cast.move("staging", 1)
    assert late.read_moves_since("support", author.get(MOVES).json()["cursor"]).reset is False


@pytest.mark.parametrize("query", ["after=x", "after=-1", "after=" + "9" * 30, "wait=31", "wait=a", "wait=-1"])
def test_nonsense_is_refused_by_field(author, query):
    problem(author.get(f"{MOVES}?{query}"), 422, "invalid")


def test_ahead_of_django_the_answer_is_the_same(cast, author):
    ahead = Ahead(cast.key(scope="write"))
    line, headers, body = ahead(f"/api/v1/{MOVES}", QUERY_STRING="")
    assert (line, headers["Cache-Control"]) == ("200 OK", "no-store")
    assert json.loads(body) == author.get(MOVES).json()
    assert ahead("/api/v1/namespaces/demo/moves")[0] == "404 Not Found"
    assert ahead.passed_on == 0


def test_nothing_new_asks_the_database_nothing(author, django_assert_num_queries):
    cursor = label_moves_poll().read_moves_since("support", None).cursor
    label_moves_poll().read_moves_since("support", cursor)
    get_fetcher().follower.next_poll = time.monotonic() + 60
    with django_assert_num_queries(0):
        assert label_moves_poll().read_moves_since("support", cursor).moves == []


def test_moves_of_one_answer_are_bounded_and_the_cursor_goes_on(cast, author, monkeypatch):
    monkeypatch.setattr("registry.serving.label_moves_long_poll.MAX_MOVES", 1)
    cursor = author.get(MOVES).json()["cursor"]
    cast.move("staging", 1), cast.move("canary", 1)
    first = author.get(f"{MOVES}?after={cursor}").json()
    second = author.get(f"{MOVES}?after={first['cursor']}").json()
    assert [body["moves"][0]["label"] for body in (first, second)] == ["staging", "canary"]


@pytest.mark.usefixtures("transactional_db")
def test_a_waiting_request_returns_as_soon_as_a_label_moves(cast, server, author):
    ahead = Ahead(cast.key(scope="write"))
    cursor = json.loads(ahead(f"/api/v1/{MOVES}")[2])["cursor"]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_ask, ahead, cursor)
        time.sleep(0.3)  # the request has to be waiting by then
        moved = time.monotonic()
        cast.move("staging", 1)
        answer = asked.result(60)
    assert answer["moves"][0]["label"] == "staging"
    assert time.monotonic() - moved < 20  # without a move it waits 25 seconds


@pytest.mark.usefixtures("transactional_db")
def test_without_a_free_slot_the_response_says_when_to_ask_again(cast, server, author, settings):
    cursor = label_moves_poll().read_moves_since("support", None).cursor
    full = LabelMovesPoll(get_fetcher())
    full._waiting_slots = threading.BoundedSemaphore(1)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_wait, full, cursor)
        time.sleep(0.2)  # the first has to be waiting by then
        began = time.monotonic()
        assert full.read_moves_since("support", cursor, 5).again == MIN_PAUSE
        assert time.monotonic() - began < 4
        cast.move("staging", 1)


def _wait(full: LabelMovesPoll, cursor: str) -> None:
    try:
        full.read_moves_since("support", cursor, 5)
    finally:
        connections.close_all()


def _ask(ahead, cursor):
    try:
        return json.loads(ahead(f"/api/v1/{MOVES}", QUERY_STRING=f"after={cursor}&wait=25")[2])
    finally:
        connections.close_all()
