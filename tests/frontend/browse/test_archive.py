"""Archiving a template on its page, which first shows who would be affected."""

from datetime import UTC, datetime

import pytest

from registry.namespaces import keys
from registry.templates.models import Template, Version
from registry.usage.models import Fetch
from tests.frontend.conftest import REPLY, read_html

ADDRESS = f"/t/{REPLY}/-/archive"


@pytest.fixture
def fetched(reply):
    key = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="checkout", scope="read").key
    now = datetime.now(UTC)
    version = Version.objects.get(template__name=REPLY, number=1)
    return Fetch.objects.create(key=key, version=version, ref="production", day=now.date(), count=1234, last_at=now)


def archived():
    return Template.objects.get(name=REPLY).archived_at is not None


def test_services_that_fetched_lately_are_named_first(fetched, browser):
    page = read_html(browser("admin").get(ADDRESS))
    assert "<b>checkout</b>" in page
    assert "1,234" in page
    assert page.index("checkout") < page.index("Archive</button>")


def test_a_protected_label_refuses_it_until_it_is_forced_with_a_reason(reply, browser):
    client = browser("admin")
    answer = client.post(ADDRESS, {"do": "archive", "reason": "Not used"})
    assert answer.status_code == 409
    assert "production points to it" in read_html(answer)
    assert "Not used</textarea>" in read_html(answer)
    assert client.post(ADDRESS, {"do": "archive", "force": "on", "reason": ""}).status_code == 422
    assert not archived()
    assert client.post(ADDRESS, {"do": "archive", "force": "on", "reason": "Not used"}).status_code == 302
    assert archived()


def test_it_comes_back(reply, browser):
    client = browser("admin")
    client.post(ADDRESS, {"do": "archive", "force": "on", "reason": "Not used"})
    assert "is archived</h1>" in read_html(client.get(ADDRESS))
    client.post(ADDRESS, {"do": "unarchive"})
    assert not archived()


def test_a_pending_request_prevents_it(reply, browser):
    reply.propose(2)
    answer = browser("admin").post(ADDRESS, {"do": "archive", "force": "on", "reason": "Not used"})
    assert answer.status_code == 409
    assert "publish or withdraw" in read_html(answer)


def test_only_admins_see_the_way(reply, browser):
    assert ADDRESS in read_html(browser("admin").get(f"/t/{REPLY}"))
    assert ADDRESS not in read_html(browser("reviewer").get(f"/t/{REPLY}"))
    assert browser("reviewer").get(ADDRESS).status_code == 403
