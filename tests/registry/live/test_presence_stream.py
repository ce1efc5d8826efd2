"""/live/presence over the wire: who is shown, to whom, and until when."""

import time
from contextlib import contextmanager

import httpx
import pytest

from registry.templates.presence_models import EditorPresence
from tests.registry.live.test_journal_stream import (  # noqa: F401  # the fixtures
    Stream,
    place,
    port,
    save_version,
    sessions,
    signed_in,
)

pytestmark = [pytest.mark.slow, pytest.mark.dialect]
TAB = "a" * 32
TOKEN = "t" * 32


@pytest.fixture
def template(place, sessions):  # noqa: F811
    place.run_forked(lambda: save_version("support/reply", 1))


@contextmanager
def watch(port, session):  # noqa: F811
    url = f"http://127.0.0.1:{port}/live/presence?template=support/reply"
    with httpx.stream("GET", url, headers={"Cookie": f"promptuary-session={session}"}, timeout=60) as answer:
        yield Stream(answer)


def beat(port, session, **more):  # noqa: F811
    base = f"http://127.0.0.1:{port}"
    headers = {
        "Cookie": f"promptuary-session={session}; promptuary-csrf={TOKEN}; csrftoken={TOKEN}",
        "X-CSRFToken": TOKEN,
        "Origin": base,
    }
    body = {"template": "support/reply", "tab": TAB, **more}
    return httpx.post(f"{base}/live/presence", headers=headers, json=body, timeout=30)


def present(*people, parts=None, own_tabs=()):
    return "present", {"people": list(people), "parts": parts or {}, "own_tabs": list(own_tabs)}


def test_a_tab_is_named_until_it_leaves(template, place, port, sessions):  # noqa: F811
    with watch(port, sessions["reviewer"]) as other, watch(port, sessions["author"]) as own:
        assert other.next() == own.next() == present()
        assert beat(port, sessions["author"]).status_code == 200
        assert other.next() == present("author")
        assert own.next() == present(own_tabs=[TAB])
        assert beat(port, sessions["author"], part="task").status_code == 200
        assert other.next() == present("author", parts={"author": "task"})
        assert beat(port, sessions["author"], leave=True).status_code == 200
        assert other.next() == own.next() == present()
    assert place.run_forked(EditorPresence.objects.count) == 0


def test_a_lost_connection_ends_it_within_fifteen_seconds(template, place, port, sessions):  # noqa: F811
    with watch(port, sessions["reviewer"]) as stream:
        assert stream.next() == present()
        for _ in range(4):  # while it is heard of it stays
            assert beat(port, sessions["author"]).status_code == 200
            time.sleep(4)
        assert stream.next() == present("author")
        beat(port, sessions["author"])
        lost = time.monotonic()
        assert stream.next() == present()
        assert time.monotonic() - lost < 15.5


def test_strangers_neither_see_nor_say_anything(template, place, port, sessions):  # noqa: F811
    for session, status in ((sessions["outsider"], 404), ("", 401)):
        with watch(port, session) as stream:
            assert stream.answer.status_code == status
        assert beat(port, session).status_code == status
    for fields in ({"tab": "x"}, {"part": "x" * 201}, {"part": None}):
        assert beat(port, sessions["author"], **fields).status_code == 422
    assert place.run_forked(EditorPresence.objects.count) == 0
