"""Actions on a change whose proposed version was replaced since it was shown are refused and change nothing."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import emergencies, rules, schedules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict
from registry.rollouts import publishing
from registry.rollouts import services as rollout_services
from registry.rollouts.models import Rollout
from registry.templates.label_models import Label

SENTENCE = "The change proposes version 3 now, which is not what you looked at."


def publish_change(actor, number, seen):
    change_services.publish_change(actor=actor, number=number, version=seen)


def publish_as_proposed(actor, number, seen):
    publishing.publish_as_proposed(actor=actor, number=number, version=seen)


def schedule_change(actor, number, seen):
    at = datetime.now(UTC) + timedelta(hours=1)
    schedules.schedule_change(actor=actor, number=number, at=at, version=seen)


def start_rollout(actor, number, seen):
    rollout_services.start_rollout(actor=actor, change=number, version=seen)


ACTS = (publish_change, publish_as_proposed, schedule_change, start_rollout)


@pytest.fixture
def headed(author, save, publish, propose, approve) -> ChangeRequest:
    """An approved request that proposed version 2 first and proposes version 3 now; production serves version 1."""
    publish(save("one"))
    change: ChangeRequest = propose(save("two"))
    approve(change)
    change_services.set_head(actor=author, number=change.number, version=save("three").number)
    approve(change)
    change.refresh_from_db()
    return change


@pytest.mark.parametrize("act", ACTS)
def test_an_act_on_a_version_that_was_replaced_is_refused(author, headed, act):
    with pytest.raises(Conflict) as refused:
        act(author, headed.number, 2)
    headed.refresh_from_db()
    assert (refused.value.message, refused.value.facts["version"]) == (SENTENCE, 3)
    assert (headed.state, headed.goes_live_at, Label.objects.get().version.number) == ("approved", None, 1)
    assert not Rollout.objects.exists()


@pytest.mark.parametrize("seen", [3, None])
@pytest.mark.parametrize("act", ACTS)
def test_it_is_done_where_the_version_was_seen_or_nobody_looked(author, headed, act, seen):
    act(author, headed.number, seen)
    headed.refresh_from_db()
    assert headed.state == "published" or headed.goes_live_at or Rollout.objects.filter(candidate__number=3).exists()


def test_an_emergency_serves_only_the_version_that_was_seen(admin, author, reviewer, save, publish, propose):
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    publish(save("one"))
    number = propose(save("two")).number
    change_services.set_head(actor=author, number=number, version=save("three").number)
    with pytest.raises(Conflict, match=SENTENCE):
        emergencies.publish_in_emergency(actor=reviewer, number=number, reason="Insults", version=2)
    assert Label.objects.get().version.number == 1
    emergencies.publish_in_emergency(actor=reviewer, number=number, reason="Insults", version=3)
    assert Label.objects.get().version.number == 3


def test_of_a_closed_change_it_is_shown_that_it_is_closed(author, headed):
    publish_change(author, headed.number, 3)
    with pytest.raises(Conflict, match="is published"):
        publish_change(author, headed.number, 2)
