"""/live/presence over the wire: who is shown, to whom, and until when."""

import time
from contextlib import contextmanager

import httpx
import pytest

from registry.templates.presence_models import EditorPresence
from tests.registry.live.test_journal_stream import Stream, save_version

pytestmark = [pytest.mark.slow, pytest.mark.dialect]
TAB = "a" * 32
TOKEN = "t" * 32


@pytest.fixture
def template(place, name):
    place.run_forked(lambda: save_version(name, 1))
    return name


@contextmanager
def watch(port, session, template):
    url = f"http://127.0.0.1:{port}/live/presence?template={template}"
    with httpx.stream("GET", url, headers={"Cookie": f"promptuary-session={session}"}, timeout=60) as answer:
        yield Stream(answer)


def beat(port, session, template, **more):
    base = f"http://127.0.0.1:{port}"
    headers = {
        "Cookie": f"promptuary-session={session}; promptuary-csrf={TOKEN}; csrftoken={TOKEN}",
        "X-CSRFToken": TOKEN,
        "Origin": base,
    }
    body = {"template": template, "tab": TAB, **more}
    return httpx.post(f"{base}/live/presence", headers=headers, json=body, timeout=30)


def count_tabs(template):
    return EditorPresence.objects.filter(template__name=template).count()


def present(*people, parts=None, own_tabs=()):
    return "present", {"people": list(people), "parts": parts or {}, "own_tabs": list(own_tabs)}


def test_a_tab_is_named_until_it_leaves(template, place, port, sessions):
    with watch(port, sessions["reviewer"], template) as other, watch(port, sessions["author"], template) as own:
        assert other.next() == own.next() == present()
        assert beat(port, sessions["author"], template).status_code == 200
        assert other.next() == present("author")
        assert own.next() == present(own_tabs=[TAB])
        assert beat(port, sessions["author"], template, part="task").status_code == 200
        assert other.next() == present("author", parts={"author": "task"})
        assert beat(port, sessions["author"], template, leave=True).status_code == 200
        assert other.next() == own.next() == present()
    assert place.run_forked(lambda: count_tabs(template)) == 0


def test_a_lost_connection_ends_it_within_fifteen_seconds(template, place, port, sessions):
    with watch(port, sessions["reviewer"], template) as stream:
        assert stream.next() == present()
        for _ in range(4):  # while it is heard of it stays
            assert beat(port, sessions["author"], template).status_code == 200
            time.sleep(4)
        assert stream.next() == present("author")
        beat(port, sessions["author"], template)
        lost = time.monotonic()
        assert stream.next() == present()
        assert time.monotonic() - lost < 15.5


def test_strangers_neither_see_nor_say_anything(template, place, port, sessions):
    for session, status in ((sessions["outsider"], 404), ("", 401)):
        with watch(port, session, template) as stream:
            assert stream.answer.status_code == status
        assert beat(port, session, template).status_code == status
    for fields in ({"tab": "x"}, {"part": "x" * 201}, {"part": None}):
        assert beat(port, sessions["author"], template, **fields).status_code == 422
    assert place.run_forked(lambda: count_tabs(template)) == 0
