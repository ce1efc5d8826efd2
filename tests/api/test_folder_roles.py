"""Roles in folders in the API."""

import pytest

from registry.changes import decisions
from tests.api.conftest import REPLY, problem

FOLDERS = "namespaces/support/folder-roles"


@pytest.fixture
def admin(caller):
    return caller("admin", session=True)


def test_a_role_in_a_folder_is_given_listed_and_taken(admin, caller):
    fields = {"folder": "refunds/europe", "person": "reader", "group": None, "role": "reviewer"}
    warnings = ["No template is in this folder yet."]
    answer = admin.put(f"{FOLDERS}/people/reader/refunds/europe", {"role": "reviewer"})
    assert answer.json() == {**fields, "warnings": warnings}
    assert caller("reader", session=True).get(FOLDERS).json() == {"results": [fields]}
    members = {row["person"]: row for row in admin.get("namespaces/support/members").json()["results"]}
    assert members["reader"]["folder_roles"] == {"refunds/europe": "reviewer"}
    assert admin.call("DELETE", f"{FOLDERS}/people/reader/refunds/europe").status_code == 204
    assert admin.get(FOLDERS).json() == {"results": []}


def test_a_group_with_a_role_is_given_one_in_a_folder(admin):
    admin.post("namespaces/support/groups", {"title": "Legal", "role": "reader"})
    body = admin.put(f"{FOLDERS}/groups/legal/refunds", {"role": "author"}).json()
    assert body["warnings"] == ["No template is in this folder yet."]
    assert (body["folder"], body["person"], body["group"], body["role"]) == ("refunds", None, "legal", "author")
    assert admin.call("DELETE", f"{FOLDERS}/groups/legal/refunds").status_code == 204


def test_a_folder_without_templates_is_a_warning_that_names_the_likely_one(admin, cast):
    cast.save()
    answer = admin.put(f"{FOLDERS}/people/reader/refund", {"role": "author"}).json()
    assert answer["warnings"] == ["No template is in this folder yet. Did you mean refunds?"]
    assert admin.put(f"{FOLDERS}/people/reader/refunds", {"role": "author"}).json()["warnings"] == []


def test_effects_on_open_changes_are_confirmed_before_a_folder_role_is_removed(admin, cast):
    path = f"{FOLDERS}/people/reader/refunds"
    admin.put(path, {"role": "reviewer"})
    change = cast.propose(cast.save().version.number)
    decisions.decide_on_change(
        actor=cast.actor("reader"), number=change.number, decision="approve", digest=change.version.digest
    )
    preview = admin.get(f"{FOLDERS}/preview?folder=refunds&person=reader").json()
    assert preview["losses"] == [f"reader's approval of change {change.number} will not count any more."]
    assert admin.get(f"{FOLDERS}/preview?folder=refunds&person=reader&role=reviewer").json()["losses"] == []
    assert problem(admin.call("DELETE", path), 409, "conflict")["seal"] == preview["seal"]
    assert problem(admin.put(path, {"role": "author"}), 409, "conflict")["losses"] == preview["losses"]
    lower = {"role": "author", "confirmed": preview["seal"]}
    assert admin.put(path, lower).json()["role"] == "author"
    assert admin.call("DELETE", path).status_code == 204
    problem(admin.get(f"{FOLDERS}/preview?folder=refunds"), 422, "invalid")
    problem(admin.get(f"{FOLDERS}/preview?person=reader"), 422, "invalid")


def test_invalid_folder_roles_are_refused(admin):
    wrong = admin.put(f"{FOLDERS}/people/reader/refunds", {"role": "admin"})
    assert "role" in problem(wrong, 422, "invalid")["fields"]
    assert (
        "folder" in problem(admin.put(f"{FOLDERS}/people/reader/Refunds", {"role": "author"}), 422, "invalid")["fields"]
    )
    problem(admin.put(f"{FOLDERS}/people/outsider/refunds", {"role": "author"}), 409, "conflict")
    problem(admin.put(f"{FOLDERS}/people/nobody/refunds", {"role": "author"}), 404, "not-found")


def test_a_folder_author_saves_in_the_folder_as_a_person_and_not_by_key(admin, caller, cast):
    admin.put(f"{FOLDERS}/people/reader/{REPLY.split('/')[1]}", {"role": "author"})
    cast.save()
    person = caller("reader", session=True)
    address = f"templates/{REPLY}/-/labels/staging"
    assert person.put(address, {"version": 1, "expected": None}).status_code in (200, 201)
    problem(caller("reader").put(address, {"version": 1, "expected": 1}), 403, "not-allowed")
