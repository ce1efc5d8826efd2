"""Two-step sign-in required by a namespace, in the API and on pages."""

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from registry.accounts.actor import build_operator_actor
from registry.changes import rules
from tests.api.conftest import OTHER, REPLY, Caller, problem

T = f"templates/{REPLY}"


@pytest.fixture
def strict(cast):
    """A request proposed before the rule was set."""
    cast.save()
    cast.move("staging", 1)
    number = cast.propose(1).number
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    return number


def switch_on(cast, username: str) -> None:
    Authenticator.objects.create(user=cast.people[username], type=Authenticator.Type.TOTP, data={})


@pytest.mark.parametrize("kind", ["session", "key"])
def test_a_person_without_it_reads_and_writes_nothing(cast, strict, kind):
    caller = Caller(person=cast.people["author"])
    if kind == "key":
        switch_on(cast, "admin")
        caller = Caller(key=cast.key("author", "write"))
    assert caller.get(T).status_code == 200
    assert caller.get(f"{T}@1").status_code == 200
    digest = caller.get(f"{T}@1").json()["digest"]
    answers = {
        "save": caller.put(T, {"document": OTHER, "message": "A change"}, HTTP_IF_MATCH=f'"{digest}"'),
        "propose": caller.post("changes", {"template": REPLY, "label": "production", "version": 1, "message": "Again"}),
        "move": caller.put(f"{T}/-/labels/staging", {"version": 1, "expected": 1}),
        "publish": caller.post(f"changes/{strict}/publish"),
    }
    for answer in answers.values():
        assert "/account/second-step" in problem(answer, 403, "two-step-required")["detail"]


def test_a_reviewer_without_it_approves_nothing_and_with_it_does(cast, strict):
    reviewer = Caller(person=cast.people["reviewer"])
    digest = reviewer.get(f"{T}@1").json()["digest"]
    said = {"decision": "approve", "digest": digest}
    problem(reviewer.post(f"changes/{strict}/decisions", said), 403, "two-step-required")
    switch_on(cast, "reviewer")
    assert reviewer.post(f"changes/{strict}/decisions", said).status_code == 201


def test_the_rule_is_set_and_read_over_the_api(cast):
    cast.save()
    admin = Caller(person=cast.people["admin"])
    body = problem(admin.call("PATCH", "namespaces/support", {"two_step_required": True}), 422, "invalid")
    assert list(body["fields"]) == ["two_step_required"]
    switch_on(cast, "admin")
    assert admin.call("PATCH", "namespaces/support", {"two_step_required": True}).status_code == 200
    assert admin.get("namespaces/support").json()["rules"]["two_step_required"] is True


def test_a_page_that_refuses_leads_to_setting_it_up(cast, strict):
    client = Client()
    client.force_login(cast.people["author"])
    answer = client.get(f"/t/{REPLY}/-/edit")
    page = answer.content.decode()
    assert (answer.status_code, 'href="/account/second-step"' in page) == (403, True)
    assert "Two-step sign-in required" in page


def test_home_leads_to_setting_it_up(cast, strict):
    client = Client()
    client.force_login(cast.people["author"])
    assert "Set up two-step sign-in" in client.get("/").content.decode()
    switch_on(cast, "author")
    assert "Set up two-step sign-in" not in client.get("/").content.decode()


def test_the_rules_page_names_who_has_none_to_admins_only(cast):
    cast.save()
    client = Client()
    client.force_login(cast.people["admin"])
    switch_on(cast, "author")
    page = " ".join(client.get("/n/support/rules").content.decode().split())
    assert "Without it now: admin, reviewer." in page
