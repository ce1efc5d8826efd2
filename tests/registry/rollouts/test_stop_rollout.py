"""Stopping a rollout: who may, and what is served and recorded afterwards."""

import pytest

from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.rollouts import services
from registry.templates.label_models import Label


def test_a_stopped_rollout_gives_everybody_the_stable_version(start, reviewer, approved, last_event):
    rollout = services.stop_rollout(actor=reviewer, number=start().number, reason=" Wrong answers ")
    label = Label.objects.get()
    assert (rollout.state, rollout.reason, label.version.number, label.rollout) == (
        "stopped",
        "Wrong answers",
        1,
        None,
    )
    kind, body = last_event()
    assert (kind, body["reason"], body["share"], body["figures"]) == ("rollout.stopped", "Wrong answers", 500, [])
    approved.refresh_from_db()
    assert approved.state == "approved"


def test_a_paused_one_can_be_stopped_too(start, author, reviewer):
    number = start().number
    services.pause_rollout(actor=author, number=number)
    assert services.stop_rollout(actor=reviewer, number=number, reason="No").state == "stopped"


def test_stopping_takes_a_reason(start, reviewer):
    number = start().number
    with pytest.raises(Invalid, match="reason"):
        services.stop_rollout(actor=reviewer, number=number, reason=" ")


def test_an_author_stops_nothing(start, author):
    number = start().number
    with pytest.raises(NotAllowed):
        services.stop_rollout(actor=author, number=number, reason="No")


def test_an_ended_rollout_cannot_be_changed(start, author, reviewer):
    number = start().number
    services.stop_rollout(actor=reviewer, number=number, reason="No")
    for act in (services.step_rollout, services.finish_rollout, services.pause_rollout, services.resume_rollout):
        with pytest.raises(Conflict, match="is stopped"):
            act(actor=author, number=number)
    with pytest.raises(Conflict, match="is stopped"):
        services.stop_rollout(actor=reviewer, number=number, reason="No")


def test_the_figures_of_that_moment_are_kept(start, reviewer, score, approved):
    rollout = start()
    score(rollout.stable, 300, 270)
    score(rollout.candidate, 84, 42)
    figures = services.stop_rollout(actor=reviewer, number=rollout.number, reason="No").figures
    assert [(figure["side"], figure["count"], figure["mean"]) for figure in figures] == [
        ("stable", 300, 0.9),
        ("candidate", 84, 0.5),
    ]
