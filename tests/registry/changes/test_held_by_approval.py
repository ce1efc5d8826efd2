"""What counts as held by approval: roll back, limited keys, and labels that become protected."""

import json

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.changes import emergencies, gate
from registry.changes import rules as change_rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import ApprovalRequired, Conflict, Gone, Invalid, NotAllowed
from registry.journal.models import Event
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.redaction import services as redaction_services
from registry.templates import archive, labels, version_queries
from registry.templates.approved_versions import list_approved_digests
from registry.templates.label_models import Label, LabelMove
from registry.templates.label_moves import Approval, find_approval_of_label
from tests.support.recorded_rows import write_or_insert

NAME = "support/reply"


@pytest.fixture
def protect(admin):
    """Set the protected labels of the namespace; return the opened changes."""
    return lambda *names: change_rules.set_rules(actor=admin, namespace="support", protected_labels=list(names)).opened


@pytest.fixture
def move(author):
    """Move an unprotected label of the template."""

    def run(version, label="staging", name=NAME):
        held = Label.objects.filter(template__name=name, name=label).first()
        number = held.version.number if held else None
        return labels.move_label(actor=author, name=name, label=label, version=version, expected=number)

    return run


@pytest.fixture
def back(reviewer):
    """Roll a label back."""

    def run(version, label="staging", actor=None, name=NAME):
        return labels.roll_back_label(
            actor=actor or reviewer, name=name, label=label, version=version, reason="It erred"
        )

    return run


@pytest.fixture
def finish(approve, author):
    """Approve and publish a change request."""

    def run(change):
        approve(change)
        return change_services.publish_change(actor=author, number=change.number)

    return run


@pytest.fixture
def limited(admin, author, support):
    """A read key that gets approved versions only."""
    issued = keys.issue_key(actor=admin, namespace="support", name="shop", scope="read", person="author")

    def ask(ref, name=NAME):
        key = Key.objects.select_related("namespace").get(pk=issued.key.pk)
        return version_queries.resolve_version(Actor(author.person, key), name, ref).number

    return ask


@pytest.fixture
def opened_changes(save, move, protect):
    """The changes opened by protecting staging, after it moved to 1, 2 and 1 again without approval."""

    def write() -> list[int]:
        save("one"), save("two")
        move(1), move(2), move(1)
        return [change.number for change in protect("production", "staging")]

    numbers = write_or_insert("staging that was protected late", write)
    return [ChangeRequest.objects.get(number=number) for number in numbers]


def approval_of(label="staging", name=NAME):
    row = Label.objects.select_related("template__namespace").get(template__name=name, name=label)
    return find_approval_of_label(row.template, label)


def test_a_write_key_cannot_bring_a_protected_label_to_what_nobody_approved(admin, reviewer, opened_changes, back):
    issued = keys.issue_key(actor=admin, namespace="support", name="ci", person="reviewer", verbs=["roll_back", "read"])
    for actor in (Actor(reviewer.person, issued.key), reviewer, admin):
        with pytest.raises(ApprovalRequired, match="held version 2 without an approval"):
            back(2, actor=actor)
    assert Label.objects.get().version.number == 1


def test_protecting_a_label_shows_limited_keys_nothing_that_it_held_before(opened_changes, limited):
    for ref in ("1", "2", "latest"):
        with pytest.raises(NotAllowed, match="not approved"):
            limited(ref)
    assert limited("staging") == 1


def test_the_digest_of_what_the_label_serves_unapproved_stays_refused(opened_changes, limited):
    digest = Label.objects.get().version.digest
    with pytest.raises(NotAllowed, match="not approved"):
        limited(digest)


def test_protecting_opens_a_change_for_what_the_label_serves(admin, opened_changes):
    [change] = opened_changes
    assert (change.template.name, change.label, change.version.number) == (NAME, "staging", 1)
    assert (change.opened_by, change.state) == (admin.person, ChangeRequest.OPEN)
    kinds = list(Event.objects.order_by("-number").values_list("kind", flat=True)[:2])
    assert kinds == ["change.proposed", "namespace.ruled"]
    assert approval_of() == Approval.NEVER_APPROVED


def test_only_approvals_are_missing(reviewer, opened_changes):
    [change] = opened_changes
    assert [blocker.code for blocker in gate.evaluate(change, reviewer).blockers] == ["approvals"]
    [listed] = gate.evaluate_pending(reviewer)
    assert [blocker.code for blocker in listed.blockers] == ["approvals"]


def test_publishing_it_approves_what_the_label_serves(opened_changes, finish, limited):
    finish(opened_changes[0])
    move = LabelMove.objects.latest("pk")
    assert (move.before.number, move.after.number, move.how, move.protected) == (1, 1, "published", True)
    assert approval_of() == Approval.APPROVED
    assert limited("1") == 1


def test_an_approved_change_for_it_lets_limited_keys_read_it_immediately(opened_changes, approve, limited):
    approve(opened_changes[0])
    assert limited("1") == 1


def test_the_admin_who_protects_does_not_approve(admin, opened_changes, approve):
    with pytest.raises(NotAllowed, match="You proposed this change"):
        approve(opened_changes[0], actor=admin)


def test_a_version_that_was_never_approved_is_no_rollback_target(opened_changes, save, author, finish, back):
    save("three")
    finish(change_services.propose_change(actor=author, name=NAME, label="staging", version=3, message=""))
    with pytest.raises(ApprovalRequired, match="without an approval"):
        back(1)


def test_moves_before_the_protection_are_not_targets_even_with_the_same_bytes(save, move, protect, back):
    save("one"), save("two"), save("one")
    move(1), move(2)
    protect("production", "staging")
    for number in (1, 3):
        with pytest.raises(ApprovalRequired, match="without an approval"):
            back(number)


def test_equal_bytes_under_another_number_are_held_by_approval_too(publish, save, back, limited):
    publish(save("one")), publish(save("two"))
    save("one")
    assert limited("3") == 3
    assert back(3, "production").version.number == 3
    assert LabelMove.objects.latest("pk").protected


def test_an_unprotected_label_goes_back_to_anything_it_held(save, move, back):
    save("one"), save("two")
    move(1), move(2)
    assert back(1).version.number == 1
    assert not LabelMove.objects.filter(protected=True).exists()


def test_another_labels_approval_is_not_a_target(publish, save, move, protect, back):
    publish(save("one"))
    save("two")
    move(1), move(2)
    protect("production", "staging")
    with pytest.raises(ApprovalRequired, match="without an approval"):
        back(1)


def test_an_approved_version_on_an_unprotected_label_is_approved_by_the_other(publish, save, move, limited):
    publish(save("one"))
    save("two")
    move(2)
    assert limited("1") == 1
    with pytest.raises(NotAllowed):
        limited("staging")


class TestProtectedAgain:
    @pytest.fixture
    def loosened(self, publish, save, protect):
        """production held 1 and 2 by approval and is protected no more; 3 is there."""

        def write() -> None:
            publish(save("one")), publish(save("two"))
            save("three")
            protect()

        write_or_insert("production that was loosened", write)

    def test_a_version_moved_to_while_unprotected_was_never_approved(self, loosened, move, protect, back, limited):
        move(3, "production")
        [change] = protect("production")
        assert change.version.number == 3
        assert approval_of("production") == Approval.NEVER_APPROVED
        assert (limited("1"), limited("2"), limited("production")) == (1, 2, 3)
        with pytest.raises(NotAllowed):
            limited("3")
        assert back(2, "production").version.number == 2
        with pytest.raises(ApprovalRequired):
            back(3, "production")

    def test_back_on_an_approved_version_nothing_is_opened(self, loosened, move, protect):
        move(3, "production"), move(1, "production")
        assert protect("production") == ()
        assert approval_of("production") == Approval.APPROVED

    def test_a_change_published_while_it_was_loose_approves_nothing(
        self, loosened, protect, author, reviewer, approve, limited
    ):
        protect("production")
        change = change_services.propose_change(actor=author, name=NAME, label="production", version=3, message="")
        approve(change)
        protect()
        change_services.publish_change(actor=author, number=change.number)
        [opened] = protect("production")
        assert opened.version.number == 3
        with pytest.raises(NotAllowed):
            limited("3")

    def test_a_label_taken_off_meanwhile_opens_nothing(self, loosened, author, protect, back):
        labels.remove_label(actor=author, name=NAME, label="production", expected=2)
        assert protect("production") == ()
        with pytest.raises(Conflict, match="nothing to roll back"):
            back(1, "production")

    def test_an_open_change_for_the_same_version_is_enough(self, loosened, move, protect, author):
        protect("production")
        change = change_services.propose_change(actor=author, name=NAME, label="production", version=3, message="")
        protect()
        move(3, "production")
        assert protect("production") == ()
        change.refresh_from_db()
        assert [blocker.code for blocker in gate.evaluate(change, author).blockers] == ["approvals"]

    def test_setting_the_same_rules_again_opens_nothing(self, loosened, move, protect):
        move(3, "production")
        assert len(protect("production")) == 1
        assert protect("production") == ()
        assert protect("production", "staging") == ()


class TestEmergency:
    @pytest.fixture
    def broken(self, admin, publish, save, propose):
        """production held 1 by approval and serves 2 by an emergency."""
        change_rules.set_rules(actor=admin, namespace="support", break_glass=True)
        publish(save("one"))
        change = propose(save("two"))
        return emergencies.publish_in_emergency(actor=admin, number=change.number, reason="It burns")

    def test_until_it_is_approved_only_the_label_gives_it(self, broken, limited):
        assert limited("production") == 2
        with pytest.raises(NotAllowed):
            limited("2")
        assert approval_of("production") == Approval.EMERGENCY

    def test_until_it_is_approved_nobody_goes_back_to_it(self, broken, back, approve):
        back(1, "production")
        with pytest.raises(ApprovalRequired):
            back(2, "production")
        approve(broken)
        assert back(2, "production").version.number == 2

    def test_approved_afterwards_it_counts(self, broken, approve, limited):
        approve(broken)
        assert approval_of("production") == Approval.APPROVED
        assert limited("2") == 2

    def test_protecting_again_opens_no_second_change_next_to_it(self, broken, protect):
        protect()
        assert protect("production") == ()

    def test_another_request_for_it_is_refused_with_the_way(self, broken, author):
        with pytest.raises(Invalid, match="approve the change that was published in an emergency"):
            change_services.propose_change(actor=author, name=NAME, label="production", version=2, message="")

    def test_one_for_what_the_label_serves_already_would_change_nothing(self, admin, save, move, protect):
        save("one")
        move(1)
        [change] = protect("production", "staging")
        change_rules.set_rules(actor=admin, namespace="support", break_glass=True)
        with pytest.raises(Conflict, match="serves version 1 already"):
            emergencies.publish_in_emergency(actor=admin, number=change.number, reason="It burns")

    def test_one_of_a_loose_label_counts_for_nothing(self, admin, save, propose, protect):
        change_rules.set_rules(actor=admin, namespace="support", break_glass=True)
        change = propose(save("one"))
        protect()
        emergencies.publish_in_emergency(actor=admin, number=change.number, reason="It burns")
        [opened] = protect("production")
        assert (opened.version.number, approval_of("production")) == (1, Approval.NEVER_APPROVED)


class TestUnapprovedIsProposed:
    def test_again_after_its_change_was_withdrawn(self, opened_changes, admin, author, finish):
        change_services.withdraw_change(actor=admin, number=opened_changes[0].number, reason="Not needed")
        change = change_services.propose_change(actor=author, name=NAME, label="staging", version=1, message="")
        finish(change)
        assert approval_of() == Approval.APPROVED

    def test_by_opening_the_withdrawn_one_again(self, opened_changes, admin, finish):
        change_services.withdraw_change(actor=admin, number=opened_changes[0].number, reason="Not needed")
        finish(change_services.reopen_change(actor=admin, number=opened_changes[0].number))
        assert approval_of() == Approval.APPROVED

    def test_by_another_request_that_takes_it_as_its_head(self, opened_changes, save, admin, author, finish):
        change_services.withdraw_change(actor=admin, number=opened_changes[0].number, reason="Not needed")
        save("three")
        change = change_services.propose_change(actor=author, name=NAME, label="staging", version=3, message="")
        finish(change_services.set_head(actor=author, number=change.number, version=1))
        assert approval_of() == Approval.APPROVED

    def test_once_only(self, opened_changes, author, finish):
        finish(opened_changes[0])
        with pytest.raises(Invalid, match="already serves exactly this"):
            change_services.propose_change(actor=author, name=NAME, label="staging", version=1, message="")

    def test_while_nothing_else_about_the_gate_changes(self, opened_changes, author):
        with pytest.raises(ApprovalRequired):
            change_services.publish_change(actor=author, number=opened_changes[0].number)
        with pytest.raises(ApprovalRequired):
            labels.move_label(actor=author, name=NAME, label="staging", version=2, expected=1)


class TestSeveral:
    def test_each_template_and_label_has_its_own_change(self, save, move, protect):
        for name in ("support/a", "support/b", "support/c"):
            save("one", name=name)
        move(1, name="support/a"), move(1, name="support/b"), move(1, "beta", name="support/b")
        opened = protect("production", "staging", "beta")
        assert [(row.template.name, row.label) for row in opened] == [
            ("support/a", "staging"),
            ("support/b", "beta"),
            ("support/b", "staging"),
        ]

    def test_archived_templates_and_redacted_versions_open_none(self, save, move, protect, admin):
        save("one", name="support/a"), save("two", name="support/b")
        move(1, name="support/a"), move(1, name="support/b")
        archive.archive_template(actor=admin, name="support/a", reason="Old", force=True)
        redaction_services.redact_version(actor=admin, name="support/b", version=1, reason="A name", force=True)
        assert protect("production", "staging") == ()

    def test_a_label_that_is_approved_next_to_one_that_is_not(self, publish, save, move, protect, limited):
        publish(save("one"))
        move(1)
        [change] = protect("production", "staging")
        assert (change.label, change.version.number) == ("staging", 1)
        assert (approval_of("production"), approval_of("staging")) == (Approval.APPROVED, Approval.NEVER_APPROVED)
        assert limited("1") == 1  # production held it by approval

    def test_where_no_approval_is_asked_for_the_change_still_has_to_be_published(self, admin, save, move, limited):
        save("one")
        move(1)
        rules = {"protected_labels": ["staging"], "approvals": 0}
        [change] = change_rules.set_rules(actor=admin, namespace="support", **rules).opened
        assert change.state == ChangeRequest.APPROVED
        assert approval_of() == Approval.NEVER_APPROVED
        change_services.publish_change(actor=admin, number=change.number)
        assert approval_of() == Approval.APPROVED


class TestVoids:
    def test_a_rule_made_stricter_voids_no_past_move(self, publish, save, admin, back, limited):
        publish(save("one")), publish(save("two"))
        change_rules.set_rules(actor=admin, namespace="support", approvals=5, required_checks=["evaluation", "samples"])
        assert limited("1") == 1
        assert back(1, "production").version.number == 1

    def test_a_reviewer_who_left_voids_no_past_move(self, publish, save, admin, back):
        publish(save("one")), publish(save("two"))
        namespace_services.set_role(actor=admin, namespace="support", username="reviewer", role=None)
        assert back(1, "production", actor=admin).version.number == 1

    def test_a_redaction_does(self, publish, save, admin, back):
        publish(save("one")), publish(save("two"))
        redaction_services.redact_version(actor=admin, name=NAME, version=1, reason="A name")
        with pytest.raises(Gone, match="redacted"):
            back(1, "production")
        label = Label.objects.get()
        approved_digests = list_approved_digests([label.template_id])
        assert approved_digests[label.template_id, "production"] == {label.version.digest}

    def test_unprotecting_takes_the_labels_approvals_from_limited_keys(self, publish, save, move, protect, limited):
        publish(save("one"))
        protect("staging")
        with pytest.raises(NotAllowed):
            limited("1")


def test_every_move_says_whether_the_label_was_protected(save, move, publish, protect, back):
    save("one")
    move(1)
    publish(save("two"))
    protect("production", "staging")
    rows = LabelMove.objects.order_by("pk").values_list("label", "how", "protected")
    assert list(rows) == [("staging", "moved", False), ("production", "published", True)]


def test_a_change_of_other_rules_opens_nothing(admin, save, move):
    save("one")
    move(1)
    ruled = change_rules.set_rules(actor=admin, namespace="support", approvals=2)
    assert (ruled.opened, ruled.namespace.approvals) == ((), 2)


def test_nobody_but_admins_opens_such_a_change(author, save, move):
    save("one")
    move(1)
    before = Event.objects.count()
    with pytest.raises(NotAllowed):
        change_rules.set_rules(actor=author, namespace="support", protected_labels=["staging"])
    assert (Event.objects.count(), ChangeRequest.objects.count()) == (before, 0)


def test_the_reviewers_are_notified(opened_changes):
    reviewer = User.objects.get(username="reviewer")
    assert reviewer.notifications.filter(change=opened_changes[0], is_waiting=True).exists()
    body = json.loads(Event.objects.latest("number").text)["body"]
    assert (body["label"], body["version"]) == ("staging", 1)
