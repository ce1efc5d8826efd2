"""The filter Ready of the page of environments: what can be promoted from the chosen label, over all pages."""

import re

from frontend.browse import environment_views
from registry.changes import promotion_state
from registry.templates import labels
from tests.frontend.conftest import REPLY, read_html

TRIAGE = "support/triage"


def open_page(browser, role="author", **query):
    pair = {"from": "latest", "to": "production"}
    return read_html(browser(role).get("/environments/", {"show": "ready", **pair, **query}))


def list_names(page):
    return set(re.findall(r'<th scope="row">.*?href="/t/([^"]+)"', page))


def test_ready_is_what_the_heading_counts(reply, browser):
    page = open_page(browser)
    assert list_names(page) == {REPLY}
    assert "Ready 1" in page
    assert "<b>1 ready to promote</b>" in page
    assert "No template that is ready has “zebra” in its name." in open_page(browser, q="zebra")
    assert list_names(open_page(browser, q="REPLY")) == {REPLY}


def test_ready_follows_the_chosen_pair(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=1, expected=None)
    page = open_page(browser, **{"from": "staging"})
    assert "Ready 0" in page
    assert "nothing to promote" in page
    assert "Nothing to promote. production has everything from staging." in page
    assert list_names(open_page(browser, to="staging")) == {REPLY}


def test_a_template_with_an_open_change_is_not_ready(reply, browser):
    reply.propose(2)
    page = open_page(browser)
    assert "Ready 0" in page
    assert "Open changes 1" in page
    assert "Nothing to promote. What production lacks from latest is in open changes." in page


def test_an_outsider_counts_nothing_ready(reply, browser):
    page = open_page(browser, "outsider")
    assert REPLY not in page
    assert "Ready 0" in page


def test_ready_templates_are_paged_and_counted_over_all_pages(reply, browser, monkeypatch):
    monkeypatch.setattr(environment_views, "PAGE_SIZE", 1)
    reply.save(name=TRIAGE)
    first = open_page(browser)
    address = re.search(r'href="(\?[^"]*cursor=[^"]*)"', first)[1].replace("&amp;", "&")
    second = read_html(browser("author").get(f"/environments/{address}"))
    assert [list_names(page) for page in (first, second)] == [{REPLY}, {TRIAGE}]
    assert all("Ready 2" in page for page in (first, second))


def test_an_inexact_count_is_shown_with_a_plus(reply, browser, monkeypatch):
    reply.save(name=TRIAGE)
    monkeypatch.setattr(promotion_state, "MAX_EXAMINED", 1)
    page = open_page(browser)
    assert "Ready 1+" in page
    assert "<b>at least 1 ready to promote</b>" in page
