"""Restoring versions held by approval, contributors and the basis of decisions from a clone."""

import subprocess
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from registry import mirror
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import check_results, decisions, emergencies, suggestions, threads
from registry.changes import gate as change_gate
from registry.changes import merge as change_merge
from registry.changes import rules as change_rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.changes.threads import Place
from registry.freezes import services as freezes
from registry.namespaces import groups
from registry.namespaces import services as namespace_services
from registry.redaction import services as redaction_services
from registry.templates import labels
from registry.templates import save as template_save
from registry.templates.label_moves import select_approved_moves
from registry.templates.models import Template
from tests.registry.mirror.test_restore import empty_the_database
from tests.registry.mirror.test_tampered_clone import rechained, rewrite
from tests.support import row_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]
TEMPLATE = "support/refunds/reply"


class World:
    """The people of `support`, with shortcuts for their actions."""

    def __init__(self, cast, operator):
        self.author, self.reviewer, self.admin = cast["author"], cast["reviewer"], cast["admin"]
        User.objects.create(username="second")
        namespace_services.set_role(actor=operator, namespace="support", username="second", role="reviewer")
        self.second = Actor(User.objects.get(username="second"))

    def save(self, text, actor=None, base=None, last="three", **more):
        lines = f"- name: one\n  content: {text}\n- name: two\n  content: two\n- name: three\n  content: {last}\n"
        if base is None and (latest := self.latest()):
            base = latest.digest
        actor = actor or self.author
        return template_save.save_version(
            actor=actor, name=TEMPLATE, document=lines, message=text, base=base, **more
        ).version

    def latest(self):
        row = Template.objects.select_related("latest").filter(name=TEMPLATE).first()
        return row.latest if row else None

    def propose(self, version, actor=None):
        actor, number = actor or self.author, version.number
        return change_services.propose_change(
            actor=actor, name=TEMPLATE, label="production", version=number, message=""
        )

    def approve(self, change, actor=None):
        change = ChangeRequest.objects.get(pk=change.pk)
        digest = change.version.digest
        return decisions.decide_on_change(
            actor=actor or self.reviewer, number=change.pk, decision="approve", digest=digest
        )

    def publish(self, change, actor=None):
        self.approve(change, actor)
        return change_services.publish_change(actor=self.author, number=change.pk)

    def set_rules(self, **rules):
        return change_rules.set_rules(actor=self.admin, namespace="support", **rules)

    def publish_in_emergency(self, change):
        return emergencies.publish_in_emergency(actor=self.reviewer, number=change.pk, reason="It can't wait")

    def roll_back(self, number):
        facts = {"name": TEMPLATE, "label": "production", "version": number, "reason": "It erred"}
        return labels.roll_back_label(actor=self.second, **facts)


@pytest.fixture
def world(cast, operator):
    return World(cast, operator)


def move_labels(world):
    """Versions 1 and 2 are published; 3 too, but while production is not protected; then back to 1."""
    one, two = world.save("one"), world.save("two", actor=world.reviewer)
    world.publish(world.propose(one))
    second = world.propose(two)
    world.publish(second, actor=world.second)
    three = world.save("three")
    unprotected_change = world.propose(three)
    world.approve(unprotected_change)
    world.set_rules(protected_labels=[])
    change_services.publish_change(actor=world.author, number=unprotected_change.pk)
    world.set_rules(protected_labels=["production", "staging"])
    world.roll_back(1)


def publish_emergencies(world):
    """Two emergencies: another change got the approval for the first, the second was approved afterwards."""
    world.set_rules(break_glass=True, required_checks=["problems", "budget"])
    four = world.save("four")
    first = world.propose(four)
    check_results.run_checks(number=first.pk)
    world.publish_in_emergency(first)
    world.roll_back(1)
    again = world.propose(four)
    check_results.run_checks(number=again.pk)
    world.publish(again, actor=world.second)
    emergencies.close_emergency(actor=world.second, number=first.pk, reason="Another change approved it")
    five = world.save("five")
    other = world.propose(five)
    check_results.run_checks(number=other.pk)
    world.publish_in_emergency(other)
    decisions.decide_on_change(actor=world.second, number=other.pk, decision="comment", digest=five.digest, text="Hm")
    world.approve(other, actor=world.second)


def merge_changes(world):
    """A suggestion is applied and published; another change from the same version is merged with it."""
    served = world.latest()
    mine = world.save("mine", base=served.digest)
    beside = world.save("two", base=served.digest, last="Theirs", actor=world.reviewer, parallel=True)
    change, other_change = world.propose(mine), world.propose(beside, actor=world.reviewer)
    place = Place(mine.number, 4, 4)
    thread = threads.open_thread(
        actor=world.reviewer, number=change.pk, place=place, text="", suggestion="  content: 2\n"
    )
    suggestions.apply_suggestions(actor=world.author, number=change.pk, comments=[(thread.number, 1)])
    check_results.run_checks(number=change.pk)
    world.publish(change, actor=world.second)
    change_merge.merge_change(actor=world.author, number=other_change.pk, document="- name: one\n  content: merged\n")


def redact(world, number):
    redaction_services.redact_version(actor=world.admin, name=TEMPLATE, version=number, reason="Names", force=True)


@pytest.fixture
def require_same(mirror_path, tmp_path):
    """Restore from a clone, and compare every row and the gate of every request."""

    def run():
        mirror.catch_up()
        subprocess.run(["git", "clone", "-q", mirror_path, tmp_path / "clone"], check=True)
        before, gates_before = row_snapshot.snapshot_rows(), read_gates()
        empty_the_database()
        mirror.restore(tmp_path / "clone")
        for name, rows in row_snapshot.snapshot_rows().items():
            assert rows == before[name]
        assert read_gates() == gates_before

    return run


def read_gates():
    rows = ChangeRequest.objects.select_related("template__namespace", "version__author", "opened_by").order_by(
        "number"
    )
    gates = {
        gate.change.number: (gate.facts, gate.approvals, gate.exemptions, gate.checks)
        for gate in change_gate.evaluate_many(rows, None)
    }
    return gates, sorted(select_approved_moves().values_list("label", "after__number", "how"))


def test_moves_emergencies_merges_and_a_redaction_come_back(world, require_same):
    move_labels(world)
    publish_emergencies(world)
    merge_changes(world)
    redact(world, 1)
    require_same()


def publish_approved_in_emergency(world):
    """Publish an approved change in an emergency during a freeze, and then roll it back."""
    world.set_rules(break_glass=True)
    world.publish(world.propose(world.save("one")))
    change = world.propose(world.save("two"))
    world.approve(change)
    now = datetime.now(UTC)
    times = {"starts": (now - timedelta(hours=1)).isoformat(), "ends": (now + timedelta(hours=1)).isoformat()}
    freezes.set_freeze(actor=world.admin, namespace="support", repeat="once", reason="Stocktaking", **times)
    world.publish_in_emergency(change)
    world.roll_back(1)


def test_an_approved_emergency_comes_back_as_approved(world, require_same):
    publish_approved_in_emergency(world)
    require_same()
    assert ("production", 2, "broke_glass") in read_gates()[1]


def test_a_restore_refuses_an_emergency_that_is_marked_approved_without_approvals(world, mirror_path, tmp_path):
    """In an edited clone the approval is by the author, so it doesn't count."""
    publish_approved_in_emergency(world)

    def forge(facts):
        if facts["kind"] == "change.decided" and facts["body"]["change"] == 2:
            facts["person"] = "author"

    refuse_forged(mirror_path, tmp_path, forge, "to version 2 of .*1 of 1 approvals were missing")


def test_a_restore_refuses_an_emergency_where_none_is_allowed(world, mirror_path, tmp_path):
    world.set_rules(break_glass=True)
    world.publish_in_emergency(world.propose(world.save("one")))

    def forbid(facts):
        if facts["kind"] == "namespace.ruled":
            facts["body"]["rules"]["break_glass"] = False

    refuse_forged(mirror_path, tmp_path, forbid, "to version 1 of .*: no emergencies are allowed there")


def test_a_restore_refuses_a_roll_back_to_what_the_label_never_held(world, mirror_path, tmp_path):
    one, two = world.save("one"), world.save("two")
    world.publish(world.propose(one))
    world.publish(world.propose(two))
    three = world.save("three")
    world.roll_back(1)

    def swap(facts):
        if facts["kind"] == "label.moved" and facts["body"]["how"] == "rolled_back":
            facts["body"].update(to=three.number, digest=three.digest)

    refuse_forged(mirror_path, tmp_path, swap, "to version 3 of .*: it never held that")


def approve_for_group(world):
    """Legal approves, then loses its member: approved changes stay approved, and waiting ones keep waiting."""
    people: dict[str, Any] = {"actor": world.admin, "namespace": "support"}
    groups.make_group(**people, title="Legal", role="reviewer")
    groups.add_to_group(**people, name="legal", username="reader")
    world.set_rules(approval_rules=[{"label": "production", "groups": ["legal"]}])
    reader = Actor(User.objects.get(username="reader"))
    world.publish(world.propose(world.save("one")), actor=reader)
    waiting = world.propose(world.save("two"))
    world.approve(waiting, reader)
    groups.remove_from_group(**people, name="legal", username="reader")
    groups.add_to_group(**people, name="legal", username="second")
    return waiting


def test_groups_and_what_they_approved_come_back(world, require_same):
    waiting = approve_for_group(world)
    require_same()
    assert ChangeRequest.objects.get(number=waiting.number).state == ChangeRequest.OPEN


def test_a_restore_refuses_a_publication_without_the_group(world, mirror_path, tmp_path):
    """In an edited clone nobody ever joined Legal."""
    approve_for_group(world)

    def put_somebody_else_in(facts):
        if facts["kind"] == "group.joined" and facts["body"]["person"] == "reader":
            facts["body"]["person"] = "author"

    refuse_forged(
        mirror_path,
        tmp_path,
        put_somebody_else_in,
        r"1 of 1 approvals were missing|nobody of the group legal approved",
    )


def test_a_restore_refuses_a_publication_that_enough_people_but_nobody_of_the_group_approved(
    world, mirror_path, tmp_path
):
    people: dict[str, Any] = {"actor": world.admin, "namespace": "support"}
    groups.make_group(**people, title="Legal", role="reviewer")
    groups.add_to_group(**people, name="legal", username="reader")
    world.set_rules(approval_rules=[{"label": "production", "groups": ["legal"]}])
    change = world.propose(world.save("one"))
    world.approve(change)
    world.publish(change, actor=Actor(User.objects.get(username="reader")))

    def put_somebody_else_in(facts):
        if facts["kind"] == "group.joined":
            facts["body"]["person"] = "author"

    refuse_forged(mirror_path, tmp_path, put_somebody_else_in, "nobody of the group legal approved")


def test_a_restore_refuses_a_publication_without_an_owner(world, mirror_path, tmp_path):
    """The rules of a clone are edited so that the approval that was given is by none of the owners."""
    world.set_rules(owners=[{"pattern": "*", "people": ["reviewer"]}])
    world.publish(world.propose(world.save("one")))

    def own(facts):
        if facts["kind"] == "namespace.ruled" and facts["body"]["rules"].get("owners"):
            facts["body"]["rules"]["owners"][0]["people"] = ["second"]

    refuse_forged(mirror_path, tmp_path, own, r"none of its owners \(second\) approved")


@pytest.mark.parametrize("how", ["published", "broke_glass"])
def test_a_restore_refuses_a_publication_of_another_version_than_was_asked_for(world, mirror_path, tmp_path, how):
    first = world.save("one")
    world.publish(world.propose(world.save("two")))

    def swap(facts):
        if facts["kind"] == "label.moved":
            facts["body"].update(to=first.number, digest=first.digest, how=how)

    refuse_forged(mirror_path, tmp_path, swap, "to version 1 of .*: no request for it was open")


def refuse_forged(mirror_path, tmp_path, changes, sentence):
    """Restore from a clone whose events were changed, with hashes to match; it is refused with this sentence."""
    mirror.catch_up()
    subprocess.run(["git", "clone", "-q", mirror_path, tmp_path / "clone"], check=True)
    rewrite(tmp_path / "clone", rechained(changes))
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match=sentence):
        mirror.restore(tmp_path / "clone")


def test_a_role_that_a_contributor_gave_back_revives_no_approval(world, require_same):
    change = world.propose(world.save("one", actor=world.admin))
    world.approve(change)
    for role in ("author", "reviewer"):
        namespace_services.set_role(actor=world.admin, namespace="support", username="reviewer", role=role)
    require_same()
    assert ChangeRequest.objects.get().state == ChangeRequest.OPEN


def test_approvals_of_a_redacted_version_are_restored(world, require_same):
    world.publish(world.propose(world.save("one")))
    world.publish(world.propose(world.save("two", actor=world.reviewer)), actor=world.second)
    world.publish(world.propose(world.save("three", actor=world.second)))
    for number in (2, 1):
        redact(world, number)
    require_same()
