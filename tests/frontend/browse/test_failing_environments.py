"""The filter Failing of the page of environments: what is live and fails its nightly evaluation, over all pages."""

import re

import pytest

from frontend.browse import environment_views
from registry.evaluations.live_models import LiveFailure
from registry.journal import log
from registry.templates import labels
from registry.templates.models import Template, Version
from tests.frontend.conftest import OTHER, REPLY, read_html

DEMO = "demo/triage"  # its production label isn't protected


@pytest.fixture
def record_failure(reply):
    """Record that the newest version of a template fails; it is the one that the tests publish."""

    def record(name=REPLY):
        LiveFailure.objects.create(
            template=Template.objects.get(name=name),
            version=Version.objects.filter(template__name=name).order_by("-number")[0],
            evaluation="answers",
            label="production",
            run=7,
            findings=["chrf >= 101: 12"],
            since=log.now(),
        )

    return record


def open_page(browser, role="author", **query):
    return read_html(browser(role).get("/environments/", {"show": "failing", **query}))


def list_names(page):
    return set(re.findall(r'<th scope="row">.*?href="/t/([^"]+)"', page))


def test_only_what_is_live_and_fails_is_shown(reply, browser, record_failure):
    reply.save(name=DEMO)
    reply.publish(2)
    assert "Nothing that is live fails its nightly evaluation." in open_page(browser)
    record_failure()
    page = open_page(browser)
    assert list_names(page) == {REPLY}
    assert '<b class="bad">1 failing</b>' in page
    assert "No template that is failing has “zebra” in its name." in open_page(browser, q="zebra")
    assert list_names(open_page(browser, q="REPLY")) == {REPLY}


def test_a_failure_of_what_is_live_no_more_is_not_shown(reply, browser, record_failure):
    reply.publish(2)
    record_failure()
    reply.save(OTHER.replace("Quote the policy", "Name the policy"))
    reply.publish(3)
    page = open_page(browser)
    assert "Nothing that is live fails its nightly evaluation." in page
    assert "failing</b>" not in page


def test_an_outsider_counts_no_failure(reply, browser, record_failure):
    reply.publish(2)
    record_failure()
    page = open_page(browser, "outsider")
    assert REPLY not in page
    assert "failing</b>" not in page


def test_failures_are_shown_a_page_at_a_time_and_counted_over_all(reply, browser, record_failure, monkeypatch):
    monkeypatch.setattr(environment_views, "PAGE_SIZE", 1)
    reply.save(name=DEMO)
    reply.publish(2)
    labels.move_label(actor=reply.actor("author"), name=DEMO, label="production", version=1, expected=None)
    record_failure()
    record_failure(DEMO)
    first = open_page(browser)
    address = re.search(r'href="(\?[^"]*cursor=[^"]*)"', first)[1].replace("&amp;", "&")
    second = read_html(browser("author").get(f"/environments/{address}"))
    assert [list_names(page) for page in (first, second)] == [{DEMO}, {REPLY}]
    assert all('<b class="bad">2 failing</b>' in page for page in (first, second))


def test_the_filters_are_in_the_language_of_the_reader(reply, browser):
    page = read_html(browser("author").get("/environments/", headers={"accept-language": "de"}))
    assert "Failing" not in page
    assert "Rolling out" not in page
