"""Proposing releases with reviewers and a date: everything or nothing."""

from datetime import timedelta

import pytest

from registry.changes.models import ChangeRequest
from registry.core.errors import Invalid
from registry.freezes import services as freezes
from registry.journal import log
from registry.journal.models import Event
from registry.releases import schedules
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection

NAMES = ("support/policy", "support/refunds/reply")
SOON = timedelta(days=2)


@pytest.fixture
def propose(author, save):
    """Propose one version of two templates for production."""
    selection = ReleaseSelection(versions={name: save("one", name=name).number for name in NAMES})

    def run(at=None, reviewers=()):
        return schedules.propose_releases_at(
            actor=author,
            at=at,
            reviewers=reviewers,
            label="production",
            title="Refund window",
            selections={"support": selection},
        )

    return run


def test_every_change_asks_the_reviewers_and_the_release_has_its_moment(propose):
    at = log.now() + SOON
    [proposed] = propose(at, ["reviewer", "admin", "reviewer"])
    assert [set(change.asked) for change in ChangeRequest.objects.all()] == [{"reviewer", "admin"}] * 2
    release = Release.objects.get()
    assert (release.number, release.goes_live_at, release.scheduled_by.username) == (
        proposed.release.number,
        at,
        "author",
    )
    assert Event.objects.latest("number").kind == "release.scheduled"


def test_without_them_nobody_is_asked_and_nothing_is_scheduled(propose):
    propose()
    assert Release.objects.get().goes_live_at is None
    assert {tuple(change.asked) for change in ChangeRequest.objects.all()} == {()}


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"reviewers": ["reader"]}, "reviewers"),
        ({"reviewers": ["reviewer", "author"]}, "reviewers"),
        ({"reviewers": ["nobody"]}, "reviewers"),
        ({"at": timedelta(days=-1)}, "goes_live_at"),
        ({"at": timedelta(days=400), "reviewers": ["reviewer"]}, "goes_live_at"),
    ],
)
def test_an_invalid_reviewer_or_time_creates_no_release(propose, facts, field):
    last = Event.objects.latest("number").number
    with pytest.raises(Invalid) as refused:
        propose(log.now() + facts["at"] if "at" in facts else None, facts.get("reviewers", ()))
    assert list(refused.value.fields) == [field]
    assert (Release.objects.count(), Event.objects.latest("number").number) == (0, last)


def test_a_moment_inside_a_freeze_is_refused_with_the_next_slot(propose, admin):
    begins = log.now() + timedelta(days=1)
    freezes.set_freeze(
        actor=admin,
        namespace="support",
        repeat="once",
        starts=begins.isoformat(),
        ends=(begins + timedelta(days=3)).isoformat(),
        reason="Stocktaking",
    )
    with pytest.raises(Invalid, match="has no releases until"):
        propose(log.now() + SOON)
    assert not Release.objects.exists()
