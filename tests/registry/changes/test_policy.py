"""The policy of changes, from facts alone: which approvals count and what blocks."""

from dataclasses import replace

import pytest

from registry.changes import policy
from registry.changes.contributor_reasons import Reason
from registry.changes.facts import DecisionFacts, GateFacts
from registry.namespaces.rules import ApprovalRule, Owner, Rules

D2, D3 = "sha256:2", "sha256:3"
FACTS = GateFacts(
    label="production",
    path="refunds/reply",
    number=3,
    digest=D3,
    round=1,
    opened_by="author",
    author="author",
    decisions=(),
    reviewers=("admin", "reviewer"),
    holds=2,
    holds_digest=D2,
    descends=True,
    archived=False,
    contributors={"author": (Reason("opened", "You proposed this change.", "proposed this change"),)},
)
WROTE = Reason("wrote", "You wrote version 3, which this change contains.", "wrote version 3")
SUGGESTED = Reason(
    "suggested", "Your suggestion is in version 3, which this change contains.", "suggested lines of version 3"
)


def said(person, decision="approve", digest=D3, round=1, is_reviewer=True):
    return DecisionFacts(person, decision, digest, round, is_reviewer)


def codes(rules, facts, viewer="reader"):
    return [blocker.code for blocker in policy.find_blockers(rules, facts, viewer)]


def with_decisions(*decisions):
    return replace(FACTS, decisions=decisions)


def test_one_approval_opens_the_gate():
    assert codes(Rules(), FACTS) == ["approvals"]
    assert codes(Rules(), with_decisions(said("reviewer"))) == []


def test_two_approvals_are_two_persons():
    assert codes(Rules(approvals=2), with_decisions(said("reviewer"), said("reviewer"))) == ["approvals"]
    assert codes(Rules(approvals=2), with_decisions(said("reviewer"), said("admin"))) == []


@pytest.mark.parametrize(
    "voice",
    [
        said("reviewer", digest=D2),
        said("reviewer", round=2),
        said("reviewer", is_reviewer=False),
        said("reviewer", "comment"),
        said("author"),
    ],
    ids=["another digest", "another round", "no reviewer any more", "only a comment", "one's own"],
)
def test_decisions_that_do_not_approve_the_head(voice):
    assert codes(Rules(), with_decisions(voice)) == ["approvals"]


def test_one_who_wrote_the_version_does_not_count_although_another_opened():
    facts = replace(with_decisions(said("reviewer")), contributors={"reviewer": (WROTE,)})
    assert codes(Rules(), facts) == ["approvals"]


def test_open_threads_block_only_where_the_rules_want_all_resolved():
    facts = replace(with_decisions(said("reviewer")), open_threads=2)
    assert codes(Rules(), facts) == []
    assert codes(Rules(threads_resolved=True), facts) == ["threads"]
    assert codes(Rules(threads_resolved=True), replace(facts, open_threads=0)) == []
    assert codes(Rules(threads_resolved=True), replace(facts, unreviewed=True)) == []


def test_self_approval_counts_where_the_rules_allow_it():
    assert codes(Rules(self_approval=True), with_decisions(said("author"))) == []


def test_an_objection_blocks_until_its_person_approves():
    objection = said("admin", "request_changes")
    assert codes(Rules(), with_decisions(said("reviewer"), objection)) == ["objection"]
    assert codes(Rules(), with_decisions(said("reviewer"), objection, said("admin"))) == []


def test_the_last_word_counts():
    assert codes(Rules(), with_decisions(said("reviewer"), said("reviewer", "request_changes"))) == [
        "objection",
        "approvals",
    ]


def test_a_persons_own_decision_is_the_last_about_this_head_in_this_round():
    def own(*decisions):
        return policy.find_own_decision(with_decisions(*decisions), "reviewer")

    assert own(said("reviewer")) == "approve"
    assert own(said("reviewer"), said("reviewer", "request_changes")) == "request_changes"
    assert own(said("reviewer", round=0)) == ""
    assert own(said("reviewer", digest=D2)) == ""
    assert own(said("admin")) == ""
    assert own(said("reviewer"), said("reviewer", "take_back")) == ""


@pytest.mark.parametrize("word", ["comment", "acknowledge"])
def test_words_that_decide_nothing_leave_a_persons_own_decision(word):
    facts = with_decisions(said("reviewer"), said("reviewer", word))
    assert policy.find_own_decision(facts, "reviewer") == "approve"


@pytest.mark.parametrize(
    ("rule", "is_too_few"),
    [
        (ApprovalRule("production", "refunds", approvals=3), True),
        (ApprovalRule("staging", "", approvals=3), False),
        (ApprovalRule("", "billing", approvals=3), False),
        (ApprovalRule("", "", approvals=2), False),
    ],
)
def test_too_few_approvers_are_counted_for_the_label_and_the_path_of_the_change(rule, is_too_few):
    rules = Rules(approval_rules=(rule,))
    assert policy.lacks_approvers(rules, FACTS) is is_too_few
    assert policy.lacks_approvers(rules, FACTS, ("admin", "reviewer"))


def test_an_owner_has_to_be_among_the_approvers():
    rules = Rules(owners=(Owner("refunds/*", ("admin",)),))
    assert codes(rules, with_decisions(said("reviewer"))) == ["owners"]
    assert codes(rules, with_decisions(said("admin"))) == []
    assert codes(rules, replace(with_decisions(said("reviewer")), path="greeting")) == []


def test_no_approval_needed_means_none():
    assert codes(Rules(approvals=0), FACTS) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [({"archived": True}, "archived"), ({"holds_digest": D3}, "held"), ({"descends": False}, "diverged")],
)
def test_the_label_itself_may_be_in_the_way(change, code):
    assert codes(Rules(), replace(with_decisions(said("reviewer")), **change)) == [code]


def test_a_closed_request_waits_for_nothing():
    assert codes(Rules(), replace(FACTS, closed=True)) == []


@pytest.mark.parametrize(
    ("viewer", "action"),
    [
        ("reviewer", "Read the change, then approve it or ask for edits."),
        ("author", "Ask admin or reviewer to review it."),
        ("", "Ask admin or reviewer to review it."),
    ],
)
def test_each_viewer_reads_their_own_next_action(viewer, action):
    (blocker,) = policy.find_blockers(Rules(), FACTS, viewer)
    assert (blocker.cause, blocker.action) == ("Needs 1 more approval.", action)
    assert blocker.waiting_for == ("admin", "reviewer")


def test_a_namespace_without_another_reviewer_is_told_so():
    facts = replace(FACTS, reviewers=("author",))
    (blocker,) = policy.find_blockers(Rules(), facts, "author")
    assert "nobody else may approve" in blocker.action
