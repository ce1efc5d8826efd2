"""Merging the label's version into a concurrent change request in the API."""

import pytest

from tests.api.conftest import DOCUMENT, OTHER, REPLY, problem

SHORTER = DOCUMENT.replace("maxLength: 100", "maxLength: 90")
THEIRS = DOCUMENT.replace("Answer a question", "Answer it")


@pytest.fixture
def beside(cast):
    """Version 1 and then 2 went to production; request 3 proposes version 3, made from version 1."""

    def make(ours):
        first = cast.save().version
        cast.publish(1)
        cast.save(OTHER, base=first.digest)
        cast.publish(2)
        cast.save(ours, base=first.digest, parallel=True)
        cast.propose(3)

    return make


def test_changes_apart_from_each_other_merge_as_they_are(caller, beside):
    beside(SHORTER)
    author = caller("author")
    found = author.get("changes/3/merge").json()
    assert (found["needed"], found["clean"], found["base"], found["held"], found["head"]) == (True, True, 1, 2, 3)
    body = author.post("changes/3/merge").json()
    assert (body["version"], body["round"]) == (4, 2)
    merged = author.get(f"templates/{REPLY}@4").json()["document"]
    assert merged == found["document"] == OTHER.replace("maxLength: 100", "maxLength: 90")
    assert author.get("changes/3/merge").json()["needed"] is False


def test_conflicts_are_listed_and_decided_by_the_caller(caller, beside, stored):
    beside(THEIRS)
    author = caller("author")
    body = author.get("changes/3/merge").json()
    assert (body["clean"], [one["line"] for one in body["conflicts"]]) == (False, [2])
    assert body["conflicts"][0]["ours"] == "description: Answer it\n"
    before = stored()
    assert problem(author.post("changes/3/merge"), 409, "conflict")["lines"] == [2]
    problem(author.post("changes/3/merge", {"document": body["document"]}), 409, "conflict")
    problem(author.post("changes/3/merge", {"document": "- ["}), 422, "invalid")
    assert stored() == before
    decided = author.post("changes/3/merge", {"document": THEIRS, "message": "Ours is shorter"})
    assert (decided.status_code, decided.json()["version"]) == (200, 4)


def test_merging_a_change_that_needs_no_merge_is_refused(cast, caller):
    cast.save()
    cast.propose(1)
    body = caller("reader").get("changes/1/merge").json()
    assert (body["needed"], body["document"], body["conflicts"]) == (False, None, [])
    assert "nothing to merge" in problem(caller("author").post("changes/1/merge"), 409, "conflict")["detail"]
