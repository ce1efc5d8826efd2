"""Restoring an older version in the API."""

from tests.api.conftest import DOCUMENT, OTHER, REPLY, THIRD, problem

PATH = f"templates/{REPLY}/-/restore"


def _two_versions(cast):
    first = cast.save().version.digest
    return first, cast.save(OTHER, base=first).version.digest


def test_an_older_version_becomes_the_newest(cast, caller):
    first, second = _two_versions(cast)
    response = caller("author").post(PATH, {"version": 1}, If_Match=second)
    body = response.json()
    assert (response.status_code, response["ETag"]) == (201, f'"{first}"')
    assert (body["version"], body["document"], body["message"], body["base"]) == (3, DOCUMENT, "Restore v1", 2)


def test_the_newest_version_has_to_be_named(cast, caller, stored):
    first, _ = _two_versions(cast)
    author, before = caller("author"), stored()
    problem(author.post(PATH, {"version": 1}), 428, "precondition-required")
    problem(author.post(PATH, {"version": 2}, If_Match=first), 409, "conflict")
    problem(author.post(PATH, {"version": 7}, If_Match=first), 404, "not-found")
    problem(author.post(PATH, {"version": 0}, If_Match=first), 400, "bad-request")
    assert stored() == before


def test_a_restore_over_a_newer_version_is_refused(cast, caller):
    _, second = _two_versions(cast)
    cast.save(THIRD, base=second)
    details = problem(caller("author").post(PATH, {"version": 1}, If_Match=second), 412, "stale")
    assert details["latest"] == 3
