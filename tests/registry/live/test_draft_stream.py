"""GET /live/drafts/ over the wire: who gets a shared draft's changes, and when the stream ends."""

import time
from contextlib import contextmanager

import httpx
import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.templates import drafts, shared_drafts
from tests.registry.live.test_journal_stream import Stream

pytestmark = [pytest.mark.slow, pytest.mark.dialect]


def write_draft(name: str, text: str) -> str:
    """Write the author's draft and share it, and return its token."""
    author = Actor(User.objects.get(username="author"))
    drafts.save_draft(actor=author, namespace="support", path=name.removeprefix("support/"), document=text)
    return shared_drafts.share_draft(actor=author, name=name).share_token


def stop_sharing(name: str) -> None:
    """End the sharing of the author's draft."""
    author = Actor(User.objects.get(username="author"))
    shared_drafts.stop_sharing_draft(actor=author, name=name)


@contextmanager
def follow(port, session, name, token, after=0):
    url = f"http://127.0.0.1:{port}/live/drafts/{name}/{token}?after={after}"
    with httpx.stream("GET", url, headers={"Cookie": f"promptuary-session={session}"}, timeout=60) as answer:
        yield Stream(answer)


def test_each_save_by_another_process_and_the_end_are_reported(place, port, sessions, name):
    token = place.run_forked(lambda: write_draft(name, "one"))
    with follow(port, sessions["reviewer"], name, token, 1) as stream:
        place.run_forked(lambda: write_draft(name, "two"))
        written = time.monotonic()
        assert stream.next() == ("draft", {"revision": 2})
        assert time.monotonic() - written < 5
        place.run_forked(lambda: stop_sharing(name))
        assert stream.next() == ("ended", {})
        with pytest.raises(StopIteration):
            stream.next()


def test_nobody_else_is_told_anything(place, port, sessions, name):
    token = place.run_forked(lambda: write_draft(name, "one"))
    for session, link, status in (
        (sessions["outsider"], token, 404),
        (sessions["reviewer"], "no-such-link", 404),
        ("", token, 401),
    ):
        with follow(port, session, name, link) as stream:
            assert stream.answer.status_code == status
