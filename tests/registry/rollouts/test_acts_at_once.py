"""Two people act on a change or its rollout in the same second: one act is done, the other is told why it is not."""

import pytest

from registry.audit.verification import find_chain_faults
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, PromptuaryError
from registry.rollouts import services
from registry.rollouts.models import Rollout
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove
from tests.registry.changes.test_concurrency import at_once

pytestmark = pytest.mark.dialect


def test_the_second_of_two_who_close_a_change_learns_who_closed_it(transactional_db, approved, author, reviewer):
    act = {"number": approved.number}
    published, withdrawn = at_once(
        [
            lambda: change_services.publish_change(actor=author, **act),
            lambda: change_services.withdraw_change(actor=reviewer, reason="Not now", **act),
        ]
    )
    approved.refresh_from_db()
    if isinstance(published, ChangeRequest):
        assert (approved.state, Label.objects.get().version.number) == ("published", 2)
        assert isinstance(withdrawn, Conflict)
        assert "author published it" in withdrawn.message
    else:
        assert (approved.state, Label.objects.get().version.number) == ("withdrawn", 1)
        assert isinstance(published, Conflict)
        assert "reviewer withdrew it" in published.message
    assert list(find_chain_faults()) == []


def test_a_rollout_starts_or_the_change_is_published_or_withdrawn(transactional_db, approved, author, start):
    act = {"actor": author, "number": approved.number}
    results = at_once(
        [
            start,
            lambda: change_services.publish_change(**act),
            lambda: change_services.withdraw_change(reason="Not now", **act),
        ]
    )
    assert sum(isinstance(result, Conflict) for result in results) == 2
    approved.refresh_from_db()
    assert (approved.state == "approved") == (Rollout.objects.count() == 1)
    assert list(find_chain_faults()) == []


@pytest.mark.parametrize("act", ["step_rollout", "finish_rollout", "pause_rollout"])
def test_a_rollout_that_is_stopped_takes_no_further_step(transactional_db, start, author, reviewer, act):
    number = start().number
    results = at_once(
        [
            lambda: getattr(services, act)(actor=author, number=number),
            lambda: services.stop_rollout(actor=reviewer, number=number, reason="Rude answers"),
        ]
    )
    rollout, label = Rollout.objects.get(), Label.objects.get()
    assert label.rollout is None
    assert (rollout.state, label.version.number) in [("stopped", 1), ("finished", 2)]
    refusals = [result for result in results if isinstance(result, PromptuaryError)]
    assert [type(refusal) for refusal in refusals] in ([], [Conflict])
    assert rollout.state == "stopped" or refusals
    assert list(find_chain_faults()) == []


def test_a_roll_back_waits_for_the_rollout_or_follows_its_end(transactional_db, start, save, publish, author, reviewer):
    number = start().number
    finished, rolled_back = at_once(
        [
            lambda: services.finish_rollout(actor=author, number=number),
            lambda: labels.roll_back_label(
                actor=reviewer, name="support/reply", label="production", version=1, reason="Rude answers"
            ),
        ]
    )
    assert isinstance(finished, Rollout)
    moves = LabelMove.objects.order_by("pk").values_list("after__number", flat=True)
    if isinstance(rolled_back, Conflict):
        assert "rollout 1" in rolled_back.message.lower()
        assert list(moves) == [1, 2]
    else:
        assert list(moves) == [1, 2, 1]
    assert list(find_chain_faults()) == []
