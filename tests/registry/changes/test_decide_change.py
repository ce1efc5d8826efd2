"""Decisions on a change: approving, requesting edits, taking back, and whose approval counts."""

import json

import pytest

from registry.accounts.actor import Actor
from registry.changes import decisions, rules
from registry.changes import services as change_services
from registry.changes.models import Decision
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.namespaces import keys
from registry.namespaces import services as namespace_services


def decide(actor, change, decision, text="", digest=None):
    digest = digest or change.version.digest
    return decisions.decide_on_change(actor=actor, number=change.number, decision=decision, digest=digest, text=text)


def test_one_approval_makes_it_approved(reviewer, propose, save):
    change = propose(save("one"))
    said = decide(reviewer, change, "approve")
    change.refresh_from_db()
    assert change.state == "approved"
    assert (said.label, said.digest, said.round, said.number) == ("production", change.version.digest, 1, 1)


def test_a_stale_digest_is_refused(author, reviewer, propose, save):
    first = save("one")
    change = propose(first)
    change_services.set_head(actor=author, number=change.number, version=save("two").number)
    with pytest.raises(Conflict, match="proposes version 2 now"):
        decide(reviewer, change, "approve", digest=first.digest)
    assert not Decision.objects.exists()


def test_a_new_head_voids_approvals_and_so_does_going_back(author, propose, approve, save):
    first, second = save("one"), save("two")
    change = propose(first)
    approve(change)
    for version in (second, first):
        change = change_services.set_head(actor=author, number=change.number, version=version.number)
        assert change.state == "open"
    approve(change)
    change.refresh_from_db()
    assert (change.round, change.state) == (3, "approved")


def test_one_s_own_is_not_approved(reviewer, propose, save):
    change = propose(save("one", actor=reviewer), actor=reviewer)
    with pytest.raises(NotAllowed, match="You proposed this change"):
        decide(reviewer, change, "approve")


def test_one_s_own_version_is_not_approved_although_another_proposed_it(author, reviewer, propose, save):
    change = propose(save("one", actor=reviewer), actor=author)
    with pytest.raises(NotAllowed, match="You wrote version 1"):
        decide(reviewer, change, "approve")


def test_self_approval_where_the_rules_allow_it(admin, reviewer, propose, save):
    rules.set_rules(actor=admin, namespace="support", self_approval=True)
    change = propose(save("one", actor=reviewer), actor=reviewer)
    decide(reviewer, change, "approve")
    change.refresh_from_db()
    assert change.state == "approved"


def test_an_author_approves_nothing(author, propose, save, admin):
    change = propose(save("one", actor=admin), actor=admin)
    with pytest.raises(NotAllowed, match="role reviewer"):
        decide(author, change, "approve")


@pytest.mark.parametrize("role", ["reviewer", "admin"])
def test_a_key_approves_nothing_whoever_it_acts_for(admin, reviewer, propose, save, role):
    person = {"reviewer": reviewer, "admin": admin}[role].person
    key = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write", person=role).key
    change = propose(save("one"))
    with pytest.raises(NotAllowed, match="A key can't approve"):
        decide(Actor(person, key), change, "approve")


def test_no_command_approves(operator, propose, save):
    with pytest.raises(NotAllowed, match="never by a command"):
        decide(operator, propose(save("one")), "approve")


def test_an_objection_needs_words_and_holds_the_request(admin, reviewer, propose, save):
    change = propose(save("one"))
    with pytest.raises(Invalid, match="write something"):
        decide(admin, change, "request_changes")
    decide(admin, change, "request_changes", "Too long")
    decide(reviewer, change, "approve")
    change.refresh_from_db()
    assert change.state == "open"


def test_comments_decide_nothing_and_stay_possible_after_the_end(author, propose, publish, save):
    change = publish(save("one"))
    decide(author, change, "comment", "Thanks")
    change.refresh_from_db()
    assert change.state == "published"


def test_a_closed_request_takes_no_decision(author, reviewer, propose, save):
    change = propose(save("one"))
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    with pytest.raises(Conflict, match="is withdrawn"):
        decide(reviewer, change, "approve")


def test_words_enter_the_journal_by_their_digest(reviewer, propose, save):
    decide(reviewer, propose(save("one")), "request_changes", "Secret words")
    event = Event.objects.latest("number")
    assert "Secret" not in event.text
    assert json.loads(event.text)["body"]["text"].startswith("sha256:")


def test_other_decisions_are_refused(reviewer, propose, save):
    with pytest.raises(Invalid, match="one of approve"):
        decide(reviewer, propose(save("one")), "reject")


def test_an_outsider_learns_nothing(outsider, propose, save):
    with pytest.raises(NotFound, match="no change 1"):
        decide(outsider, propose(save("one")), "approve")


def test_stricter_rules_reopen_what_was_approved(admin, propose, approve, save):
    change = propose(save("one"))
    approve(change)
    rules.set_rules(actor=admin, namespace="support", approvals=2)
    change.refresh_from_db()
    assert change.state == "open"


def test_a_former_reviewer_does_not_count(admin, propose, approve, save):
    change = propose(save("one"))
    approve(change)
    namespace_services.set_role(actor=admin, namespace="support", username="reviewer", role="reader")
    change.refresh_from_db()
    assert change.state == "open"
