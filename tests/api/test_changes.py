"""Change requests in the API, from the proposal to the move."""

import pytest

from registry.changes import decisions
from tests.api.conftest import DOCUMENT, OTHER, REPLY, THIRD, problem
from tests.support.recorded_rows import write_or_insert


@pytest.fixture
def first(cast) -> str:
    """The digest of version 1; there is a version 2."""

    def write() -> str:
        digest: str = cast.save().version.digest
        cast.save(OTHER, base=digest)
        return digest

    return write_or_insert("two versions", write)


def _proposal(version=1, **fields):
    return {"template": REPLY, "label": "production", "version": version, "message": "Please", **fields}


def test_the_whole_way_from_proposal_to_production(caller, first):
    author, reviewer = caller("author"), caller("reviewer", session=True)
    opened = author.post("changes", _proposal())
    assert (opened.status_code, opened["Location"]) == (201, "/api/v1/changes/1")
    assert opened.json()["state"] == "open"
    assert [blocker["code"] for blocker in opened.json()["blockers"]] == ["approvals"]
    approved = reviewer.post("changes/1/decisions", {"decision": "approve", "digest": first, "text": "Good"})
    assert (approved.status_code, approved.json()["state"], approved.json()["blockers"]) == (201, "approved", [])
    assert author.post("changes/1/publish").json()["state"] == "published"
    assert author.get(f"templates/{REPLY}@production").json()["version"] == 1


def test_an_approval_is_taken_back_and_needed_again(cast, caller, first):
    cast.propose(1)
    reviewer = caller("reviewer", session=True)
    reviewer.post("changes/1/decisions", {"decision": "approve", "digest": first})
    answer = reviewer.post("changes/1/decisions", {"decision": "take_back", "digest": first})
    assert (answer.status_code, answer.json()["state"]) == (201, "open")
    assert [decision["decision"] for decision in answer.json()["decisions"]] == ["approve", "take_back"]
    again = reviewer.post("changes/1/decisions", {"decision": "take_back", "digest": first})
    assert problem(again, 409, "conflict")["detail"].startswith("You have neither approved version 1")


def test_a_change_has_its_proposal_and_its_conversation(cast, caller, first):
    cast.propose(1)
    decisions.decide_on_change(
        actor=cast.actor("reviewer"), number=1, decision="comment", digest=first, text="Why now?"
    )
    body = caller("reader").get("changes/1").json()
    assert (body["number"], body["template"], body["label"], body["version"]) == (1, REPLY, "production", 1)
    assert (body["digest"], body["state"], body["author"], body["message"]) == (first, "open", "author", "Please")
    assert [(decision["person"], decision["decision"], decision["text"]) for decision in body["decisions"]] == [
        ("reviewer", "comment", "Why now?")
    ]


def test_an_unapproved_change_is_not_published(cast, caller, first, stored):
    cast.propose(1)
    for role in ("author", "admin"):
        person, before = caller(role), stored()
        details = problem(person.post("changes/1/publish"), 403, "approval-required")
        assert details["blockers"][0]["code"] == "approvals"
        assert stored() == before


def test_a_decision_on_a_stale_digest_is_a_conflict(cast, caller, first, stored):
    cast.propose(2)
    before = stored()
    body = {"decision": "approve", "digest": first}
    details = problem(caller("reviewer", session=True).post("changes/1/decisions", body), 409, "conflict")
    assert (details["version"], stored()) == (2, before)


def test_nobody_approves_their_own_change(cast, caller, stored):
    digest = cast.save(role="reviewer").version.digest
    cast.propose(1, role="reviewer")
    before = stored()
    body = {"decision": "approve", "digest": digest}
    problem(caller("reviewer", session=True).post("changes/1/decisions", body), 403, "not-allowed")
    assert stored() == before


def test_a_key_never_approves(cast, caller, first):
    cast.propose(1)
    body = {"decision": "approve", "digest": first}
    assert "sign in" in problem(caller("reviewer").post("changes/1/decisions", body), 403, "not-allowed")["detail"]


def test_another_version_voids_the_approvals(cast, caller, first):
    cast.propose(1)
    decisions.decide_on_change(actor=cast.actor("reviewer"), number=1, decision="approve", digest=first)
    body = caller("author").post("changes/1/version", {"version": 2}).json()
    assert (body["state"], body["version"], body["round"]) == ("open", 2, 2)
    problem(caller("author").post("changes/1/publish"), 403, "approval-required")


def test_a_withdrawn_change_can_be_reopened_and_needs_its_approvals_again(cast, caller, first):
    cast.propose(1)
    author = caller("author")
    problem(author.post("changes/1/withdraw", {"reason": " "}), 422, "invalid")
    assert author.post("changes/1/withdraw", {"reason": "Not yet"}).json()["state"] == "withdrawn"
    problem(author.post("changes/1/publish"), 409, "conflict")
    body = author.post("changes/1/reopen").json()
    assert (body["state"], body["round"]) == ("open", 2)


def test_a_version_not_based_on_the_served_one_is_not_published(cast, caller, first):
    digest = cast.save(THIRD, base=first, parallel=True).version.digest
    cast.publish(2)
    cast.propose(3)
    decisions.decide_on_change(actor=cast.actor("reviewer"), number=2, decision="approve", digest=digest)
    details = problem(caller("author").post("changes/2/publish"), 409, "conflict")
    assert [blocker["code"] for blocker in details["blockers"]] == ["diverged"]


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"template": REPLY, "label": "production"}, 400, "bad-request"),
        (_proposal(assignee="admin"), 400, "bad-request"),
        (_proposal(version=9), 404, "not-found"),
        (_proposal(template="support/unknown"), 404, "not-found"),
        (_proposal(label="staging"), 422, "invalid"),
        (_proposal(label="latest"), 422, "invalid"),
        (_proposal(message="x" * 20_000), 413, "too-large"),
    ],
)
def test_a_proposal_that_makes_no_sense_is_refused(caller, first, stored, body, status, kind):
    author, before = caller("author"), stored()
    problem(author.post("changes", body), status, kind)
    assert stored() == before


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"decision": "bless", "digest": "x"}, 400),
        ({"decision": "approve"}, 400),
        ({"decision": "comment", "digest": "{first}", "text": ""}, 422),
        ({"decision": "approve", "digest": "x"}, 409),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused(cast, caller, first, stored, body, status):
    cast.propose(1)
    before = stored()
    body = {name: value.replace("{first}", first) for name, value in body.items()}
    assert caller("reviewer", session=True).post("changes/1/decisions", body).status_code == status
    assert stored() == before


def test_changes_are_listed_newest_first_and_filtered(cast, caller, first):
    cast.publish(1)
    cast.propose(2)
    cast.save(DOCUMENT, name="support/another")
    cast.propose(1, name="support/another")
    reader = caller("reader")
    assert [row["number"] for row in reader.get("changes").json()["results"]] == [3, 2, 1]
    assert [row["number"] for row in reader.get("changes?state=published").json()["results"]] == [1]
    assert [row["number"] for row in reader.get(f"changes?template={REPLY}&state=pending").json()["results"]] == [2]
    assert reader.get("changes?namespace=demo").json() == {"results": [], "next": None}


def test_a_change_of_strangers_is_not_found(cast, caller, first):
    cast.propose(1)
    outsider = caller("outsider")
    problem(outsider.get("changes/1"), 404, "not-found")
    problem(outsider.get("changes/99"), 404, "not-found")
    problem(outsider.post("changes/1/withdraw", {"reason": "No"}), 404, "not-found")


def test_a_proposal_to_go_live_gradually_starts_its_rollout_when_it_is_published(cast, caller, first):
    cast.publish(1)
    author = caller("author")
    plan = {"steps": [{"share": 1000, "hours": 12}], "stop_rule": {"metric": "helpful", "below": 0.5}}
    opened = author.post("changes", _proposal(2, planned_rollout=plan))
    rule = {"metric": "helpful", "replies": 200, "below": 0.5, "worse_than_stable": False}
    assert opened.json()["planned_rollout"] == {"steps": plan["steps"], "stop_rule": rule}
    number, digest = opened.json()["number"], opened.json()["digest"]
    caller("reviewer", session=True).post(f"changes/{number}/decisions", {"decision": "approve", "digest": digest})
    answer = author.post(f"changes/{number}/publish").json()
    assert (answer["state"], answer["blockers"][0]["code"]) == ("approved", "rollout")
    assert author.get("rollouts").json()["results"][0]["share"] == 1000
    assert author.get(f"templates/{REPLY}@production").json()["version"] == 1


def test_publishing_immediately_skips_the_plan(cast, caller, first):
    cast.publish(1)
    author = caller("author")
    opened = author.post("changes", _proposal(2, planned_rollout={})).json()
    reviewer = caller("reviewer", session=True)
    reviewer.post(f"changes/{opened['number']}/decisions", {"decision": "approve", "digest": opened["digest"]})
    assert author.post(f"changes/{opened['number']}/publish", {"at_once": True}).json()["state"] == "published"


@pytest.mark.parametrize("below", ["0.5", True])
def test_the_value_of_a_stop_rule_is_a_number_and_nothing_that_stands_for_one(caller, first, below):
    plan = {"stop_rule": {"metric": "helpful", "below": below}}
    refused = caller("author").post("changes", _proposal(2, planned_rollout=plan))
    assert "not a number" in str(problem(refused, 400, "bad-request")["fields"]["planned_rollout.stop_rule.below"])


def test_a_wrong_plan_names_its_field_and_opens_nothing(cast, caller, first):
    cast.publish(1)
    refused = caller("author").post("changes", _proposal(2, planned_rollout={"steps": []}))
    assert "steps" in problem(refused, 422, "invalid")["fields"]
    both = {"planned_rollout": {}, "goes_live_at": "2100-01-01T00:00"}
    refused = caller("author").post("changes", _proposal(2, **both))
    assert "not both" in problem(refused, 422, "invalid")["fields"]["planned_rollout"]
    assert problem(caller("author").get("changes/2"), 404, "not-found")
