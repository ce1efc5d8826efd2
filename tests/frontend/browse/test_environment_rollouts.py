"""Rollouts on Environments: the next step, which a freeze or a pause makes unavailable, and pausing and resuming."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import decisions
from registry.freezes import services as freezes
from registry.rollouts import services as rollout_services
from registry.rollouts.models import Rollout
from tests.frontend.conftest import read_html

PAGE = "/environments/"


@pytest.fixture
def rollout(reply) -> Rollout:
    """A rollout of version 2 at 5 %; its next step is due in a day."""
    change = reply.propose(2)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    return rollout_services.start_rollout(actor=reply.actor("author"), change=change.number)


@pytest.fixture
def freeze(reply, rollout):
    """Freeze the namespace from an hour ago until in three hours."""
    now = datetime.now(UTC)
    starts, ends = ((now + timedelta(hours=hours)).isoformat() for hours in (-1, 3))
    return freezes.set_freeze(
        actor=reply.actor("admin"), namespace="support", repeat="once", starts=starts, ends=ends, reason="Stocktaking"
    )


def test_a_freeze_makes_the_next_step_unavailable_and_is_its_reason(rollout, freeze, browser):
    page = read_html(browser("author").get(PAGE))
    assert "#rollout" not in page
    assert re.search(
        r'<span class="note">no releases until [^<]+</span> '
        r'<span class="button button-small environments-dashed">Go to 25 %',
        page,
    )
    assert f'href="/changes/{rollout.change_id}"' in page, "the change still leads to the rollout"
    assert "Go to 25 %" not in read_html(browser("reader").get(PAGE))


def test_a_paused_rollout_is_resumed_where_it_was_paused(rollout, browser):
    client, form = browser("author"), {"rollout": rollout.number}
    assert 'value="rollout_pause"' in read_html(client.get(PAGE))
    client.post(f"/changes/{rollout.change_id}", form | {"do": "rollout_pause"})
    page = read_html(client.get(PAGE))
    assert "Go to 25 %" not in page, "the step is refused until somebody resumes"
    assert f'form="rollout-{rollout.number}" name="do" value="rollout_resume">Resume' in page
    assert f'action="/changes/{rollout.change_id}" id="rollout-{rollout.number}"' in page
    client.post(f"/changes/{rollout.change_id}", form | {"do": "rollout_resume"})
    rollout.refresh_from_db()
    assert rollout.state == Rollout.RUNNING
    assert "rollout_resume" not in read_html(browser("reader").get(PAGE))
