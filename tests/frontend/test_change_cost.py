"""The page of a change request with fifty samples: as many queries as with two, and no rendering done twice."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.models import Rendering
from registry.rendering import bounded
from registry.services import samples, verdicts
from tests.frontend.conftest import REPLY, words

FIFTY = {f"case {number:02}": {"question": f"Where is parcel {number}?"} for number in range(50)}


@pytest.fixture
def number(reply):
    """A request whose checks have run on its two samples."""
    change = reply.propose(2)
    verdicts.give(number=change.number)
    return change.number


def fill(desk, number):
    samples.save(actor=desk.actor("author"), name=REPLY, samples=FIFTY)
    verdicts.give(number=number)


def look(client, number, sample=""):
    """The page, and how many queries it took."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"/changes/{number}", {"view": "rendered", "sample": sample})
    assert answer.status_code == 200
    return words(answer), len(queries)


def test_fifty_samples_take_as_many_queries_as_two(reply, number, browser):
    client = browser("reviewer")
    look(client, number)
    _, before = look(client, number)
    fill(reply, number)
    look(client, number)
    assert look(client, number)[1] == before


def test_what_was_rendered_once_is_not_rendered_again(reply, number, browser, monkeypatch):
    fill(reply, number)
    client = browser("reviewer")
    for sample in ("", "case 00", "case 49"):
        look(client, number, sample)
    kept = Rendering.objects.count()
    monkeypatch.setattr(bounded(), "wall_seconds", 0.000001)  # from here on nothing can be rendered
    for sample in ("", "case 00", "case 49"):
        page, _ = look(client, number, sample)
        assert f"Where is parcel {int(sample[-2:] or 0)}?" in page
        assert "PT70" not in page
    assert Rendering.objects.count() == kept
