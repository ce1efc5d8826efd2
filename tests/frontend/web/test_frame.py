"""The counts in the top bar: cached while nothing happens, and updated immediately after an event."""

import pytest

from registry.changes import gate as change_gate
from tests.frontend.conftest import read_html


@pytest.fixture
def evaluated(monkeypatch):
    """Grows with each evaluation of all pending requests."""
    calls, evaluate = [], change_gate.evaluate_pending

    def note_call(actor):
        calls.append(actor)
        return evaluate(actor)

    monkeypatch.setattr(change_gate, "evaluate_pending", note_call)
    return calls


def count_waiting(client):
    answer = client.get("/t/")
    assert answer.status_code == 200
    return answer.context["frame"].waiting


def test_the_count_is_worked_out_once_while_nothing_happens(reply, browser, evaluated):
    reply.propose(2)
    client = browser("reviewer")
    first, again = count_waiting(client), count_waiting(client)
    assert first == again
    assert len(evaluated) == 1


def test_an_event_makes_the_count_new(reply, browser, evaluated):
    client = browser("reviewer")
    before = count_waiting(client)
    reply.propose(2)
    assert count_waiting(client) == before + 1
    assert len(evaluated) == 2


def test_each_person_has_their_own_count(reply, browser, evaluated):
    reply.propose(2)
    count_waiting(browser("reviewer"))
    count_waiting(browser("author"))
    assert len(evaluated) == 2


def test_the_page_of_a_change_and_the_others_show_one_count(reply, browser, evaluated):
    change = reply.propose(2)
    client = browser("reviewer")
    waiting = client.get(f"/changes/{change.number}").context["frame"].waiting
    assert count_waiting(client) == waiting
    assert evaluated == []


def test_changes_of_one_template_are_listed_under_its_name(reply, browser):
    change = reply.propose(2)
    page = read_html(browser("reader").get("/changes/", {"state": "all", "template": change.template.name}))
    assert f"Shown: {change.template.name}" in page
