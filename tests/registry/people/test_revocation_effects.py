"""What stops when a key ends: its schedules and rollouts."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.accounts.actor import Actor
from registry.changes import schedules
from registry.namespaces import keys
from registry.people.revocation_effects import describe_effects_of_revocation
from registry.releases import proposals
from registry.releases import schedules as release_schedules
from registry.releases.plans import ReleaseSelection
from registry.rollouts import services as rollout_services

TOMORROW = datetime.now(UTC) + timedelta(days=1)


@pytest.fixture
def issued(admin) -> Actor:
    """A writing key for the author, as an actor."""
    row = keys.issue_key(actor=admin, namespace="support", name="deploys", scope="write", person="author").key
    return Actor(row.person, row)


def test_a_key_that_set_nothing_has_no_effects(issued):
    effects = describe_effects_of_revocation(issued.key)
    assert (effects.changes, effects.releases, effects.rollouts) == ([], [], [])


def test_its_schedules_are_named_until_they_are_cancelled(issued, author, propose, save):
    change, other = propose(save("one")), propose(save("one", name="support/triage"))
    schedules.schedule_change(actor=issued, number=change.number, at=TOMORROW)
    schedules.schedule_change(actor=author, number=other.number, at=TOMORROW)
    assert describe_effects_of_revocation(issued.key).changes == [change.number]
    schedules.unschedule_change(actor=author, number=change.number)
    assert describe_effects_of_revocation(issued.key).changes == []


def test_its_scheduled_release_is_named(issued, author, save):
    names = [save("one").template.name, save("two", name="support/triage").template.name]
    selection = ReleaseSelection(versions=dict.fromkeys(names, 1))
    release = proposals.propose_release(
        actor=author, namespace="support", label="production", title="Two", selection=selection
    ).release
    release_schedules.schedule_release(actor=issued, number=release.number, at=TOMORROW)
    assert describe_effects_of_revocation(issued.key).releases == [release.number]


def test_a_rollout_is_named_until_a_person_resumes_it(issued, author, propose, save, publish, approve):
    publish(save("one"))
    change = propose(save("two"))
    approve(change)
    rollout = rollout_services.start_rollout(actor=issued, change=change.number)
    assert describe_effects_of_revocation(issued.key).rollouts == [rollout]
    rollout_services.pause_rollout(actor=author, number=rollout.number)
    assert describe_effects_of_revocation(issued.key).rollouts == []
    rollout_services.resume_rollout(actor=author, number=rollout.number)
    assert describe_effects_of_revocation(issued.key).rollouts == []
