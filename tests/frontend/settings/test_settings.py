"""The pages of a namespace's settings: rules, keys and navigation between them."""

import re
from typing import Any

import pytest

from registry.accounts.models import Key, User
from registry.journal.models import Event
from registry.namespaces.models import Namespace
from tests.frontend.conftest import read_html

RULES: dict[str, Any] = {
    "protected_labels": "production, staging",
    "approvals": "2",
    "required_checks": ["problems", "budget"],
    "compatibility": "backward",
    "owners": "refunds/*: reviewer, admin\n*: admin",
    "keys_approved_only": "on",
}


def test_the_rail_leads_everywhere_and_says_where_one_is(reply, browser):
    page = read_html(browser("admin").get("/n/support/rules"))
    for address in ("members", "rules", "keys", "audit"):
        assert f'href="/n/support/{address}"' in page
    assert page.count('aria-current="page"') == 1


def test_the_rail_shows_no_reader_what_only_admins_may_see(reply, browser):
    page = read_html(browser("reader").get("/n/support/members"))
    assert 'href="/n/support/keys"' not in page
    assert 'href="/n/support/audit"' in page


def test_an_admin_sets_the_rules(reply, browser):
    answer = browser("admin").post("/n/support/rules", RULES)
    assert answer["Location"] == "/n/support/rules"
    support = Namespace.objects.get(name="support")
    assert (support.protected_labels, support.approvals) == (["production", "staging"], 2)
    assert (support.required_checks, support.compatibility) == (["problems", "budget"], "backward")
    assert support.owners[0] == {"pattern": "refunds/*", "people": ["reviewer", "admin"]}
    assert (support.self_approval, support.break_glass, support.keys_approved_only) == (False, False, True)


def test_the_rule_that_threads_are_resolved_is_set_shown_and_taken_back(reply, browser):
    client = browser("admin")
    client.post("/n/support/rules", {**RULES, "threads_resolved": "on"})
    assert Namespace.objects.get(name="support").threads_resolved is True
    assert 'name="threads_resolved" checked' in read_html(client.get("/n/support/rules"))
    assert "all threads must be resolved" in read_html(browser("reader").get("/n/support/rules"))
    client.post("/n/support/rules", RULES)
    assert Namespace.objects.get(name="support").threads_resolved is False


def test_the_form_shows_the_rules_that_hold(reply, browser):
    client = browser("admin")
    client.post("/n/support/rules", RULES)
    page = read_html(client.get("/n/support/rules"))
    assert 'value="production, staging"' in page
    assert "refunds/*: reviewer, admin *: admin" in page


@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        ("approvals", "21", "A whole number from 0 to 20."),
        ("approvals", "", "This field is required."),
        ("protected_labels", "latest", "Latest can&#x27;t be set"),
        ("owners", "refunds/* reviewer", "Line 1 can&#x27;t be read: write a pattern"),
        ("owners", "*: nobody", "nobody: not a member of support."),
        ("compatibility", "forward", "Select a valid choice"),
    ],
)
def test_a_wrong_rule_comes_back_with_its_sentence_and_nothing_is_lost(reply, browser, field, typed, sentence):
    before = Event.objects.count()
    answer = browser("admin").post("/n/support/rules", {**RULES, field: typed})
    page = read_html(answer)
    assert answer.status_code == 422
    assert sentence.lower() in page.lower()
    assert (RULES["protected_labels"] if field != "protected_labels" else 'value="latest"') in page
    assert Event.objects.count() == before


def test_members_read_the_rules_and_are_told_who_sets_them(reply, browser):
    page = read_html(browser("author").get("/n/support/rules"))
    assert "Ask an admin of support: admin." in page
    assert "Save rules" not in page
    answer = browser("author").post("/n/support/rules", RULES)
    assert answer.status_code == 403
    refusal = "You need the role admin to manage members, keys and rules in support; author is author."
    assert f"{refusal} Ask an admin of support: admin." in read_html(answer)


def test_anybody_makes_a_namespace_and_is_its_admin(reply, browser):
    answer = browser("reader").post("/n/new", {"name": "sales", "protected_labels": "production", "approvals": "1"})
    assert answer["Location"] == "/n/sales/members"
    assert Namespace.objects.get(name="sales").memberships.get().role == "admin"


def test_people_who_may_not_create_namespaces_see_no_link_and_are_told_whom_to_ask(reply, browser, settings):
    settings.PROMPTUARY_NAMESPACE_CREATORS = "admins"
    assert "/n/new" not in read_html(browser("author").get("/"))
    for answer in (browser("author").get("/n/new"), browser("author").post("/n/new", {"name": "sales"})):
        assert answer.status_code == 403
        assert "Namespaces are created by the operator" in read_html(answer)
    User.objects.filter(username="admin").update(is_superuser=True)
    assert "Ask one of them: admin." in read_html(browser("author").get("/n/new"))
    assert 'href="/n/new"' in read_html(browser("admin").get("/"))


def list_ticked(page):
    return re.findall(r'name="required_checks" value="(\w+)" checked', page)


def test_the_form_of_a_new_namespace_shows_the_checks_ticked_and_can_change_them(reply, browser):
    client = browser("reader")
    assert list_ticked(read_html(client.get("/n/new"))) == ["problems", "samples", "budget", "contract"]
    sent = {"protected_labels": "production", "approvals": "1", "checks_shown": "on"}
    client.post("/n/new", {"name": "sales", **sent, "required_checks": ["budget", "evaluation"]})
    client.post("/n/new", {"name": "shops", **sent})
    required = dict(Namespace.objects.values_list("name", "required_checks"))
    assert (required["sales"], required["shops"]) == (["budget", "evaluation"], [])


def test_a_form_that_showed_no_checks_makes_a_namespace_with_the_usual_ones(reply, browser):
    browser("reader").post("/n/new", {"name": "sales", "protected_labels": "production", "approvals": "1"})
    assert Namespace.objects.get(name="sales").required_checks == ["problems", "samples", "budget", "contract"]


def test_a_refused_form_keeps_the_ticked_checks(reply, browser):
    sent = {"name": "support", "protected_labels": "", "approvals": "1", "checks_shown": "on"}
    assert list_ticked(read_html(browser("reader").post("/n/new", {**sent, "required_checks": ["budget"]}))) == [
        "budget"
    ]
    assert list_ticked(read_html(browser("reader").post("/n/new", sent))) == []


@pytest.mark.parametrize(("name", "status"), [("Sales", 422), ("", 422), ("support", 409)])
def test_an_invalid_or_taken_name_is_shown_again(reply, browser, name, status):
    answer = browser("reader").post("/n/new", {"name": name, "protected_labels": "a, b", "approvals": "1"})
    assert answer.status_code == status
    assert 'value="a, b"' in read_html(answer)


def test_a_key_is_issued_with_chosen_verbs_and_labels(reply, browser):
    sent = {"name": "ci", "scope": "chosen", "verbs": ["move", "fetch"], "labels": "staging canary"}
    answer = browser("admin").post("/n/support/keys", {**sent, "person": "author", "days": "30", "versions": "any"})
    assert answer.status_code == 201
    key = Key.objects.get()
    assert (key.verbs, key.labels, key.approved_only) == (["fetch", "move"], ["staging", "canary"], False)
    assert "only staging, canary" in read_html(answer)


def test_choosing_nothing_is_refused_at_the_verbs(reply, browser):
    answer = browser("admin").post(
        "/n/support/keys", {"name": "ci", "scope": "chosen", "person": "author", "days": "0"}
    )
    assert answer.status_code == 422
    assert "Choose at least one" in read_html(answer)


def test_a_key_is_rotated_with_an_overlap(reply, browser):
    client = browser("admin")
    client.post("/n/support/keys", {"name": "chat", "scope": "read", "person": "admin", "days": "0"})
    old = Key.objects.get()
    assert f"pb_{old.id}_…" in read_html(client.get(f"/n/support/keys?rotate={old.id}"))
    answer = client.post("/n/support/keys", {"do": "rotate", "key": old.id, "hours": "24"})
    assert answer.status_code == 201
    new = answer.context["issued"].key
    assert (new.replaces_id, answer.context["issued"].secret in read_html(answer)) == (old.id, True)
    old.refresh_from_db()
    assert old.expires_at is not None
    assert f"rotated to <code>pb_{new.id}" in read_html(client.get("/n/support/keys"))
    again = client.post("/n/support/keys", {"do": "rotate", "key": old.id, "hours": "0"})
    assert again.status_code == 409
    assert f"was rotated to {new.id} already" in read_html(again)
