"""Groups in the API."""

import pytest

from registry.changes import decisions
from tests.api.conftest import REPLY, problem

GROUPS = "namespaces/support/groups"


@pytest.fixture
def admin(caller):
    return caller("admin", session=True)


def test_a_group_is_made_filled_changed_and_removed(admin, caller):
    made = admin.post(GROUPS, {"title": "Legal", "role": "reviewer"})
    assert made.status_code == 201
    assert made.json() == {"name": "legal", "title": "Legal", "role": "reviewer", "people": []}
    assert admin.put(f"{GROUPS}/legal/people/reader", None).json()["people"] == ["reader"]
    listed = caller("reader", session=True).get("namespaces/support/members").json()["results"]
    members = {row["person"]: row for row in listed}
    assert members["reader"] == {"person": "reader", "role": "reviewer", "own_role": "reader", "folder_roles": {}}
    assert admin.call("PATCH", f"{GROUPS}/legal", {"title": "Lawyers"}).json()["title"] == "Lawyers"
    assert admin.get(f"{GROUPS}/legal").json() == {
        "name": "legal",
        "title": "Lawyers",
        "role": "reviewer",
        "people": ["reader"],
    }
    assert admin.call("DELETE", f"{GROUPS}/legal/people/reader").status_code == 204
    assert admin.get(GROUPS).json()["results"][0]["people"] == []
    assert admin.call("DELETE", f"{GROUPS}/legal").status_code == 204
    assert admin.get(GROUPS).json() == {"results": []}
    assert admin.get(f"{GROUPS}/legal").status_code == 404


def test_a_wrong_field_is_named(admin):
    assert "title" in problem(admin.post(GROUPS, {"title": ""}), 422, "invalid")["fields"]
    assert "role" in problem(admin.post(GROUPS, {"title": "Legal", "role": "owner"}), 422, "invalid")["fields"]
    admin.post(GROUPS, {"title": "Legal"})
    problem(admin.post(GROUPS, {"title": "Legal"}), 409, "conflict")
    problem(admin.put(f"{GROUPS}/legal/people/nobody", None), 404, "not-found")


def test_a_change_says_which_group_has_to_approve_and_who_did(admin, caller, cast):
    admin.post(GROUPS, {"title": "Legal"})
    admin.put(f"{GROUPS}/legal/people/admin", None)
    rule = {"label": "production", "folder": "refunds", "approvals": 2, "groups": ["legal"]}
    ruled = admin.call("PATCH", "namespaces/support", {"approval_rules": [{**rule, "label": "production"}]})
    assert ruled.json()["rules"]["approval_rules"] == [rule]
    cast.save()
    author, reviewer = caller("author"), caller("reviewer", session=True)
    preview = author.get(f"templates/{REPLY}/-/labels/production/preview?version=1").json()
    assert (preview["approvals_needed"], preview["groups"]) == (2, ["Legal"])
    change = cast.propose(1)
    address = f"changes/{change.number}"
    decision = {"decision": "approve", "digest": change.version.digest}
    reviewer.post(f"{address}/decisions", decision)
    told = author.get(address).json()
    assert [(one["code"], one["cause"]) for one in told["blockers"]] == [
        ("approvals", "Needs 1 more approval."),
        ("group:legal", "Needs an approval from Legal."),
    ]
    assert told["group_approvals"] == [{"name": "legal", "title": "Legal", "people": []}]
    body = problem(author.post(f"{address}/publish"), 403, "approval-required")
    assert "Needs an approval from Legal." in body["detail"]
    admin.post(f"{address}/decisions", decision)
    told = author.get(address).json()
    assert (told["blockers"], told["approvals_needed"]) == ([], 2)
    assert told["group_approvals"] == [{"name": "legal", "title": "Legal", "people": ["admin"]}]
    problem(admin.call("DELETE", f"{GROUPS}/legal"), 409, "conflict")


def test_a_rule_that_names_no_group_is_refused_at_its_field(admin):
    answer = admin.call("PATCH", "namespaces/support", {"approval_rules": [{"groups": ["legal"]}]})
    assert problem(answer, 422, "invalid")["fields"] == {"approval_rules": "legal: not a group of support."}
    unknown = {"approval_rules": [{"approvals": 1, "colour": "blue"}]}
    problem(admin.call("PATCH", "namespaces/support", unknown), 400, "bad-request")


def test_effects_on_open_changes_are_confirmed_by_their_seal(cast, admin):
    admin.post(GROUPS, {"title": "Legal", "role": "reviewer"})
    admin.put(f"{GROUPS}/legal/people/reader", None)
    change = cast.propose(cast.save().version.number)
    decisions.decide_on_change(
        actor=cast.actor("reader"), number=change.number, decision="approve", digest=change.version.digest
    )
    previews = [
        admin.get(path).json()
        for path in (
            f"{GROUPS}/legal/people/reader/preview",
            f"{GROUPS}/legal/preview",
            f"{GROUPS}/legal/preview?role=none",
        )
    ]
    for preview in previews:
        assert (preview["approvals"], preview["rollouts"]) == ([change.number], [])
        assert preview["losses"] == [f"reader's approval of change {change.number} will not count any more."]
    for method, path, body in (
        ("DELETE", f"{GROUPS}/legal/people/reader", None),
        ("DELETE", f"{GROUPS}/legal", None),
        ("PATCH", f"{GROUPS}/legal", {"role": ""}),
    ):
        refusal = problem(admin.call(method, path, body), 409, "conflict")
        assert (refusal["losses"], refusal["seal"]) == (previews[0]["losses"], previews[0]["seal"])
    assert admin.call("PATCH", f"{GROUPS}/legal", {"role": "", "confirmed": "another"}).status_code == 409
    assert admin.call("PATCH", f"{GROUPS}/legal", {"title": "Lawyers"}).status_code == 200
    seal = previews[0]["seal"]
    assert admin.call("DELETE", f"{GROUPS}/legal/people/reader?confirmed={seal}").status_code == 204
    assert admin.call("DELETE", f"{GROUPS}/legal").status_code == 204
