"""Random actions on a release: its labels move together or not at all, whatever people do in between."""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry.changes import decisions
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import PromptuaryError
from registry.namespaces.verbs import Verb
from registry.releases import gate as release_gate
from registry.releases import proposals, queries, roll_backs
from registry.releases import services as release_services
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.templates import labels
from registry.templates.label_models import LabelMove
from tests.support.examples import example_count

NAMES = ("support/a", "support/b", "support/c")
ACTS = (
    "approve",
    "approve_all",
    "set_head",
    "withdraw_member",
    "reopen_member",
    "remove",
    "add",
    "publish_member",
    "roll_back_label",
    "roll_back",
    "publish",
)


class World:
    """A release of three templates with two versions each, and a person for each act."""

    def __init__(self, author, reviewer):
        self.author, self.reviewer = author, reviewer

    def act(self, name, index):
        """Do it, and return whether it was allowed."""
        try:
            with transaction.atomic():
                getattr(self, f"_{name}")(NAMES[index])
        except PromptuaryError:
            return False
        return True

    def _change(self, name):
        rows = ChangeRequest.objects.filter(template__name=name).select_related("version")
        return rows.latest("number")

    def _approve(self, name):
        change = self._change(name)
        decisions.decide_on_change(
            actor=self.reviewer, number=change.number, decision="approve", digest=change.version.digest
        )

    def _approve_all(self, _name):
        members = Release.objects.get().members.pending().select_related("version")
        digests = {change.number: change.version.digest for change in members}
        release_services.approve_release(actor=self.reviewer, number=1, digests=digests)

    def _set_head(self, name):
        change = self._change(name)
        other = 3 - change.version.number
        change_services.set_head(actor=self.author, number=change.number, version=other)

    def _withdraw_member(self, name):
        change_services.withdraw_change(actor=self.author, number=self._change(name).number, reason="Not needed")

    def _reopen_member(self, name):
        change_services.reopen_change(actor=self.author, number=self._change(name).number)

    def _remove(self, name):
        proposals.remove_from_release(actor=self.author, number=1, change=self._change(name).number)

    def _add(self, name):
        proposals.add_to_release(actor=self.author, number=1, versions={name: 2})

    def _publish_member(self, name):
        change_services.publish_change(actor=self.author, number=self._change(name).number)

    def _roll_back_label(self, name):
        labels.roll_back_label(actor=self.reviewer, name=name, label="production", version=1, reason="Wrong")

    def _roll_back(self, _name):
        roll_backs.roll_back_release(actor=self.reviewer, number=1, reason="Wrong")

    def _publish(self, _name):
        release_services.publish_release(actor=self.author, number=1)


@pytest.fixture
def world(author, reviewer, publish, save):
    for name in NAMES:
        publish(save("one", name=name))
        save("two", name=name)
        save("three", name=name)
    proposals.propose_release(
        actor=author,
        namespace="support",
        label="production",
        title="All",
        selection=ReleaseSelection(versions=dict.fromkeys(NAMES, 2)),
    )
    return World(author, reviewer)


def take(world, name, index):
    """Run one action and compare the moved labels with those it may move."""
    moves = LabelMove.objects.count()
    release = queries.find_release(world.author, Verb.READ, 1)
    before = release_gate.evaluate_release(release, world.author)
    allowed = world.act(name, index)
    moved = LabelMove.objects.count() - moves
    if name == "publish":
        assert allowed == before.may_publish_now
        assert moved == (len(before.open_members) if allowed else 0)
    elif name == "publish_member":
        members = [member.change.template.name for member in before.open_members] if release.is_open else []
        assert moved == allowed
        assert not (allowed and NAMES[index] in members)
    elif name not in ("roll_back", "roll_back_label"):
        assert moved == 0


def compare():
    """The release and its members beside the label moves of the database."""
    release = Release.objects.get()
    published = release.members.filter(state="published")
    moved = LabelMove.objects.filter(how="published", change__in=published).count()
    assert moved == published.count()
    assert release.state == "published" or not published.exists()


@given(steps=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 2)), min_size=3, max_size=12))
@settings(
    max_examples=example_count(0.15, torture=300),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_labels_move_together_or_not_at_all(world, steps):
    start = transaction.savepoint()
    try:
        for name, index in [*steps, ("approve_all", 0), ("publish", 0)]:
            take(world, name, index)
            compare()
    finally:
        transaction.savepoint_rollback(start)


def test_the_acts_are_not_refused_in_general(world):
    for name in ("remove", "approve_all", "publish", "roll_back"):
        assert world.act(name, 0), name
