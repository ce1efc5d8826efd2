"""Promoting templates ticked on the environments page, from one namespace or several."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import decisions, rules
from registry.changes.models import ChangeRequest
from registry.namespaces import keys
from registry.releases.models import Release
from registry.rollouts import services as rollout_services
from registry.templates.models import Version
from registry.usage.models import Fetch
from tests.frontend.conftest import REPLY, read_html

PANEL = "/releases/new/"
PAIR = {"from": "latest", "to": "production"}
REMINDER = "demo/reminder"


@pytest.fixture
def reminder(reply):
    """A template of another namespace that protects production."""
    rules.set_rules(actor=reply.actor("admin"), namespace="demo", protected_labels=["production"])
    reply.save(name=REMINDER)


def test_templates_of_one_namespace_have_the_panel_of_its_release(reply, browser):
    panel = read_html(browser("author").get(PANEL, {**PAIR, "template": REPLY}))
    assert "Promote 1 template to production" in panel
    assert 'action="/releases/new/support/"' in panel


def test_templates_of_two_namespaces_are_under_their_namespaces(reminder, browser):
    panel = read_html(browser("author").get(PANEL, {**PAIR, "template": [REPLY, REMINDER]}))
    assert "Promote 2 templates to production" in panel
    assert panel.index('id="of-demo"') < panel.index(f'value="{REMINDER}"') < panel.index('id="of-support"')
    assert "Propose 2 releases" in panel
    assert panel.count("Needs 1 approval for each template.") == 2


def test_one_press_opens_a_release_for_each_namespace(reminder, browser):
    sent = {**PAIR, "title": "Both", "template": [REPLY, REMINDER], "expected": [f"{REPLY} 2 1", f"{REMINDER} 1 0"]}
    answer = browser("author").post(PANEL, sent, follow=True)
    assert "Releases 1, 2 are open." in read_html(answer)
    assert sorted(Release.objects.values_list("namespace__name", "title")) == [("demo", "Both"), ("support", "Both")]


def test_reviewers_and_a_date_are_for_each_release(reminder, browser):
    client = browser("author")
    panel = read_html(client.get(PANEL, {**PAIR, "template": [REPLY, REMINDER]}))
    assert 'value="reviewer"' in panel.partition('id="panel-form"')[2]
    assert "On a date" in panel
    sent = {**PAIR, "title": "Both", "template": [REPLY, REMINDER], "how": "on_date", "reviewers": ["reviewer"]}
    refused = client.post(PANEL, {**sent, "goes_live_at": "2001-01-01T08:00"})
    assert (refused.status_code, Release.objects.count()) == (422, 0)
    page = read_html(refused)
    assert 'value="2001-01-01T08:00"' in page
    assert "past" in page
    at = (datetime.now(UTC) + timedelta(days=2)).replace(second=0, microsecond=0)
    client.post(PANEL, {**sent, "goes_live_at": f"{at:%Y-%m-%dT%H:%M}"})
    assert [release.goes_live_at for release in Release.objects.all()] == [at, at]
    assert {tuple(change.asked) for change in ChangeRequest.objects.filter(release__isnull=False)} == {("reviewer",)}


def test_a_template_that_moved_meanwhile_stops_both(reminder, browser):
    sent = {**PAIR, "title": "Both", "template": [REPLY, REMINDER], "expected": [f"{REPLY} 1 1", f"{REMINDER} 1 0"]}
    answer = browser("author").post(PANEL, sent)
    assert answer.status_code == 409
    assert "version 2 would be proposed, where you looked at version 1" in read_html(answer)
    assert not Release.objects.exists()


def test_ticked_templates_are_shown_again_after_a_refusal(reminder, browser):
    sent = {**PAIR, "title": "", "listed": [REPLY, REMINDER], "template": [REMINDER]}
    page = read_html(browser("author").post(PANEL, sent))
    assert f'value="{REMINDER}" form="panel-form" checked' in page
    assert f'value="{REPLY}" form="panel-form"' in page
    assert f'value="{REPLY}" form="panel-form" checked' not in page
    refused = browser("author").post(PANEL, {**sent, "title": "Both", "template": []})
    assert (refused.status_code, "Choose at least one template." in read_html(refused)) == (422, True)


def test_without_a_template_the_page_leads_back(reply, browser):
    page = read_html(browser("author").get(PANEL, PAIR))
    assert "Nothing to promote from latest to production." in page
    assert "Propose" not in page.partition("<main")[2]


def test_a_namespace_that_does_not_protect_the_label_says_so(reply, browser):
    reply.save(name="demo/triage")
    page = read_html(browser("author").get(PANEL, {**PAIR, "template": [REPLY, "demo/triage"]}))
    assert "production is not protected in demo" in page
    assert "Propose release" in page


@pytest.mark.parametrize(
    ("count", "expected_text"), [(3, "1 service, 1 fetch a day"), (210, "1 service, 30 fetches a day")]
)
def test_fetches_of_a_template_are_counted_in_words(reply, browser, count, expected_text):
    issued = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="chat", scope="read", person="author")
    now = datetime.now(UTC)
    version = Version.objects.get(template__name=REPLY, number=1)
    Fetch.objects.create(key=issued.key, version=version, ref="production", day=now.date(), count=count, last_at=now)
    panel = " ".join(read_html(browser("author").get(PANEL, {**PAIR, "template": [REPLY]})).split())
    assert expected_text in panel
    assert f"Reaches 1 service. {expected_text.partition(', ')[2]}." in panel
    propose = " ".join(read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2")).split())
    assert ("1 fetch a day switches to v2, 0 stay" in propose) is (count == 3)


@pytest.fixture
def rollout(reply):
    """Version 2 of the template rolls out."""
    change = reply.propose(2)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    return rollout_services.start_rollout(actor=reply.actor("author"), change=change.number)


@pytest.mark.parametrize("address", [PANEL, "/releases/new/support/"])
def test_a_template_in_a_rollout_has_no_box_and_says_why(rollout, reply, browser, address):
    reply.save(name="support/triage")
    panel = read_html(browser("author").get(address, {**PAIR, "template": [REPLY, "support/triage"]}))
    reason = "It is being published gradually, by rollout 1. Finish the rollout, or stop it first."
    assert f'<b>{REPLY}</b> <span class="note"> {reason}' in panel
    assert f'name="template" value="{REPLY}"' not in panel
    assert 'name="template" value="support/triage" form="panel-form" checked' in panel
    assert "Promote 1 template to production" in panel


@pytest.mark.parametrize(
    ("address", "labels"),
    [(PANEL, PAIR), ("/releases/new/support/", {"from_label": "latest", "label": "production"})],
)
def test_a_template_in_a_rollout_that_is_sent_all_the_same_is_refused_with_the_same_words(
    rollout, reply, browser, address, labels
):
    reply.save(name="support/triage")
    sent = {**labels, "title": "Both", "template": [REPLY, "support/triage"], "expected": ["support/triage 1 0"]}
    refused = browser("author").post(address, sent)
    assert (refused.status_code, Release.objects.count()) == (409, 0)
    reason = "It is being published gradually, by rollout 1. Finish the rollout, or stop it first."
    assert f"{REPLY}: {reason}" in read_html(refused)
