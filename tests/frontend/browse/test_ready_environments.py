"""The filter Ready of the page of environments: open changes that could be published now, over all pages."""

import re

from frontend.browse import environment_views
from registry.changes import decisions
from registry.changes import services as change_services
from tests.frontend.conftest import REPLY, words

TRIAGE = "support/triage"


def approve(desk, change):
    decisions.decide_on_change(
        actor=desk.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )


def shown(browser, role="author", **query):
    return words(browser(role).get("/environments/", {"show": "ready", "to": "production", **query}))


def names_on(page):
    return set(re.findall(r'<th scope="row">.*?href="/t/([^"]+)"', page))


def test_only_what_could_be_published_now_is_shown(reply, browser):
    change = reply.propose(2)
    page = shown(browser)
    assert "No change for production is ready to publish." in page
    assert "Ready 0" in page
    approve(reply, change)
    page = shown(browser)
    assert names_on(page) == {REPLY}
    assert "Ready 1" in page
    assert "ready to publish" in page
    assert "No template that is ready has “zebra” in its name." in shown(browser, q="zebra")
    assert names_on(shown(browser, q="REPLY")) == {REPLY}


def test_an_outsider_counts_nothing_ready(reply, browser):
    approve(reply, reply.propose(2))
    page = shown(browser, "outsider")
    assert REPLY not in page
    assert "Ready 0" in page


def test_what_is_ready_is_shown_a_page_at_a_time_and_counted_over_all(reply, browser, monkeypatch):
    monkeypatch.setattr(environment_views, "PAGE_SIZE", 1)
    approve(reply, reply.propose(2))
    version = reply.save(name=TRIAGE)
    change = change_services.propose_change(
        actor=reply.actor("author"), name=TRIAGE, label="production", version=version.number, message="Sort letters"
    )
    approve(reply, change)
    first = shown(browser)
    address = re.search(r'href="(\?[^"]*cursor=[^"]*)"', first)[1].replace("&amp;", "&")
    second = words(browser("author").get(f"/environments/{address}"))
    assert [names_on(page) for page in (first, second)] == [{REPLY}, {TRIAGE}]
    assert all("Ready 2" in page for page in (first, second))


def test_other_views_count_what_is_ready_only_where_few_requests_are_open(reply, browser, monkeypatch):
    approve(reply, reply.propose(2))
    assert "Ready 1" in shown(browser, show="")
    monkeypatch.setattr(environment_views, "PAGE_SIZE", 0)
    assert "Ready 1" not in shown(browser, show="")
    monkeypatch.setattr(environment_views, "PAGE_SIZE", 1)
    assert "Ready 1" in shown(browser)
