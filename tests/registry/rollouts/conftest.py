"""A template with version 1 in production and version 2 approved for it, and scores of its versions."""

import json
from typing import Any

import pytest

from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest
from registry.journal.models import Event
from registry.rollouts import services
from registry.rollouts.models import Rollout
from registry.usage.models import OutcomeTotal
from tests.support.recorded_rows import write_or_insert


@pytest.fixture
def approved(save, publish, propose, approve) -> ChangeRequest:
    """The approved change that proposes version 2."""

    def write() -> int:
        publish(save("one"))
        change: ChangeRequest = propose(save("two"))
        approve(change)
        return change.number

    return ChangeRequest.objects.get(number=write_or_insert("approved change", write))


@pytest.fixture
def start(author, approved):
    """Start a rollout of the approved change as the author."""

    def run(actor: Actor | None = None, **more: Any) -> Rollout:
        return services.start_rollout(actor=actor or author, change=approved.number, **more)

    return run


@pytest.fixture
def score():
    """Report scores of a version as services do: so many replies with this share of ones."""

    def run(version, count: int, ones: int, name: str = "helpful", by_person: bool = False) -> None:
        at = Rollout.objects.latest("number").created_at
        OutcomeTotal.objects.create(
            version=version,
            name=name,
            by_person=by_person,
            day=at.date(),
            count=count,
            total=float(ones),
            squares=float(ones),
            last_at=at,
        )

    return run


@pytest.fixture
def last_event():
    """Kind and body of the newest event."""

    def read() -> tuple[str, dict[str, Any]]:
        row = Event.objects.latest("number")
        return row.kind, json.loads(row.text)["body"]

    return read
