"""The policy with groups, and approvals by label and folder: each refusal, and random rules against a model."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.changes import policy
from registry.changes.contributor_reasons import Reason
from registry.changes.facts import DecisionFacts, GateFacts
from registry.namespaces.rules import ApprovalRule, NamedGroup, Owner, Rules
from tests.support.examples import example_count

DIGEST = "sha256:3"
PEOPLE = ("ada", "ben", "cleo", "dan")
LEGAL, MEDICINE = NamedGroup("Legal", frozenset({"ada", "ben"})), NamedGroup("Medicine", frozenset({"ben", "cleo"}))
FACTS = GateFacts(
    label="production",
    path="refunds/late/reply",
    number=3,
    digest=DIGEST,
    round=1,
    opened_by="author",
    author="author",
    decisions=(),
    reviewers=PEOPLE,
    holds=2,
    holds_digest="sha256:2",
    descends=True,
    archived=False,
    groups={"legal": LEGAL, "medicine": MEDICINE},
)
WROTE = Reason("wrote", "You wrote version 3, which this change contains.", "wrote version 3")


def needing(*groups, **fields):
    return Rules(approvals=1, approval_rules=(ApprovalRule(groups=groups, **fields),))


def approved_by(*people, **changes):
    said = tuple(DecisionFacts(person, "approve", DIGEST, 1, person in FACTS.reviewers) for person in people)
    return replace(FACTS, decisions=said, **changes)


def codes(rules, facts):
    return [blocker.code for blocker in policy.find_blockers(rules, facts, "reader")]


def test_an_approval_by_somebody_else_is_none_of_the_group():
    assert codes(needing("legal"), approved_by("cleo")) == ["group:legal"]
    assert codes(needing("legal"), approved_by("ada")) == []


def test_one_person_speaks_for_each_group_that_they_are_in():
    assert codes(needing("legal", "medicine"), approved_by("ben")) == []
    assert codes(needing("legal", "medicine"), approved_by("ada")) == ["group:medicine"]
    assert codes(needing("legal", "medicine"), approved_by("dan")) == ["group:legal", "group:medicine"]


def test_a_group_asks_even_where_no_number_does():
    rules = replace(needing("legal"), approvals=0)
    assert codes(rules, FACTS) == ["group:legal"]
    assert codes(rules, approved_by("ada")) == []


def test_a_contributor_does_not_speak_for_a_group():
    facts = approved_by("ada", "dan", contributors={"ada": (WROTE,)})
    assert codes(needing("legal"), facts) == ["group:legal"]
    assert codes(replace(needing("legal"), self_approval=True), facts) == []


def test_approvals_of_non_reviewers_do_not_count_for_a_group():
    facts = replace(approved_by("dan"), groups={"legal": NamedGroup("Legal", frozenset({"reader"}))})
    said = (*facts.decisions, DecisionFacts("reader", "approve", DIGEST, 1, is_reviewer=False))
    assert codes(needing("legal"), replace(facts, decisions=said)) == ["group:legal"]


@pytest.mark.parametrize(("digest", "round"), [("sha256:2", 1), (DIGEST, 2)])
def test_an_old_approval_does_not_speak_for_a_group(digest, round):
    facts = replace(FACTS, decisions=(DecisionFacts("ada", "approve", digest, round, is_reviewer=True),))
    assert codes(needing("legal"), facts) == ["approvals", "group:legal"]


def test_nobody_can_approve_for_a_missing_group():
    facts = replace(approved_by(*PEOPLE), groups={})
    (blocker,) = policy.find_blockers(needing("legal"), facts, "")
    assert (blocker.code, blocker.waiting_for) == ("group:legal", ())


@pytest.mark.parametrize(
    ("viewer", "action"),
    [
        ("ada", "Read the change, then approve it or ask for edits."),
        ("cleo", "Ask ada or ben to review it."),
        ("", "Ask ada or ben to review it."),
    ],
)
def test_each_viewer_reads_whom_to_ask(viewer, action):
    (blocker,) = policy.find_blockers(needing("legal"), approved_by("dan"), viewer)
    assert (blocker.cause, blocker.action) == ("Needs an approval from Legal.", action)
    assert blocker.waiting_for == ("ada", "ben")
    assert (blocker.is_by_reviewers, blocker.asks_for_approval) == (True, True)


def test_a_group_in_which_nobody_may_approve_is_told_so():
    facts = replace(approved_by("dan"), contributors={"ada": (WROTE,), "ben": (WROTE,)})
    (blocker,) = policy.find_blockers(needing("legal"), facts, "")
    assert blocker.action == "Ask an admin to put a reviewer into Legal: nobody in it may approve."
    assert policy.lacks_approvers(needing("legal"), facts)
    assert not policy.lacks_approvers(needing("legal"), FACTS)


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"label": "production"}, True),
        ({"label": "staging"}, False),
        ({"folder": "refunds"}, True),
        ({"folder": "refunds/late"}, True),
        ({"folder": "refunds/la"}, False),
        ({"folder": "refunds/late/reply"}, False),
        ({"folder": "delivery"}, False),
        ({"label": "staging", "folder": "refunds"}, False),
    ],
)
def test_a_rule_holds_for_its_label_and_its_folder(fields, holds):
    assert (codes(needing("legal", **fields), approved_by("dan")) == ["group:legal"]) is holds
    more = Rules(approvals=1, approval_rules=(ApprovalRule(approvals=2, **fields),))
    assert (codes(more, approved_by("dan")) == ["approvals"]) is holds


def test_of_all_rules_that_hold_the_strictest_number_and_every_group_count():
    rules = Rules(
        approvals=1,
        approval_rules=(
            ApprovalRule("production", "", 3),
            ApprovalRule("", "refunds", 2, ("legal",)),
            ApprovalRule("", "refunds/late", 0, ("medicine",)),
            ApprovalRule("staging", "", 9, ("other",)),
        ),
    )
    assert rules.count_needed_approvals("production", FACTS.path) == 3
    assert rules.list_required_groups("production", FACTS.path) == ("legal", "medicine")
    (blocker, *_) = policy.find_blockers(rules, FACTS, "")
    assert blocker.cause == "Needs 3 more approvals."


def test_a_rule_never_asks_for_less_than_the_namespace():
    rules = Rules(approvals=2, approval_rules=(ApprovalRule("production", "refunds", 1),))
    assert codes(rules, approved_by("dan")) == ["approvals"]


def owned(*people, groups=()):
    return Rules(approvals=1, owners=(Owner("refunds/*", people, groups),))


def test_an_owner_may_be_a_group():
    assert codes(owned("dan", groups=("legal",)), approved_by("cleo")) == ["owners"]
    assert codes(owned("dan", groups=("legal",)), approved_by("ada")) == []
    assert codes(owned("dan", groups=("legal",)), approved_by("dan")) == []


def test_owners_are_named_by_account_and_by_title_and_asked_by_account():
    (blocker,) = policy.find_blockers(owned("dan", groups=("legal",)), approved_by("cleo"), "")
    assert blocker.cause == "An owner of refunds/late/reply has to approve: dan, Legal."
    assert blocker.action == "Ask dan or ada or ben."


def test_an_owning_group_without_people_shuts_the_gate():
    facts = replace(approved_by("cleo"), groups={"legal": NamedGroup("Legal")})
    (blocker,) = policy.find_blockers(owned(groups=("legal",)), facts, "")
    assert (blocker.code, blocker.waiting_for) == ("owners", ())
    assert policy.lacks_approvers(owned(groups=("legal",)), facts)


def test_an_owner_without_anybody_asks_for_nobody():
    assert codes(owned(), approved_by("cleo")) == []


GROUPS = {"legal": LEGAL, "medicine": MEDICINE, "nobody": NamedGroup("Nobody")}
rule = st.builds(
    ApprovalRule,
    st.sampled_from(("", "production", "staging")),
    st.sampled_from(("", "refunds", "refunds/late", "delivery")),
    st.integers(0, 3),
    st.lists(st.sampled_from(tuple(GROUPS)), max_size=2, unique=True).map(tuple),
)
people = st.lists(st.sampled_from(PEOPLE), unique=True)
labels = st.sampled_from(("production", "staging"))


@settings(max_examples=example_count(2))
@given(number=st.integers(0, 3), rules=st.lists(rule, max_size=4), said=people, hands=people, able=people, label=labels)
def test_nothing_is_published_without_every_group_and_every_number(number, rules, said, hands, able, label):
    """Whatever the rules: the gate is open exactly when each of them is met by approvals that count."""
    facts = replace(
        FACTS,
        label=label,
        reviewers=tuple(able),
        decisions=tuple(DecisionFacts(person, "approve", DIGEST, 1, person in able) for person in said),
        contributors=dict.fromkeys(hands, (WROTE,)),
        groups=GROUPS,
    )
    counting = set(said) & set(able) - set(hands)
    met = len(counting) >= number
    for one in rules:
        if one.label in ("", label) and f"{FACTS.path}/".startswith(f"{one.folder}/" if one.folder else ""):
            met = met and len(counting) >= one.approvals
            met = met and all(counting & GROUPS[group].people for group in one.groups)
    ours = Rules(approvals=number, approval_rules=tuple(rules))
    assert (codes(ours, facts) == []) is met
    assert policy.count_approvals(ours, facts).is_enough is met
