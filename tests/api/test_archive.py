"""Archiving and restoring a template in the API."""

from tests.api.conftest import OTHER, REPLY, problem

T = f"templates/{REPLY}"


def test_an_archived_template_is_fetched_but_not_changed_until_it_is_brought_back(cast, caller):
    digest = cast.save().version.digest
    admin, author = caller("admin", session=True), caller("author")
    assert admin.post(f"{T}/-/archive").json()["archived_at"].endswith("Z")
    assert author.get(f"{T}@1").status_code == 200
    saving = {"document": OTHER, "message": ""}
    problem(author.put(T, saving, If_Match=digest), 409, "conflict")
    assert admin.post(f"{T}/-/unarchive").json()["archived_at"] is None
    assert author.put(T, saving, If_Match=digest).status_code == 201


def test_a_protected_label_keeps_it_unless_forced_with_a_reason(cast, caller, stored):
    cast.save()
    cast.publish(1)
    admin, before = caller("admin", session=True), stored()
    assert problem(admin.post(f"{T}/-/archive"), 409, "conflict")["labels"] == ["production"]
    assert list(problem(admin.post(f"{T}/-/archive", {"force": True}), 422, "invalid")["fields"]) == ["reason"]
    assert stored() == before
    assert admin.post(f"{T}/-/archive", {"force": True, "reason": "Nobody calls it"}).status_code == 200


def test_a_pending_request_keeps_it(cast, caller):
    cast.save()
    cast.propose(1)
    admin = caller("admin", session=True)
    problem(admin.post(f"{T}/-/archive", {"force": True, "reason": "Gone"}), 409, "conflict")
    problem(admin.post("templates/support/none/-/archive"), 404, "not-found")
    problem(admin.post(f"{T}/-/archive", {"force": "yes"}), 400, "bad-request")


def test_a_key_never_archives(cast, caller, stored):
    cast.save()
    admin, before = caller("admin"), stored()
    problem(admin.post(f"{T}/-/archive"), 403, "not-allowed")
    assert stored() == before
