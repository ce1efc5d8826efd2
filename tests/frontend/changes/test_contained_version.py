"""Proposing what the served version contains already: the panel, the form and the API lead to the roll back."""

import pytest

from promptuary.commands.label_preview import tell_preview
from registry.changes.models import ChangeRequest
from registry.templates import labels
from tests.frontend.conftest import OTHER, REPLY, read_html

REFUSAL = (
    "production serves version 2, which already contains version 1. To serve version 1 again, use Roll back instead."
)
PAGE = f"/t/{REPLY}/-/propose?label=production&version=1"
BACK = f'href="/t/{REPLY}/-/labels?label=production&amp;version=1&amp;from=2"'


@pytest.fixture
def live(reply):
    """Versions 1 and 2 were published."""
    reply.publish(2)
    return reply


@pytest.mark.parametrize(("role", "leads"), [("author", False), ("reviewer", True)])
def test_the_panel_leads_to_the_roll_back_and_has_no_form(live, browser, role, leads):
    page = read_html(browser(role).get(PAGE))
    assert REFUSAL in page
    assert (BACK in page) == leads
    assert 'id="panel-form"' not in page


def test_a_form_that_was_open_meanwhile_is_refused(live, browser):
    sent = {"label": "production", "version": 1, "title": "Back", "why": "", "expected": 2}
    answer = browser("author").post(f"/t/{REPLY}/-/propose", sent)
    assert answer.status_code == 422
    assert read_html(answer).count(REFUSAL) == 1
    assert not ChangeRequest.objects.pending().exists()


def test_a_version_that_was_never_live_is_restored_instead(live, browser):
    live.save(OTHER + "\n")
    live.save(OTHER + "\n\n")
    live.publish(4)
    page = read_html(browser("reviewer").get(f"/t/{REPLY}/-/propose?label=production&version=3"))
    assert "production serves version 4, which already contains version 3." in page
    assert "restore its text as a new version, and propose that." in page
    assert "/-/labels?label=production&amp;version=3" not in page


def test_the_api_says_it_before_and_refuses_it(live, browser):
    client = browser("author")
    address = f"/api/v1/templates/{REPLY}/-/labels/production/preview?version=1"
    assert client.get(address).json()["refusal"] == REFUSAL
    client.cookies["promptuary-csrf"] = "c" * 32
    sent = {"template": REPLY, "label": "production", "version": 1, "message": "Back"}
    answer = client.post("/api/v1/changes", sent, "application/json", headers={"X-CSRFToken": "c" * 32})
    assert (answer.status_code, answer.json()["fields"]) == (422, {"version": REFUSAL})


def test_the_terminal_says_it_too(live, browser, capsys):
    tell_preview(
        browser("author").get(f"/api/v1/templates/{REPLY}/-/labels/production/preview?version=1").json(), as_json=False
    )
    assert f"  {REFUSAL}\n" in capsys.readouterr().err


def test_an_unprotected_label_that_goes_back_is_not_called_published(reply, browser):
    move = {"actor": reply.actor("author"), "name": REPLY, "label": "staging"}
    labels.move_label(**move, version=2, expected=None)
    page = read_html(browser("author").get(f"/t/{REPLY}/-/labels?label=staging&version=1"))
    assert "staging goes back: it serves v2, which contains v1." in page
    assert "Nothing is left to publish." not in page
