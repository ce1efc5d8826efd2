"""GET /live/events over the wire: who gets which events, from which number, and when the stream ends."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx
import pytest
from django.contrib.sessions.models import Session

from registry.accounts.actor import Actor, build_operator_actor
from registry.accounts.models import User
from registry.namespaces import services
from registry.templates import save
from registry.templates.models import Version

pytestmark = [pytest.mark.slow, pytest.mark.dialect]


def save_version(name: str, number: int) -> None:
    """Save this version of a template as the author."""
    base = Version.objects.get(template__name=name, number=number - 1).digest if number > 1 else None
    document = f"- name: a\n  content: Number {number}\n"
    author = Actor(User.objects.get(username="author"))
    save.save_version(actor=author, name=name, document=document, message="", base=base)


def end_role() -> None:
    """Take one of the reviewers out of the namespace."""
    services.set_role(actor=build_operator_actor(), namespace="support", username="former", role=None)


def sign_out(session: str) -> None:
    """End the session with this key."""
    Session.objects.filter(session_key=session).delete()


class Stream:
    """The events of one answer, read until the one that is waited for."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._lines = answer.iter_lines()

    def next(self) -> tuple[str, dict[str, Any]]:
        """Name and data of the next event; StopIteration when the stream ended."""
        name = ""
        for line in self._lines:
            if line.startswith("event: "):
                name = line[len("event: ") :]
            elif line.startswith("data: "):
                return name, json.loads(line[len("data: ") :])
        raise StopIteration


@contextmanager
def watch(port: int, session: str, query: str, **headers: str) -> Iterator[Stream]:
    cookies = {"Cookie": f"promptuary-session={session}", **headers}
    url = f"http://127.0.0.1:{port}/live/events?{query}"
    with httpx.stream("GET", url, headers=cookies, timeout=90) as answer:
        yield Stream(answer)


def test_a_save_by_another_process_is_streamed_within_two_seconds(place, port, sessions, name):
    with watch(port, sessions["reviewer"], f"topic=template={name}") as stream:
        assert stream.next()[0] == "ready"
        place.run_forked(lambda: save_version(f"{name}-other", 1))
        place.run_forked(lambda: save_version(name, 1))
        saved = time.monotonic()
        kind, data = stream.next()
        assert time.monotonic() - saved < 2
    assert kind == "journal"
    assert {**data, "number": 0} == {
        "number": 0,
        "kind": "version.saved",
        "namespace": "support",
        "template": name,
        "version": 1,
        "change": None,
        "by": "author",
        "former": "",
        "decision": "",
    }


def test_a_stream_resumes_behind_the_last_event(place, port, sessions, name):
    for number in (1, 2, 3):
        place.run_forked(partial(save_version, name, number))
    with watch(port, sessions["reviewer"], "topic=home") as stream:
        head = stream.next()[1]["number"]
    for query, headers in ((f"topic=home&after={head - 2}", {}), ("topic=home", {"Last-Event-ID": str(head - 2)})):
        with watch(port, sessions["reviewer"], query, **headers) as stream:
            events = [stream.next() for _ in range(3)]
        assert [data.get("version") for _, data in events] == [2, 3, None]
        assert events[-1] == ("ready", {"number": head})
    with watch(port, sessions["reviewer"], f"topic=home&after={head + 100}") as stream:
        assert stream.next() == ("reset", {"number": head})


def test_outsiders_and_the_author_get_no_event_of_the_review(place, port, sessions, name):
    with (
        watch(port, sessions["outsider"], f"topic=home&topic=template={name}") as outsider,
        watch(port, sessions["author"], "topic=home") as author,
        watch(port, sessions["reviewer"], "topic=home") as reviewer,
    ):
        assert [stream.next()[0] for stream in (outsider, author, reviewer)] == ["ready"] * 3
        place.run_forked(lambda: save_version(name, 1))
        assert reviewer.next()[0] == "journal"
        place.run_forked(lambda: sign_out(sessions["outsider"]))
        place.run_forked(lambda: sign_out(sessions["author"]))
        place.run_forked(lambda: save_version(name, 2))
        for stream in (outsider, author):  # ended without a word
            with pytest.raises(StopIteration):
                stream.next()


def test_a_lost_role_holds_immediately(place, port, sessions, name):
    with watch(port, sessions["former"], f"topic=template={name}") as stream:
        stream.next()
        place.run_forked(end_role)
        place.run_forked(lambda: save_version(name, 1))
        place.run_forked(lambda: sign_out(sessions["former"]))
        place.run_forked(lambda: save_version(name, 2))
        with pytest.raises(StopIteration):
            stream.next()


def test_unknown_topics_and_people_are_refused(port, sessions):
    url = f"http://127.0.0.1:{port}/live/events"
    assert httpx.get(f"{url}?topic=home", timeout=60).status_code == 401
    cookies = {"Cookie": f"promptuary-session={sessions['reviewer']}"}
    for query in ("", "?topic=", "?topic=change=x", "?topic=home&after=x", "?topic=elsewhere"):
        answer = httpx.get(url + query, headers=cookies, timeout=60)
        assert answer.status_code == 422, query
        assert answer.headers["content-type"] == "application/problem+json"
