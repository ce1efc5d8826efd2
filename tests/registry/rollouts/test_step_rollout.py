"""Steps of a rollout: the next share, finishing, pausing and resuming."""

import pytest

from registry.changes import decisions
from registry.core.errors import ApprovalRequired, Conflict, NotAllowed
from registry.rollouts import services
from registry.rollouts.models import Rollout
from registry.templates.label_models import Label, LabelMove
from registry.templates.label_moves import Approval, find_approval_of_label


def test_a_step_serves_the_next_share(start, author, last_event):
    rollout = services.step_rollout(actor=author, number=start().number)
    assert (rollout.step, rollout.share, rollout.state) == (1, 2500, "running")
    kind, body = last_event()
    assert (kind, body["share"], body["step"], body["hours"]) == ("rollout.stepped", 2500, 1, 24)
    assert "automatic" not in body


def test_after_the_last_step_the_label_moves_by_the_gate(start, author, approved):
    number = start(steps=[{"share": 500, "hours": None}]).number
    rollout = services.step_rollout(actor=author, number=number)
    approved.refresh_from_db()
    label, move = Label.objects.get(), LabelMove.objects.latest("pk")
    assert (rollout.state, approved.state, label.version.number, label.rollout) == ("finished", "published", 2, None)
    assert (move.how, move.change) == ("published", approved)
    assert find_approval_of_label(approved.template, "production") == Approval.APPROVED


def test_finishing_skips_the_steps_that_are_left(start, author, last_event):
    rollout = services.finish_rollout(actor=author, number=start().number)
    assert (rollout.state, Label.objects.get().version.number) == ("finished", 2)
    assert last_event()[0] == "label.moved"


def test_an_objection_keeps_the_share_from_growing(start, author, reviewer, approved):
    number = start().number
    decisions.decide_on_change(
        actor=reviewer, number=approved.number, decision="request_changes", digest=approved.version.digest, text="No"
    )
    for act in (services.step_rollout, services.finish_rollout):
        with pytest.raises(ApprovalRequired, match="asked for edits"):
            act(actor=author, number=number)
    assert Label.objects.get().rollout is not None


def test_a_paused_rollout_keeps_its_share(start, author, last_event):
    rollout = services.pause_rollout(actor=author, number=start().number, reason="Lunch")
    assert (rollout.state, rollout.share, rollout.next_at, rollout.reason) == ("paused", 500, None, "Lunch")
    assert last_event()[0] == "rollout.paused"
    with pytest.raises(Conflict, match="is paused"):
        services.step_rollout(actor=author, number=rollout.number)
    with pytest.raises(Conflict, match="is paused"):
        services.pause_rollout(actor=author, number=rollout.number)


def test_resuming_waits_the_whole_step_again(start, author, last_event):
    number = start().number
    services.pause_rollout(actor=author, number=number)
    rollout = services.resume_rollout(actor=author, number=number)
    assert (rollout.state, rollout.next_at is not None, last_event()[0]) == ("running", True, "rollout.resumed")
    with pytest.raises(Conflict, match="is not paused"):
        services.resume_rollout(actor=author, number=number)


def test_readers_do_none_of_it(start, reader):
    number = start().number
    for act in (services.step_rollout, services.finish_rollout, services.pause_rollout, services.resume_rollout):
        with pytest.raises(NotAllowed):
            act(actor=reader, number=number)


def test_a_step_from_a_share_that_is_past_is_refused(start, author):
    rollout = start()
    services.step_rollout(actor=author, number=rollout.number, share=500)
    with pytest.raises(Conflict, match="Rollout 1 is at 25\N{NO-BREAK SPACE}% already"):
        services.step_rollout(actor=author, number=rollout.number, share=500)
    assert Rollout.objects.get().share == 2500
