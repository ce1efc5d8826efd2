"""The page of a change request with fifty samples: as many queries as with two, and nothing rendered twice."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import check_results
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.renderer_pool import find_renderer
from registry.templates import samples
from registry.templates.models import Rendering
from tests.frontend.conftest import REPLY, read_html

FIFTY = {f"case {number:02}": {"question": f"Where is parcel {number}?"} for number in range(50)}


@pytest.fixture
def number(reply):
    """A request whose checks have run on its two samples."""
    change = reply.propose(2)
    check_results.run_checks(number=change.number)
    return change.number


def fill(desk, number):
    samples.save_samples(actor=desk.actor("author"), name=REPLY, samples=FIFTY)
    check_results.run_checks(number=number)


def open_page(client, number, sample=""):
    """The page, and how many queries it took."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"/changes/{number}", {"view": "rendered", "sample": sample})
    assert answer.status_code == 200
    return read_html(answer), len(queries)


def test_fifty_samples_take_as_many_queries_as_two(reply, number, browser):
    client = browser("reviewer")
    open_page(client, number)
    _, before = open_page(client, number)
    fill(reply, number)
    open_page(client, number)
    assert open_page(client, number)[1] == before


def test_stored_renderings_are_not_rendered_again(reply, number, browser, monkeypatch):
    fill(reply, number)
    client = browser("reviewer")
    for sample in ("", "case 00", "case 49"):
        open_page(client, number, sample)
    kept = Rendering.objects.count()
    monkeypatch.setattr(find_renderer(), "cpu_seconds", 0.000001)  # from here on, rendering fails
    for sample in ("", "case 00", "case 49"):
        page, _ = open_page(client, number, sample)
        assert f"Where is parcel {int(sample[-2:] or 0)}?" in page
        assert "PT70" not in page
    assert Rendering.objects.count() == kept


def test_the_page_takes_forty_queries_at_most(reply, number, browser):
    client = browser("reviewer")
    assert open_page(client, number)[1] <= 40
    assert open_page(client, number)[1] <= 40


def test_an_approval_takes_twenty_queries_at_most(reply, number, browser):
    client = browser("reviewer")
    open_page(client, number)
    digest = ChangeRequest.objects.get(number=number).version.digest
    with CaptureQueriesContext(connection) as queries:
        answer = client.post(f"/changes/{number}", {"do": "approve", "digest": digest})
    assert answer.status_code == 302
    assert ChangeRequest.objects.get(number=number).state == "approved"
    assert len(queries) <= 20


def test_lists_take_as_many_queries_with_many_changes_as_with_one(reply, number, browser):
    client, author = browser("reviewer"), reply.actor("author")

    def count_queries(address):
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        return len(queries)

    addresses = ("/", "/changes/", "/changes/?state=all", "/api/v1/changes", f"/changes/{number}")
    before = [count_queries(address) for address in addresses]
    for name in ("support/one", "support/two", "support/three"):
        reply.save(name=name)
        change_services.propose_change(actor=author, name=name, label="production", version=1, message="")
    assert [count_queries(address) for address in addresses] == before
