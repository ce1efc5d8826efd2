"""The gate of many changes: the same result as for each alone, in a constant number of queries."""

from dataclasses import replace
from typing import Any

import pytest

from registry.accounts.actor import Actor
from registry.changes import check_results, decisions, review_requests, rules
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes import services as writing
from registry.changes.facts import ApprovalStatus
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict
from registry.namespaces import keys
from registry.releases import gate as release_gate
from registry.templates import save as template_save
from tests.support.recorded_rows import write_or_insert


def look(actor, number):
    """The gate of one request, for this person."""
    return change_gate.evaluate(change_queries.get_change(actor, number), actor)


@pytest.fixture
def requests(author, reviewer, save):
    """Four requests: untouched, sent back, approved, withdrawn."""
    write_or_insert("four requests", lambda: _write_requests(author, reviewer, save))


def _write_requests(author, reviewer, save):
    for name in ("one", "two", "three", "four"):
        save(name, name=f"support/{name}")
        writing.propose_change(actor=author, name=f"support/{name}", label="production", version=1, message=name)
    for number, decision in ((2, "request_changes"), (3, "approve")):
        digest = change_queries.get_change(author, number).version.digest
        decisions.decide_on_change(actor=reviewer, number=number, decision=decision, digest=digest, text="So.")
    writing.withdraw_change(actor=author, number=4, reason="Not needed")


def test_many_are_judged_like_each_one(requests, author, reviewer, admin):
    rules.set_rules(actor=admin, namespace="support", required_checks=["problems", "contract"])
    for actor in (author, reviewer):
        rows = change_queries.list_changes(actor, state="pending").items
        for gate in change_gate.evaluate_many(rows, actor):
            alone = change_gate.evaluate(change_queries.get_change(actor, gate.change.number), actor)
            assert replace(gate, change=alone.change) == alone


def test_a_request_waits_on_the_one_whose_turn_it_is(requests, author, reviewer, reader):
    assert [gate.change.number for gate in change_gate.evaluate_pending(reviewer) if gate.waits_on("reviewer")] == [1]
    assert release_gate.count_waiting(change_gate.evaluate_pending(author), author.person.username) == 2
    assert release_gate.count_waiting(change_gate.evaluate_pending(reader), reader.person.username) == 0


def test_pending_gates_are_in_the_order_of_their_turns_and_for_the_viewer(requests, reviewer):
    gates = change_gate.evaluate_pending(reviewer)
    assert [gate.change.number for gate in gates] == [1, 2, 3]
    assert {gate.actor for gate in gates} == {reviewer}
    decisions.decide_on_change(
        actor=reviewer, number=1, decision="request_changes", digest=gates[0].change.version.digest, text="So."
    )
    assert [gate.change.number for gate in change_gate.evaluate_pending(reviewer)] == [2, 3, 1]


def test_a_closed_request_waits_on_nobody(requests, author):
    (gate,) = change_gate.evaluate_many(change_queries.list_changes(author, state="withdrawn").items, author)
    assert (gate.turn, gate.blockers) == (None, ())
    assert {check.name: check.outcome for check in gate.checks}["problems"] is None
    assert (gate.approvals, gate.group_approvals, gate.exemptions) == ((), (), ())
    assert (gate.inputs, gate.versions_between, gate.last_decision) == (None, (), 0)
    assert gate.actor == author
    assert gate.needed == gate.rules.count_needed_approvals("production", "support/four") == 1
    assert gate.approval_status == ApprovalStatus((), (), 0, ())


def test_a_published_request_keeps_the_approvals_that_it_was_decided_on(author, save, publish):
    number = publish(save("one")).number
    gate = look(author, number)
    assert [approval.person for approval in gate.approvals] == ["reviewer"]
    assert gate.approval_status == ApprovalStatus(("reviewer",), (), 0, ())
    assert (gate.actor, gate.needed, gate.exemptions, gate.versions_between) == (author, 1, (), ())


def test_a_closed_request_of_before_decisions_were_kept_has_no_approvals(author, save, publish):
    number = publish(save("one")).number
    ChangeRequest.objects.filter(number=number).update(decided=None)
    gate = look(author, number)
    assert (gate.approvals, gate.checks, gate.needed, gate.exemptions) == ((), (), 1, ())
    assert gate.approval_status == ApprovalStatus((), (), 0, ())


def test_a_review_that_was_asked_for_is_awaited_until_the_request_is_closed(author, change):
    review_requests.ask_for_review(actor=author, number=change.number, person="reviewer")
    assert look(author, change.number).awaited_reviewers == ("reviewer",)
    writing.withdraw_change(actor=author, number=change.number, reason="Not needed")
    gate = look(author, change.number)
    assert gate.awaited_reviewers == ()
    assert not gate.waits_on("reviewer")


def test_decisions_are_listed_oldest_first(author, reviewer, change, approve):
    digest = change.version.digest
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="comment", digest=digest, text="Why?")
    approve(change)
    said = look(author, change.number).decisions
    assert [(it.person, it.decision) for it in said] == [("reviewer", "comment"), ("reviewer", "approve")]


def test_one_more_decision_is_counted_as_the_gate_of_a_moment_later_has_it(reviewer, change, approve):
    before = look(reviewer, change.number)
    after = before.with_decision(approve(change))
    later = look(reviewer, change.number)
    assert after.decisions == later.decisions
    assert [approval.person for approval in after.approvals] == ["reviewer"]
    assert (after.approvals, after.approval_status) == (later.approvals, later.approval_status)
    assert (after.last_decision, after.exemptions) == (later.last_decision, later.exemptions)


def test_a_refusal_to_approve_has_a_reason(requests, author, reader, reviewer, operator, admin):
    by_key = Actor(reviewer.person, keys.issue_key(actor=admin, namespace="support", name="shop", scope="write").key)
    assert look(reviewer, 1).may_approve
    refusals = {
        reader: "Approving in support needs the role reviewer.",
        by_key: "A key can't approve: sign in as a person to do this.",
        operator: "Approving is done by a person who signed in, never by a command.",
        None: "Approving is done by a person who signed in, never by a command.",
    }
    for actor, refusal in refusals.items():
        gate = change_gate.evaluate(change_queries.get_change(author, 1), actor)
        assert (gate.refusal, gate.may_approve) == (refusal, False)
    assert look(reviewer, 4).refusal == "Change 4 is withdrawn."


def test_a_key_that_may_publish_but_not_read_hears_of_no_text(author, admin, save, propose, approve, publish):
    """What a check found quotes the document; a key learns which check it was and where a person sees more."""
    publish(save("one"))
    rules.set_rules(actor=admin, namespace="support", compatibility="backward")
    document = "---\ninputs: {question: {type: string}, secret_tone: {type: string}}\n---\n- name: q\n  content: Hi\n"
    version = ChangeRequest.objects.get().version
    saved = template_save.save_version(
        actor=author, name="support/reply", document=document, message="", base=version.digest
    )
    change = propose(saved.version)
    approve(change)
    check_results.run_checks(number=change.number)
    for verbs, is_told in ((["publish"], False), (["publish", "read"], True)):
        issued = keys.issue_key(actor=admin, namespace="support", name=verbs[-1], verbs=verbs, person="author")
        with pytest.raises(Conflict) as refused:
            writing.publish_change(actor=Actor(author.person, issued.key), number=change.number)
        blockers: Any = refused.value.facts["blockers"]
        (blocker,) = [it for it in blockers if it["code"] == "check:contract"]
        assert ("secret_tone" in str(blocker)) is is_told
        if not is_told:
            assert blocker["cause"] == "The check contract has not passed."
            assert blocker["action"] == "A person sees why on the change's page."


def test_the_cost_does_not_grow_with_the_requests(requests, author, save, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        assert len(change_gate.evaluate_pending(author)) == 3
    for name in ("five", "six", "seven"):
        save(name, name=f"support/{name}")
        writing.propose_change(actor=author, name=f"support/{name}", label="production", version=1, message=name)
    with django_assert_max_num_queries(16):
        assert len(change_gate.evaluate_pending(author)) == 6
