"""From a fragment's page to one request on each template that includes it."""

import pytest

from registry.changes.models import ChangeRequest
from registry.templates import labels
from registry.templates.models import Version
from tests.frontend.conftest import DOCUMENT, REPLY, read_html

POLICY = "---\nformat: text\n---\nGoods come back within 30 days.\n"
ADDRESS = "/t/support/policy/-/dependants"


@pytest.fixture
def policy(desk):
    """Two versions of a fragment; a template includes the first."""
    desk.save(POLICY, name="support/policy")
    desk.save(DOCUMENT.replace("Use only the policy.", '{{ fragment("support/policy@1") }}'))
    desk.save(POLICY.replace("30", "60"), name="support/policy")
    return desk


def test_the_fragment_names_what_includes_it(policy, browser):
    page = read_html(browser("author").get("/t/support/policy"))
    assert "Included by</h2>" in page
    assert f'{REPLY}</a> <span class="note"> v1 </span>' in page
    assert ADDRESS in page


def test_a_label_is_chosen_among_the_known_ones(policy, browser):
    labels.move_label(actor=policy.actor("author"), name=REPLY, label="staging", version=1, expected=None)
    for address in (ADDRESS, f"/t/{REPLY}/-/labels"):
        page = read_html(browser("author").get(address))
        assert 'list="known-labels"' in page
        assert '<option value="production"></option><option value="staging"></option>' in page


def test_one_press_opens_a_request_on_each(policy, browser):
    client = browser("author")
    page = read_html(client.get(f"{ADDRESS}?version=2"))
    assert "<code>support/policy@1</code>" in page
    answer = client.post(ADDRESS, {"version": "2", "label": "production", "message": "New terms"})
    change = ChangeRequest.objects.get()
    assert f'href="/changes/{change.number}">change {change.number}</a>' in read_html(answer)
    head = Version.objects.get(template__name=REPLY, number=2)
    assert 'fragment("support/policy@2")' in head.document
    assert (change.version, change.message) == (head, "New terms")
    assert "Nothing you may read includes another version" in read_html(client.get(f"{ADDRESS}?version=2"))


def test_a_dependant_that_cannot_be_updated_is_left_unchanged_with_the_reason(policy, browser):
    policy.save(POLICY.replace("30", "{{ missing }}"), name="support/policy")
    answer = browser("author").post(ADDRESS, {"version": "3", "label": "production"})
    assert "not updated" in read_html(answer)
    assert not ChangeRequest.objects.exists()


def test_a_reader_sees_which_role_is_needed(policy, browser):
    page = read_html(browser("reader").get(ADDRESS + "?version=2"))
    assert "saving it needs the author role in support" in page
    assert browser("outsider").get(ADDRESS).status_code == 404
