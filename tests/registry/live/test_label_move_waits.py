"""Clients that wait for label moves: over the wire, many more than there are threads."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from registry.live import label_move_waits
from registry.live.label_move_waits import LabelMoveWaits, asks_for_moves
from registry.live.wsgi_environ import Headers
from tests.support import instances
from tests.support.rsgi_server import serve_rsgi

pytestmark = pytest.mark.slow
MOVES = "/api/v1/namespaces/support/moves"
SETUP = """
import django; django.setup()
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.namespaces import keys, services
from registry.templates import save
author = Actor(User.objects.create_superuser("author"))
services.create_namespace(actor=author, name="support")
save.save_version(actor=author, name="support/reply", document="- name: a\\n  content: Hello\\n", message="")
print(keys.issue_key(actor=author, namespace="support", name="live", scope="write").secret)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Iterator[tuple[instances.Instance, str]]:
    """An instance with a version, and a key that may fetch and move labels."""
    place = instances.make_instance(tmp_path_factory.mktemp("moves") / "home", engine="sqlite")
    yield place, place.run("-c", SETUP).stdout.split()[-1]
    instances.remove_instance(place)


@pytest.fixture(scope="module")
def address(made) -> Iterator[str]:
    with serve_rsgi("registry.rsgi:application", made[0].environment()) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def headers(made) -> dict[str, str]:
    return {"Authorization": f"Bearer {made[1]}"}


async def read_cursor(client: httpx.AsyncClient) -> str:
    return str((await client.get(MOVES)).json()["cursor"])


async def wait_after(client: httpx.AsyncClient, cursor: str, seconds: int) -> tuple[float, dict[str, Any]]:
    began = time.monotonic()
    answer = await client.get(MOVES, params={"after": cursor, "wait": seconds})
    assert answer.status_code == 200, answer.text
    return time.monotonic() - began, answer.json()


def test_many_more_clients_than_threads_hear_of_a_move_and_pages_go_on_meanwhile(address, headers):
    async def story():
        limits = httpx.Limits(max_connections=60)
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60, limits=limits) as client:
            cursor = await read_cursor(client)
            waiting = [asyncio.create_task(wait_after(client, cursor, 25)) for _ in range(40)]
            await asyncio.sleep(0.5)  # they have to be waiting by then
            assert not any(task.done() for task in waiting)
            assert (await client.get("/readyz")).status_code == 200
            moved = await client.put(
                "/api/v1/templates/support/reply/-/labels/staging", json={"version": 1, "expected": None}
            )
            assert moved.status_code == 200, moved.text
            began = time.monotonic()
            answers = await asyncio.gather(*waiting)
            assert time.monotonic() - began < 15  # without a move they wait 25 seconds
            return [answer for _, answer in answers]

    answers = asyncio.run(story())
    assert {(move["label"], move["version"]) for answer in answers for move in answer["moves"]} == {("staging", 1)}
    assert len({answer["cursor"] for answer in answers}) == 1


def test_without_a_move_the_answer_comes_after_the_time_and_the_client_asks_again_at_once(address, headers):
    async def story():
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            cursor = await read_cursor(client)
            return cursor, await wait_after(client, cursor, 1)

    cursor, (seconds, answer) = asyncio.run(story())
    assert seconds >= 1
    assert answer == {"moves": [], "cursor": cursor, "again": 0.0, "reset": False}


def test_a_refusal_and_a_cursor_of_another_journal_do_not_wait(address, headers):
    with httpx.Client(base_url=address, timeout=60) as client:
        began = time.monotonic()
        stranger = {"Authorization": "Bearer pb_nonsense"}
        assert client.get(f"{MOVES}?after=1&wait=25", headers=stranger).status_code == 401
        assert client.get("/api/v1/namespaces/demo/moves?after=1&wait=25", headers=headers).status_code == 404
        assert client.get(f"{MOVES}?after=1&wait=31", headers=headers).status_code == 422
        assert client.get(f"{MOVES}?after=x&wait=25", headers=headers).status_code == 422
        assert client.get(f"{MOVES}?after=999999&wait=25", headers=headers).json()["reset"] is True
        assert time.monotonic() - began < 20


class _Poll:
    """A poll whose requests may all wait for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.listeners: list[Callable[[str | None], None]] = []
        self._seconds = seconds

    def find_seconds_to_wait(self, authorization: str, namespace: str, query: str, address: str = "") -> float:
        return self._seconds


class _Headers:
    def get(self, key: str, default: Any = None) -> Any:
        return default

    def items(self) -> list[tuple[str, str]]:
        return []


class _Scope:
    def __init__(self, path: str = MOVES, query: str = "after=1&wait=25") -> None:
        self.path, self.query_string = path, query
        self.http_version, self.server, self.client = "1.1", "a:80", "b:1"
        self.scheme, self.method = "http", "GET"
        self.authority: str | None = None
        self.headers: Headers = _Headers()


def test_a_move_wakes_the_requests_of_its_namespace_only_and_a_reset_wakes_all():
    async def story():
        poll = _Poll(20)
        waits = LabelMoveWaits(poll)
        here, there = (
            asyncio.create_task(waits.wait(_Scope(f"/api/v1/namespaces/{name}/moves"), "Bearer x"))
            for name in ("support", "demo")
        )
        await asyncio.sleep(0.1)
        poll.listeners[0]("support")
        assert await here is True
        assert not there.done()
        poll.listeners[0](None)
        assert await there is True
        poll.listeners[0]("support")  # nobody waits any more

    asyncio.run(asyncio.wait_for(story(), 20))


@pytest.mark.parametrize("seconds", [0.0, 0.01])
def test_a_wait_ends_after_the_seconds_of_the_poll(seconds):
    async def story():
        return await LabelMoveWaits(_Poll(seconds)).wait(_Scope(), "Bearer x")

    assert asyncio.run(asyncio.wait_for(story(), 20)) is (seconds > 0)


def test_a_full_process_lets_the_next_one_go_on(monkeypatch):
    monkeypatch.setattr(label_move_waits, "MAX_WAITING", 0)

    async def story():
        return await LabelMoveWaits(_Poll(20)).wait(_Scope(), "Bearer x")

    assert asyncio.run(asyncio.wait_for(story(), 20)) is False


@pytest.mark.parametrize(
    ("path", "query", "is_one"),
    [
        (MOVES, "after=1&wait=25", True),
        (MOVES, "after=1", False),
        ("/api/v1/namespaces/support/bundle", "wait=25", False),
        ("/live/moves", "wait=25", False),
    ],
)
def test_only_polls_for_moves_that_wait_are_held(path, query, is_one):
    assert asks_for_moves(_Scope(path, query)) is is_one
