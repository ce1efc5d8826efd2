"""Two people in the API: nobody who contributed a text to a change, by whatever way, can approve it."""

import json

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import emergencies, rules, suggestions, threads
from registry.changes import services as change_services
from registry.changes.threads import Place
from registry.journal.models import Event
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.templates import save as template_save
from registry.templates.models import Version
from tests.api.conftest import DOCUMENT, OTHER, REPLY, THIRD, problem
from tests.support.recorded_rows import write_or_insert

NAMES = ("author", "reviewer", "admin")
FOURTH = DOCUMENT.replace("Answer a question", "Answer it soon")


@pytest.fixture
def live(cast):
    """Version 1, by the author, is on production."""

    def write() -> None:
        cast.save()
        cast.publish(1)

    write_or_insert("one version on production", write)
    return cast


def save(cast, document, base, role="author", key=None, **options):
    """A version made from another one, by its number."""
    digest = Version.objects.get(template__name=REPLY, number=base).digest
    actor = Actor(cast.people[role], key)
    return template_save.save_version(
        actor=actor, name=REPLY, document=document, message="", base=digest, parallel=True, **options
    ).version


def refused(caller, number, role, sentence):
    """The API says beforehand that this person may not approve and why, and refuses it with the same sentence."""
    session = caller(role, session=True)
    body = session.get(f"changes/{number}").json()
    assert body["may_approve"] is False
    assert body["why"].startswith(sentence), body["why"]
    approval = {"decision": "approve", "digest": body["digest"]}
    assert problem(session.post(f"changes/{number}/decisions", approval), 403, "not-allowed")["detail"] == body["why"]
    assert role in [one["person"] for one in body["contributors"]]


def allowed(caller, number, role):
    session = caller(role, session=True)
    body = session.get(f"changes/{number}").json()
    assert (body["may_approve"], body["why"]) == (True, None)
    approval = {"decision": "approve", "digest": body["digest"]}
    assert session.post(f"changes/{number}/decisions", approval).status_code == 201


def test_a_rebased_version_keeps_its_author(live, caller):
    save(live, OTHER, 1, "reviewer")
    save(live, OTHER + "\n", 2)
    live.propose(3)
    refused(caller, 2, "reviewer", "You wrote version 2, which this change contains. Another reviewer decides on it.")
    allowed(caller, 2, "admin")
    assert caller("author").post("changes/2/publish").status_code == 200


def test_a_merged_version_keeps_its_author_in_another_request(live, caller):
    save(live, DOCUMENT.replace("maxLength: 100", "maxLength: 90"), 1, "reviewer")
    save(live, OTHER, 1)
    live.publish(3)
    change = live.propose(2)
    author = caller("author", session=True)
    assert author.post(f"changes/{change.number}/merge").json()["version"] == 4
    author.post(f"changes/{change.number}/withdraw", {"reason": "Not needed"})
    again = live.propose(4)
    refused(caller, again.number, "reviewer", "You wrote version 2, which this change contains.")


def test_a_suggestion_that_was_applied_keeps_its_writer(live, caller):
    save(live, OTHER, 1)
    live.propose(2)
    reviewer, author = caller("reviewer", session=True), caller("author", session=True)
    reviewer.post("changes/2/threads", {"version": 2, "line": 2, "suggestion": "description: Answer it\n"})
    applied = author.post("changes/2/suggestions", {"comments": [{"thread": 1, "comment": 1}]})
    assert applied.status_code == 200
    refused(caller, 2, "reviewer", "Your suggestion is in version 3, which this change contains.")
    author.post("changes/2/withdraw", {"reason": "Not needed"})
    live.propose(3)
    refused(caller, 3, "reviewer", "Your suggestion is in version 3")
    allowed(caller, 3, "admin")


def test_the_issuer_and_the_rotator_of_the_key_cannot_approve(live, caller):
    first = keys.issue_key(
        actor=live.actor("admin"), namespace="support", name="CI", scope="write", person="author"
    ).key
    save(live, OTHER, 1, key=first)
    live.propose(2)
    refused(caller, 2, "admin", "You issued the key that version 2 was saved with.")
    namespace_services.set_role(actor=live.actor("admin"), namespace="support", username="reader", role="admin")
    second = keys.rotate_key(actor=live.actor("reader"), key_id=first.id).key
    save(live, THIRD, 1, key=second)
    live.propose(3)
    refused(caller, 3, "admin", "You issued the key that version 3 was saved with.")
    refused(caller, 3, "reader", "You issued the key that version 3 was saved with.")
    allowed(caller, 3, "reviewer")


@pytest.mark.parametrize("act", ["proposed", "headed", "reopened"])
def test_the_issuer_of_the_key_of_the_request_cannot_approve(live, caller, act):
    save(live, OTHER, 1)
    key = keys.issue_key(actor=live.actor("admin"), namespace="support", name="CI", scope="write", person="author").key
    by_key, author = Actor(live.people["author"], key), live.actor("author")
    change_services.propose_change(
        actor=by_key if act == "proposed" else author, name=REPLY, label="production", version=2, message=""
    )
    if act == "headed":
        save(live, THIRD, 1)
        change_services.set_head(actor=by_key, number=2, version=3)
    if act == "reopened":
        change_services.withdraw_change(actor=author, number=2, reason="Not needed")
        change_services.reopen_change(actor=by_key, number=2)
    refused(caller, 2, "admin", "You issued the key that ")
    allowed(caller, 2, "reviewer")


def test_proposing_it_again_does_not_hide_who_proposed_it(live, caller):
    save(live, OTHER, 1)
    live.propose(2, role="reviewer")
    change_services.withdraw_change(actor=live.actor("admin"), number=2, reason="Not needed")
    live.propose(2)
    refused(caller, 3, "reviewer", "You proposed this text in change 2.")


def test_an_earlier_head_keeps_its_author(live, caller):
    save(live, OTHER, 1, "reviewer")
    save(live, THIRD, 1)
    live.propose(2)
    change_services.set_head(actor=live.actor("author"), number=2, version=3)
    refused(caller, 2, "reviewer", "You wrote version 2, which this change contains.")


def test_the_reviewer_who_set_the_head_cannot_approve_it(live, caller):
    save(live, OTHER, 1)
    save(live, THIRD, 1)
    live.propose(2)
    change_services.set_head(actor=live.actor("reviewer"), number=2, version=3)
    refused(caller, 2, "reviewer", "You updated this change to version 3.")


def test_saving_the_same_bytes_again_does_not_hide_their_authors(live, caller):
    save(live, OTHER, 1, "reviewer")
    save(live, THIRD, 1)
    save(live, OTHER, 1)
    live.propose(4)
    refused(caller, 2, "reviewer", "You wrote version 2")


def test_going_back_to_served_bytes_in_between_does_not_cut_the_line(live, caller):
    save(live, OTHER, 1, "reviewer")
    save(live, DOCUMENT, 2)
    save(live, OTHER + "\n", 3)
    live.propose(4)
    refused(caller, 2, "reviewer", "You wrote version 2")


def test_a_copy_of_unapproved_text_keeps_its_author(live, caller):
    template_save.save_version(
        actor=live.actor("reviewer"), name="support/draft", document=THIRD, message="", base=None
    )
    template_save.save_version(
        actor=live.actor("author"),
        name="support/fresh",
        document=THIRD,
        message="",
        copied_from="support/draft@1",
    )
    live.propose(1, name="support/fresh")
    refused(caller, 2, "reviewer", "You wrote version 1 of support/draft")


def test_a_copy_of_approved_text_carries_no_names(live, caller):
    origin = f"{REPLY}@1"
    template_save.save_version(
        actor=live.actor("reviewer"), name="support/fresh", document=THIRD, message="", copied_from=origin
    )
    live.propose(1, name="support/fresh", role="reviewer")
    body = caller("admin", session=True).get("changes/2").json()
    assert {one["person"] for one in body["contributors"]} == {"reviewer"}
    allowed(caller, 2, "admin")


def test_an_account_that_a_contributor_made_reviewer_does_not_count(live, caller):
    save(live, OTHER, 1, "admin")
    live.propose(2)
    namespace_services.set_role(actor=live.actor("admin"), namespace="support", username="reader", role="admin")
    refused(caller, 2, "reader", "You have the role admin in support from admin, who contributed to this change")
    User.objects.create(username="friend")
    namespace_services.set_role(actor=live.actor("reader"), namespace="support", username="friend", role="reviewer")
    live.people["friend"] = User.objects.get(username="friend")
    refused(caller, 2, "friend", "You have the role reviewer in support from reader")
    allowed(caller, 2, "reviewer")


def test_a_role_given_before_the_first_version_counts(live, caller):
    namespace_services.set_role(actor=live.actor("admin"), namespace="support", username="reader", role="reviewer")
    save(live, OTHER, 1, "admin")
    live.propose(2)
    allowed(caller, 2, "reader")


def test_an_emergency_keeps_its_contributors_until_it_is_approved(live, caller):
    """The label serves the head already: what counts is what it served before."""
    rules.set_rules(actor=live.actor("admin"), namespace="support", break_glass=True)
    save(live, OTHER, 1, "reviewer")
    live.propose(2)
    emergencies.publish_in_emergency(actor=live.actor("reviewer"), number=2, reason="It burns")
    refused(caller, 2, "reviewer", "You wrote version 2")
    save(live, OTHER + "\n", 2)
    live.propose(3)
    refused(caller, 3, "reviewer", "You wrote version 2")
    allowed(caller, 2, "admin")
    assert caller("reviewer", session=True).get("changes/3").json()["may_approve"] is True


def test_a_rule_lets_suggesters_approve_and_is_named(live, caller):
    rule = {"suggesters_may_approve": True}
    assert (
        caller("admin", session=True)
        .call("PATCH", "namespaces/support", rule)
        .json()["rules"]["suggesters_may_approve"]
    )
    save(live, OTHER, 1)
    live.propose(2)
    place = Place(version=2, line=2)
    threads.open_thread(
        actor=live.actor("reviewer"), number=2, place=place, text="", suggestion="description: Answer it\n"
    )
    suggestions.apply_suggestions(actor=live.actor("author"), number=2, comments=[(1, 1)])
    allowed(caller, 2, "reviewer")
    body = caller("author", session=True).get("changes/2").json()
    exemption = {"person": "reviewer", "rule": "suggesters_may_approve", "why": "suggested lines of version 3"}
    assert body["exemptions"] == [exemption]
    change_services.publish_change(actor=live.actor("author"), number=2)
    assert json.loads(Event.objects.latest("number").text)["body"]["decided"]["exemptions"] == [exemption]
    assert caller("author", session=True).get("changes/2").json()["exemptions"] == [exemption]


def test_a_rule_that_is_off_is_not_part_of_the_event(live):
    rules.set_rules(actor=live.actor("admin"), namespace="support", approvals=2)
    assert "suggesters_may_approve" not in json.loads(Event.objects.latest("number").text)["body"]["rules"]


def test_self_approval_is_named_where_it_made_the_approval_count(live, caller):
    rules.set_rules(actor=live.actor("admin"), namespace="support", self_approval=True)
    save(live, OTHER, 1, "reviewer")
    live.propose(2, role="reviewer")
    allowed(caller, 2, "reviewer")
    change_services.publish_change(actor=live.actor("reviewer"), number=2)
    (exemption,) = json.loads(Event.objects.latest("number").text)["body"]["decided"]["exemptions"]
    assert exemption == {"person": "reviewer", "rule": "self_approval", "why": "proposed this change"}


def test_a_suggestion_of_the_only_possible_reviewer_asks_first(live, caller, stored):
    namespace_services.set_role(actor=live.actor("admin"), namespace="support", username="reader", role="admin")
    namespace_services.set_role(actor=live.actor("reader"), namespace="support", username="admin", role="author")
    save(live, OTHER, 1, "reader")
    live.propose(2)
    reviewer, author = caller("reviewer", session=True), caller("author", session=True)
    reviewer.post("changes/2/threads", {"version": 2, "line": 2, "suggestion": "description: Answer it\n"})
    before, body = stored(), {"comments": [{"thread": 1, "comment": 1}]}
    details = problem(author.post("changes/2/suggestions", body), 409, "conflict")
    assert "Only reviewer may approve this change" in details["detail"]
    assert (details["confirm"], details["people"], stored()) == (True, ["reviewer"], before)
    done = author.post("changes/2/suggestions", {**body, "confirm": True}).json()
    assert done["version"] == 3
    assert "nobody else may approve" in done["blockers"][0]["action"]


def test_merged_suggestions_are_in_the_event_of_the_version(live):
    save(live, OTHER, 1)
    live.propose(2)
    place = Place(version=2, line=2)
    threads.open_thread(
        actor=live.actor("reviewer"), number=2, place=place, text="", suggestion="description: Answer it\n"
    )
    suggestions.apply_suggestions(actor=live.actor("author"), number=2, comments=[(1, 1)])
    saved = Event.objects.filter(kind="version.saved").latest("number")
    assert json.loads(saved.text)["body"]["suggestions"] == [[2, 1, 1]]
