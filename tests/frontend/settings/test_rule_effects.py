"""The effects of new rules are shown before they are set: on the page and in the API, by one query for both."""

import re
from datetime import UTC, datetime

import pytest

from registry.changes import decisions, rule_effects, rules
from registry.changes import services as change_services
from registry.namespaces import keys
from registry.namespaces.models import Namespace
from registry.namespaces.rules import read_rules
from registry.templates import labels
from registry.templates.models import Version
from registry.usage.models import Fetch
from tests.frontend.conftest import REPLY, read_html

ADDRESS = "/n/support/rules"
FORM = {
    "protected_labels": "production",
    "approvals": "1",
    "compatibility": "none",
    "owners": "",
    "keys_approved_only": "on",
}


def preview(client, **sent):
    return client.post("/api/v1/namespaces/support/rules/preview", sent, content_type="application/json")


def seal_of(page: str) -> str:
    match = re.search(r'name="confirmed" value="(\w+)"', page)
    assert match
    return match[1]


@pytest.fixture
def approved(reply):
    """The request for version 2, approved by one person: it could be published."""
    change = reply.propose(2)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    return change


@pytest.fixture
def fetched(reply):
    issued = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="chat", scope="read")
    version, at = Version.objects.get(template__name=REPLY, number=1), datetime.now(UTC)
    Fetch.objects.create(key=issued.key, version=version, ref="production", day=at.date(), count=1400, last_at=at)
    return issued.key


def test_a_request_that_is_blocked_by_more_approvals_is_named_before_anything_is_set(reply, approved, browser):
    client = browser("admin")
    answer = client.post(ADDRESS, {**FORM, "approvals": "2"})
    page = read_html(answer)
    assert answer.status_code == 200
    assert "1 open change is blocked by other things than before:" in page
    assert f'<a href="/changes/{approved.number}">Change {approved.number}</a> of {REPLY}' in page
    assert "can't be published any more" in page or "can&#x27;t be published any more" in page
    assert Namespace.objects.get(name="support").approvals == 1
    assert client.post(ADDRESS, {**FORM, "approvals": "2", "confirmed": seal_of(page)})["Location"] == ADDRESS
    assert Namespace.objects.get(name="support").approvals == 2


def test_effects_that_changed_meanwhile_are_confirmed_again(reply, approved, browser):
    client = browser("admin")
    seal = seal_of(read_html(client.post(ADDRESS, {**FORM, "approvals": "2"})))
    change_services.withdraw_change(actor=reply.actor("author"), number=approved.number, reason="Not needed")
    change_services.reopen_change(actor=reply.actor("author"), number=approved.number)
    answer = client.post(ADDRESS, {**FORM, "approvals": "2", "confirmed": seal})
    assert answer.status_code == 200
    assert seal_of(read_html(answer)) != seal
    assert Namespace.objects.get(name="support").approvals == 1


def test_rules_that_change_nothing_for_anybody_are_set_immediately(reply, browser):
    assert browser("admin").post(ADDRESS, {**FORM, "approvals": "2"})["Location"] == ADDRESS


def test_a_label_that_is_freed_is_named_with_who_fetches_it(reply, fetched, browser):
    page = read_html(browser("admin").post(ADDRESS, {**FORM, "protected_labels": ""}))
    assert "is not protected any more: authors move it at once, in 1 template" in page
    assert "chat: 200 fetches a day" in page
    assert "These keys get any version from then on, approved or not:" in page
    assert f"<b>chat</b> <code>pb_{fetched.id}</code>" in page


def test_a_label_that_becomes_protected_is_named_with_its_templates(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=2, expected=None)
    page = read_html(browser("admin").post(ADDRESS, {**FORM, "protected_labels": "production, staging"}))
    assert "becomes protected: 1 template has it" in page
    assert "No service fetched it in the last 30 days." in page
    assert "Protect staging and save rules" in page


def test_keys_that_the_switch_limits_are_named(reply, fetched, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", keys_approved_only=False)
    page = read_html(browser("admin").post(ADDRESS, FORM))
    assert f"<b>chat</b> (pb_{fetched.id}, for admin): it got any version until now" in page


def test_the_page_the_api_and_the_query_say_the_same(reply, approved, fetched, browser):
    facts = rule_effects.find_rule_effects(reply.actor("admin"), "support", {"approvals": 2, "protected_labels": []})
    body = preview(browser("admin"), approvals=2, protected_labels=[]).json()
    assert body["labels"] == [
        {
            "label": "production",
            "protected": False,
            "templates": 1,
            "services": [{"service": "chat", "fetches_per_day": 200}],
        }
    ]
    assert [row["change"] for row in body["changes"]] == [row.change.number for row in facts.changes]
    assert (body["blocked"], body["unblocked"]) == (facts.blocked, facts.unblocked) == (1, 0)
    assert body["freed_keys"] == [{"key": fetched.id, "name": "chat"}]
    page = read_html(browser("admin").post(ADDRESS, {**FORM, "protected_labels": "", "approvals": "2"}))
    assert seal_of(page) == facts.seal


def test_a_change_that_becomes_ready_is_reported(reply, browser):
    number = reply.propose(2).number
    body = preview(browser("admin"), approvals=0).json()
    (row,) = body["changes"]
    assert (row["change"], row["was_ready"], row["is_ready"], row["added"]) == (number, False, True, [])
    assert row["removed"]


def test_two_step_sign_in_takes_approvals_and_rights(reply, approved, admin_with_two_step):
    issued = keys.issue_key(actor=admin_with_two_step, namespace="support", name="ci", scope="write", person="author")
    effects = rule_effects.find_rule_effects(admin_with_two_step, "support", {"two_step_required": True})
    assert effects.without_two_step == ("author", "reviewer")
    assert [key.pk for key in effects.narrowed_keys] == [issued.key.pk]
    assert [effect.change.number for effect in effects.changes] == [approved.number]
    assert effects.blocked == 1


@pytest.fixture
def admin_with_two_step(reply):
    actor = reply.actor("admin")
    actor.person.authenticator_set.create(type="totp", data={})
    return actor


def test_nothing_is_stored_and_wrong_rules_are_refused(reply, approved, browser):
    before = read_rules(Namespace.objects.get(name="support"))
    assert preview(browser("admin"), approvals=2).status_code == 200
    assert read_rules(Namespace.objects.get(name="support")) == before
    answer = preview(browser("admin"), approvals=99)
    assert (answer.status_code, "approvals" in answer.content.decode()) == (422, True)
    assert preview(browser("author"), approvals=2).status_code == 403
