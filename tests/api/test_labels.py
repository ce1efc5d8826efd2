"""PUT …/-/labels/<label> and POST …/roll-back."""

import pytest

from tests.api.conftest import OTHER, REPLY, Caller, problem
from tests.support.recorded_rows import write_or_insert

PATH = f"templates/{REPLY}/-/labels"


@pytest.fixture
def two(cast) -> None:
    def write() -> None:
        cast.save(OTHER, base=cast.save().version.digest)

    write_or_insert("two versions without a digest", write)


def test_an_unprotected_label_moves_from_where_it_is_expected(caller, two):
    author = caller("author")
    first = author.put(f"{PATH}/staging", {"version": 1, "expected": None})
    assert (first.status_code, first.json()["version"], first.json()["label"]) == (200, 1, "staging")
    assert author.put(f"{PATH}/staging", {"version": 2, "expected": 1}).json()["version"] == 2
    assert author.get(f"templates/{REPLY}@staging").json()["version"] == 2


def test_a_move_may_say_why_and_its_history_repeats_it(caller, two):
    author = caller("author")
    author.put(f"{PATH}/staging", {"version": 1, "expected": None, "reason": " To be tried by the shop\n"})
    author.put(f"{PATH}/staging", {"version": 2, "expected": 1})
    moves = author.get(f"{PATH}/staging/history").json()["results"]
    assert [move["reason"] for move in moves] == ["", "To be tried by the shop"]


@pytest.mark.parametrize("expected", [2, None])
def test_a_label_that_serves_another_version_is_a_conflict(cast, caller, two, stored, expected):
    cast.move("staging", 1)
    author, before = caller("author"), stored()
    details = problem(author.put(f"{PATH}/staging", {"version": 2, "expected": expected}), 409, "conflict")
    assert (details["actual"], stored()) == (1, before)


def test_a_protected_label_needs_an_approval_for_every_role(caller, two, stored):
    for role in ("author", "reviewer", "admin"):
        person, before = caller(role), stored()
        body = {"version": 1, "expected": None}
        problem(person.put(f"{PATH}/production", body), 403, "approval-required")
        assert stored() == before
        problem(caller(role, session=True).put(f"{PATH}/production", body), 403, "approval-required")


@pytest.mark.parametrize("label", ["latest", "Upper", "9lives", "a" * 37, "-a", "sha256:abc"])
def test_a_label_of_another_form_is_refused(caller, two, stored, label):
    author, before = caller("author"), stored()
    details = problem(author.put(f"{PATH}/{label}", {"version": 1, "expected": None}), 422, "invalid")
    assert (list(details["fields"]), stored()) == (["label"], before)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"version": 1}, "expected"),
        ({"expected": None}, "version"),
        ({"version": "1", "expected": None}, "version"),
        ({"version": True, "expected": None}, "version"),
        ({"version": 0, "expected": None}, "version"),
        ({"version": 1.0, "expected": None}, "version"),
        ({"version": 1, "expected": None, "force": True}, "force"),
    ],
)
def test_a_move_of_another_form_is_refused_naming_the_field(caller, two, body, field):
    assert field in problem(caller("author").put(f"{PATH}/staging", body), 400, "bad-request")["fields"]


def test_a_version_that_does_not_exist_is_not_found(caller, two, stored):
    author, before = caller("author"), stored()
    problem(author.put(f"{PATH}/staging", {"version": 9, "expected": None}), 404, "not-found")
    assert stored() == before


def test_a_reviewer_rolls_a_protected_label_back_with_a_reason(cast, caller, two):
    cast.publish(1)
    cast.publish(2)
    reviewer = caller("reviewer", session=True)
    response = reviewer.post(f"{PATH}/production/roll-back", {"version": 1, "reason": "Answers in verse"})
    assert (response.status_code, response.json()["version"]) == (200, 1)
    assert reviewer.get(f"templates/{REPLY}@production").json()["version"] == 1


def test_rolling_back_to_a_version_that_the_label_never_held_is_refused(cast, caller, two, stored):
    cast.publish(1)
    reviewer, before = caller("reviewer", session=True), stored()
    body = {"version": 2, "reason": "Try it"}
    problem(reviewer.post(f"{PATH}/production/roll-back", body), 403, "approval-required")
    problem(reviewer.post(f"{PATH}/production/roll-back", {**body, "reason": " "}), 422, "invalid")
    assert stored() == before


@pytest.mark.parametrize("label", ["production", "staging"])
def test_a_key_rolls_back_only_with_that_verb_by_name(cast, two, stored, label):
    cast.publish(1)
    cast.publish(2)
    cast.move("staging", 1)
    cast.move("staging", 2, expected=1)
    path, body, before = f"{PATH}/{label}/roll-back", {"version": 1, "reason": "Answers in verse"}, stored()
    written = Caller(key=cast.key("reviewer", "write"))
    details = problem(written.post(path, body), 403, "not-allowed")
    assert (details["verb"], "takes one with the verb roll_back" in details["detail"]) == ("roll_back", True)
    before += 1  # the key
    assert stored() == before
    named = Caller(key=cast.key("reviewer", "", verbs=["roll_back"]))
    assert named.post(path, body).json()["version"] == 1
