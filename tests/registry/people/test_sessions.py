"""A person's sessions, and ending them."""

import time

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.http import HttpResponse

from registry import middleware
from registry.accounts.actor import Actor
from registry.core.errors import NotAllowed, NotFound
from registry.namespaces import keys
from registry.people import sessions
from tests.support.sessions import FIREFOX, open_session

EDGE = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML) Chrome/131.0 Safari/537.36 Edg/131"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 (KHTML) Version/18.0 Safari/604.1"
PIXEL = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (EDGE, "Edge on Windows"),
        (IPHONE, "Safari on iPhone"),
        (PIXEL, "Chrome on Android"),
        ("curl/8.5", "An unknown browser"),
        ("", "An unknown browser"),
    ],
)
def test_a_browser_gets_the_refusal_in_words(agent, words):
    assert sessions.describe_browser(agent) == words


def test_the_session_that_asks_comes_first_and_those_that_are_over_are_not_listed(author, reviewer):
    over, first, second = open_session(author.person), open_session(author.person), open_session(author.person, EDGE)
    Session.objects.filter(session_key=over.session_key).delete()
    open_session(reviewer.person)
    rows = sessions.list_sessions(author, first.session_key)
    assert [(row.id, row.browser, row.is_current) for row in rows] == [
        (first.pk, "Firefox on Linux", True),
        (second.pk, "Edge on Windows", False),
    ]


def test_a_person_ends_their_own_session_and_nobody_elses(author, reviewer):
    session = open_session(author.person)
    with pytest.raises(NotFound):
        sessions.end_session(actor=reviewer, session_id=session.pk)
    sessions.end_session(actor=author, session_id=session.pk)
    assert not Session.objects.filter(session_key=session.session_key).exists()
    assert sessions.list_sessions(author, None) == []


def test_all_others_end_and_this_one_holds(author, reviewer):
    current, session = open_session(author.person), open_session(author.person)
    strangers = open_session(reviewer.person)
    assert sessions.end_other_sessions(actor=author, current_key=current.session_key) == 1
    left = set(Session.objects.values_list("session_key", flat=True))
    assert left == {current.session_key, strangers.session_key}
    assert session.session_key not in left


def test_a_key_neither_lists_nor_ends_sessions(admin, author):
    key = keys.issue_key(actor=admin, namespace="support", name="bot", scope="write", person="author").key
    session = open_session(author.person)
    actor = Actor(author.person, key)
    with pytest.raises(NotAllowed):
        sessions.list_sessions(actor, None)
    with pytest.raises(NotAllowed):
        sessions.end_session(actor=actor, session_id=session.pk)
    with pytest.raises(NotAllowed):
        sessions.end_other_sessions(actor=actor, current_key=None)


def test_the_use_of_a_session_is_written_every_five_minutes(author, rf, monkeypatch):
    session, moment = open_session(author.person), [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: moment[0])
    request = rf.get("/", REMOTE_ADDR="198.51.100.1")
    request.user, request.session = author.person, SessionStore(session.session_key)
    answer = middleware.note_session(lambda _: HttpResponse())
    for seconds, address in ((0, "192.0.2.7"), (1, "192.0.2.7"), (middleware.NOTE_SECONDS, "198.51.100.1")):
        moment[0] += seconds
        assert answer(request).status_code == 200
        session.refresh_from_db()
        assert session.ip == address
