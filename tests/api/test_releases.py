"""Releases in the API, from the plan to the roll back."""

from datetime import timedelta

import pytest

from registry.journal import log
from registry.namespaces import keys
from tests.api.conftest import OTHER, Caller, problem

ONE, TWO = "support/refunds/one", "support/refunds/two"
PLACE = "namespaces/support/releases"
ASKED = {"label": "production", "title": "Refund window", "versions": {ONE: 1, TWO: 1}}


@pytest.fixture
def digests(cast) -> dict[str, str]:
    """The digest of version 1 of two templates, which have a version 2 as well."""
    digests = {}
    for name in (ONE, TWO):
        digests[name] = cast.save(name=name).version.digest
        cast.save(OTHER, name=name, base=digests[name])
    return digests


@pytest.fixture
def opened(caller, digests):
    """A release of both templates, as the answer that opened it has it."""
    return caller("author").post(PLACE, ASKED).json()


def approve(caller, release):
    body = {"digests": {str(member["change"]): member["digest"] for member in release["members"]}}
    return caller("reviewer", session=True).post(f"{PLACE}/{release['number']}/approvals", body)


def test_the_whole_way_from_proposal_to_roll_back(cast, caller, digests):
    for name in (ONE, TWO):
        cast.publish(1, name=name)
    author, reviewer = caller("author"), caller("reviewer", session=True)
    answer = author.post(PLACE, {**ASKED, "versions": {ONE: 2, TWO: 2}})
    assert (answer.status_code, answer["Location"]) == (201, f"/api/v1/{PLACE}/1")
    assert [(member["template"], member["holds"], member["version"]) for member in answer.json()["members"]] == [
        (ONE, 1, 2),
        (TWO, 1, 2),
    ]
    approved = approve(caller, answer.json())
    assert (approved.status_code, approved.json()["ready"]) == (201, True)
    published = author.post(f"{PLACE}/1/publish").json()
    assert (published["state"], {member["state"] for member in published["members"]}) == ("published", {"published"})
    assert author.get(f"templates/{ONE}@production").json()["version"] == 2
    back = reviewer.post(f"{PLACE}/1/roll-back", {"reason": "Wrong", "templates": [ONE]})
    assert (back.status_code, back.json()["rolled_back_at"] is not None) == (200, True)
    assert author.get(f"templates/{ONE}@production").json()["version"] == 1
    assert author.get(f"templates/{TWO}@production").json()["version"] == 2


def test_reviewers_and_a_moment_are_set_with_the_proposal(cast, caller, digests):
    author, at = caller("author"), "2099-01-01T00:00:00Z"
    problem(author.post(PLACE, {**ASKED, "goes_live_at": at}), 422, "invalid")
    problem(author.post(PLACE, {**ASKED, "goes_live_at": "soon"}), 422, "invalid")
    assert "reviewers" in problem(author.post(PLACE, {**ASKED, "reviewers": ["reader"]}), 422, "invalid")["fields"]
    soon = (log.now() + timedelta(days=1)).isoformat()
    opened = author.post(PLACE, {**ASKED, "goes_live_at": soon, "reviewers": ["reviewer"]}).json()
    assert (opened["number"], opened["goes_live_at"][:19]) == (1, soon[:19])
    change = author.get(f"changes/{opened['members'][0]['change']}").json()
    assert [asked["person"] for asked in change["asked"]] == ["reviewer"]
    withdrawn = author.post(f"{PLACE}/1/withdraw", {"reason": "Not yet"}).json()
    assert (withdrawn["state"], withdrawn["goes_live_at"]) == ("withdrawn", None)


def test_a_folder_is_promoted_from_another_label_as_planned(cast, caller, digests):
    cast.publish(1, name=ONE)
    cast.move("staging", 1, name=ONE)
    cast.move("staging", 2, name=TWO)
    selection = {"label": "production", "from_label": "staging", "folder": "support/refunds"}
    plan = caller("author").post(f"{PLACE}/plan", selection).json()
    assert [(member["template"], member["version"], member["holds"]) for member in plan["members"]] == [(TWO, 2, None)]
    assert [(left["template"], left["code"]) for left in plan["left_out"]] == [(ONE, "equal")]
    assert plan["members"][0]["preview"]["size"]["inputs"]["added"] == ["question"]
    answer = caller("author").post(PLACE, {**selection, "title": "Promote"}).json()
    assert answer["left_out"] == plan["left_out"]


def test_a_blocker_of_one_template_blocks_the_release(caller, opened):
    details = problem(caller("author").post(f"{PLACE}/1/publish"), 403, "approval-required")
    assert [(blocker["template"], blocker["change"], blocker["code"]) for blocker in details["blockers"]] == [
        (ONE, 1, "approvals"),
        (TWO, 2, "approvals"),
    ]


def test_a_member_is_not_published_alone_and_says_why(caller, opened):
    approve(caller, opened)
    details = problem(caller("author").post("changes/1/publish"), 409, "conflict")
    assert [blocker["code"] for blocker in details["blockers"]] == ["release"]
    change = caller("author").get("changes/1").json()
    assert (change["release"], change["state"]) == (1, "approved")


def test_templates_are_added_and_removed(cast, caller, opened):
    cast.save(name="support/late")
    added = caller("author").post(f"{PLACE}/1/members", {"template": "support/late", "version": 1})
    assert (added.status_code, len(added.json()["members"])) == (201, 3)
    removed = caller("author").call("DELETE", f"{PLACE}/1/members/1")
    assert [member["change"] for member in removed.json()["members"]] == [3, 2]
    assert caller("author").get("changes/1").json()["release"] is None


def test_comments_are_in_the_release(caller, opened):
    answer = caller("author").post(f"{PLACE}/1/comments", {"text": "Also for sale items?"})
    assert [(it["person"], it["text"]) for it in answer.json()["comments"]] == [("author", "Also for sale items?")]


def test_it_is_withdrawn_with_a_reason(caller, opened):
    problem(caller("author").post(f"{PLACE}/1/withdraw", {"reason": " "}), 422, "invalid")
    assert caller("author").post(f"{PLACE}/1/withdraw", {"reason": "No"}).json()["state"] == "withdrawn"


def test_lists_filter_by_state(caller, opened):
    caller("author").post(f"{PLACE}/1/withdraw", {"reason": "No"})
    caller("author").post(PLACE, ASKED)
    for state, numbers in (("open", [2]), ("withdrawn", [1])):
        assert [row["number"] for row in caller("reader").get(f"{PLACE}?state={state}").json()["results"]] == numbers
    assert [row["number"] for row in caller("reader").get(PLACE).json()["results"]] == [2, 1]


def test_a_release_is_found_in_its_own_namespace_only(cast, caller, opened):
    problem(caller("author").get("namespaces/demo/releases/1"), 404, "not-found")
    problem(caller("author").post("namespaces/demo/releases/1/publish"), 404, "not-found")


def test_a_key_that_may_publish_but_not_read_gets_no_words(cast, caller, opened):
    approve(caller, opened)
    caller("author").post(f"{PLACE}/1/comments", {"text": "Secret words"})
    issued = keys.issue_key(
        actor=cast.actor("admin"), namespace="support", name="bot", verbs=["publish"], person="author"
    )
    answer = Caller(key=issued.secret).post(f"{PLACE}/1/publish")
    assert answer.status_code == 200
    assert (answer.json()["title"], answer.json()["comments"]) == ("", [])
    assert answer.json()["members"][0]["template"] == ONE


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 400, "label"),
        ({"label": "production", "title": "x"}, 422, "from_label"),
        ({**ASKED, "versions": {ONE: "1"}}, 400, "versions"),
        ({**ASKED, "title": ""}, 422, "title"),
        ({**ASKED, "label": "staging"}, 422, "label"),
        ({**ASKED, "other": 1}, 400, "other"),
    ],
)
def test_bad_input_names_the_field(caller, digests, body, status, field):
    answer = caller("author").post(PLACE, body)
    assert answer.status_code == status
    assert any(name.startswith(field) for name in answer.json()["fields"])


def test_edits_are_asked_for_with_a_reason_and_of_all_or_none(caller, opened):
    reviewer, place = caller("reviewer", session=True), f"{PLACE}/1/edit-requests"
    digests = {str(member["change"]): member["digest"] for member in opened["members"]}
    problem(reviewer.post(place, {"digests": digests, "text": " "}), 422, "invalid")
    problem(reviewer.post(place, {"digests": {**digests, "2": "sha256:x"}, "text": "Shorter"}), 409, "conflict")
    problem(caller("author").post(place, {"digests": digests, "text": "Shorter"}), 403, "not-allowed")
    assert reviewer.get("changes/1").json()["decisions"] == []
    answer = reviewer.post(place, {"digests": digests, "text": "Shorter"})
    assert (answer.status_code, answer.json()["ready"]) == (201, False)
    for change in digests:
        (decision,) = reviewer.get(f"changes/{change}").json()["decisions"]
        assert (decision["decision"], decision["text"]) == ("request_changes", "Shorter")


def test_approvals_name_numbers_of_changes(caller, opened):
    answer = caller("reviewer", session=True).post(f"{PLACE}/1/approvals", {"digests": {"one": "sha256:x"}})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["digests"])
