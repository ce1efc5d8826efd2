"""What an approval is worth after later events: other moves, redactions, roles, emergencies,
copies and late verdicts."""

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.changes import decisions, emergencies, gate
from registry.changes import queries as changes_query
from registry.changes import rules as change_rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest, Verdict
from registry.core.errors import ApprovalRequired, Conflict, NotAllowed
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.namespaces.verbs import Verb
from registry.redaction import services as redaction_services
from registry.templates import labels, version_queries
from registry.templates import save as template_save
from registry.templates.label_models import Label
from registry.templates.label_moves import Approval, find_approval_of_label
from registry.templates.models import Version

NAME = "support/reply"


@pytest.fixture
def limited(admin, author, support):
    """Ask for a version with a read key, which gets approved versions only."""
    issued = keys.issue_key(actor=admin, namespace="support", name="shop", scope="read", person="author")

    def ask(ref):
        key = Key.objects.select_related("namespace").get(pk=issued.key.pk)
        return version_queries.resolve_version(Actor(author.person, key), NAME, ref).number

    return ask


@pytest.fixture
def second(operator, support):
    """Another reviewer."""
    User.objects.create(username="second")
    namespace_services.set_role(actor=operator, namespace="support", username="second", role="reviewer")
    return Actor(User.objects.get(username="second"))


@pytest.fixture
def rule(admin, support):
    """Set rules of the namespace; return the opened changes."""
    return lambda **rules: change_rules.set_rules(actor=admin, namespace="support", **rules).opened


@pytest.fixture
def back(second):
    """Roll production back."""

    def run(version):
        return labels.roll_back_label(actor=second, name=NAME, label="production", version=version, reason="It erred")

    return run


@pytest.fixture
def emergency(save, publish, propose, reviewer, rule):
    """Version 1 was approved; version 2 was published in an emergency by this change."""
    rule(break_glass=True)
    publish(save("one"))
    change = propose(save("two"))
    return emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="It can't wait")


def state_of(change):
    return ChangeRequest.objects.get(pk=change.pk).state


def gate_of(change, actor):
    return gate.evaluate(changes_query.find_change(actor, Verb.READ, change.pk), actor)


class TestLostApprovals:
    """The reviewer wrote version 2, which is live, and approved version 3 on top of it."""

    @pytest.fixture
    def change(self, save, publish, propose, approve, author, reviewer, second, limited):
        publish(save("one"))
        live = propose(save("two", actor=reviewer))
        approve(live, actor=second)
        change_services.publish_change(actor=author, number=live.number)
        change = propose(save("three"))
        approve(change)
        assert limited("3") == 3
        return change

    def require_open(self, change, limited, second):
        assert gate_of(change, second).approval_status.approvals == ()
        assert state_of(change) == ChangeRequest.OPEN
        with pytest.raises(NotAllowed, match="not approved"):
            limited("3")

    def test_a_roll_back_makes_the_change_contain_the_reviewers_version(self, change, limited, second, back):
        back(1)
        self.require_open(change, limited, second)

    def test_so_does_a_redaction_of_what_the_label_serves(self, change, limited, second, admin):
        redaction_services.redact_version(actor=admin, name=NAME, version=2, reason="Names", force=True)
        self.require_open(change, limited, second)

    def test_an_approval_comes_to_count_by_a_roll_back_too(self, change, second, back, reviewer, author):
        back(1)
        labels.roll_back_label(actor=reviewer, name=NAME, label="production", version=2, reason="It was right")
        assert state_of(change) == ChangeRequest.APPROVED
        assert change_services.publish_change(actor=author, number=change.number).state == ChangeRequest.PUBLISHED


def test_a_role_that_a_contributor_gives_back_revives_no_approval(save, propose, approve, admin, second, limited):
    change = propose(save("one", actor=admin))
    approve(change)
    for role in ("author", "reviewer"):
        namespace_services.set_role(actor=admin, namespace="support", username="reviewer", role=role)
        assert gate_of(change, second).approval_status.approvals == ()
        assert state_of(change) == ChangeRequest.OPEN
        with pytest.raises(NotAllowed, match="not approved"):
            limited("1")


class TestAClosedEmergency:
    @pytest.fixture
    def closed(self, emergency, back, second):
        back(1)
        emergencies.close_emergency(actor=second, number=emergency.number, reason="It is gone")
        return emergency

    def test_it_is_not_an_emergency_where_its_version_is_served_when_the_label_is_protected(self, closed, author, rule):
        rule(protected_labels=[])
        labels.move_label(actor=author, name=NAME, label="production", version=2, expected=1)
        [opened] = rule(protected_labels=["production"])
        label = Label.objects.select_related("template__namespace").get(name="production")
        assert find_approval_of_label(label.template, "production") == Approval.NEVER_APPROVED
        assert opened.version.number == 2

    @pytest.mark.parametrize("decision", ["approve", "request_changes", "acknowledge"])
    def test_it_takes_no_decision(self, closed, reviewer, decision, limited):
        digest = closed.version.digest
        with pytest.raises(Conflict):
            decisions.decide_on_change(
                actor=reviewer, number=closed.number, decision=decision, digest=digest, text="Late"
            )
        with pytest.raises(NotAllowed):
            limited("2")

    def test_a_comment_in_it_approves_nothing(self, closed, reviewer, back, limited):
        digest = closed.version.digest
        decisions.decide_on_change(actor=reviewer, number=closed.number, decision="comment", digest=digest, text="Good")
        with pytest.raises(NotAllowed):
            limited("2")
        with pytest.raises(ApprovalRequired):
            back(2)


class TestAnEmergencyThatAnotherChangeApproved:
    @pytest.fixture
    def approved(self, emergency, back, propose, approve, author):
        back(1)
        change = propose(Version.objects.get(number=2))
        approve(change)
        change_services.publish_change(actor=author, number=change.number)
        return emergency

    def test_its_bytes_are_served_by_approval(self, approved, author, limited):
        assert limited("2") == 2
        assert emergencies.list_served_emergencies(author) == {}
        [found] = emergencies.list_unapproved(author)
        assert not found.is_served

    def test_it_can_be_closed(self, approved, author, second):
        emergencies.close_emergency(actor=second, number=approved.number, reason="Another change approved it")
        assert emergencies.list_unapproved(author) == []


def test_an_approved_change_published_while_its_label_was_not_protected_approves_nothing(
    save, publish, propose, approve, author, rule, limited, back
):
    publish(save("one"))
    change = propose(save("two"))
    approve(change)
    rule(protected_labels=["other"])
    change_services.publish_change(actor=author, number=change.number)
    [opened] = rule(protected_labels=["production"])
    assert (opened.version.number, limited("production")) == (2, 2)
    with pytest.raises(NotAllowed, match="not approved"):
        limited("2")
    back(1)
    with pytest.raises(ApprovalRequired):
        back(2)


def test_a_verdict_that_comes_late_is_not_part_of_a_closed_request(save, propose, admin, rule):
    rule(required_checks=["problems"])
    change = propose(save("one"))
    change_services.withdraw_change(actor=admin, number=change.number, reason="Not needed")
    before = gate_of(change, admin).checks
    problems = next(check for check in before if check.name == "problems")
    assert (problems.outcome, problems.findings) == (None, ())
    facts = {"template": change.template, "version": change.version, "check_name": "problems", "key": problems.key}
    details = '[{"message": "Late"}]'
    Verdict.objects.create(
        **facts, outcome="failed", summary="One problem", details=details, created_at=change.created_at
    )
    assert gate_of(change, admin).checks == before


@pytest.mark.parametrize("rules", [{"approvals": 0}, {"self_approval": True}])
def test_a_copy_of_what_one_person_published_elsewhere_keeps_its_author(
    save, propose, approve, author, reviewer, rules
):
    namespace_services.create_namespace(
        actor=reviewer, name="scratch", protected_labels=["production"], required_checks=[], **rules
    )
    origin = save("one", name="scratch/reply", actor=reviewer)
    change = change_services.propose_change(
        actor=reviewer, name="scratch/reply", label="production", version=1, message=""
    )
    if "self_approval" in rules:
        approve(change)
    change_services.publish_change(actor=reviewer, number=change.number)
    namespace_services.set_role(actor=reviewer, namespace="scratch", username="author", role="reader")
    document = origin.document.replace("Answer one", "Answer well")
    copied = template_save.save_version(
        actor=author, name=NAME, document=document, message="", copied_from="scratch/reply@1"
    )
    with pytest.raises(NotAllowed, match="version 1 of scratch/reply"):
        approve(propose(copied.version))
