"""Groups over the API."""

import pytest

from tests.api.conftest import problem

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
    assert members["reader"] == {"person": "reader", "role": "reviewer", "own_role": "reader"}
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
