"""Comparison of the database with the model, and invariants that hold after every action."""

import shutil
from itertools import pairwise
from pathlib import Path

from django.conf import settings

from registry import mirror
from registry.changes import gate
from registry.changes.models import ChangeRequest
from registry.journal.models import Event
from registry.releases.models import Release
from registry.rollouts.models import Rollout
from registry.templates import label_moves, version_queries
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Template, Version
from tests.registry.mirror.test_restore import empty_the_database
from tests.registry.states.model import Model
from tests.support import row_snapshot

__all__ = ["check_approvals_of_moves", "check_numbers", "compare_gates", "compare_restore", "compare_rows"]


def compare_rows(model: Model) -> None:
    """Versions, labels, requests, rollouts and releases are those of the model."""
    _compare_versions(model)
    held = Label.objects.values_list("template__name", "name", "version__number")
    assert set(held) == {
        (name, label, number) for name, it in model.templates.items() for label, number in it.labels.items()
    }
    rollouts = Rollout.objects.order_by("number").values_list("number", "change_id", "state", "share")
    assert list(rollouts) == [(it.number, it.request, it.state, it.share) for it in model.rollouts]
    releases = Release.objects.order_by("number").values_list("number", "label", "state")
    assert list(releases) == [(it.number, it.label, it.state) for it in model.releases]
    archived = Template.objects.order_by("name").values_list("name", "archived_at")
    assert [(name, at is not None) for name, at in archived] == [
        (name, model.templates[name].is_archived) for name in sorted(model.templates)
    ]


def _compare_versions(model: Model) -> None:
    columns = ("template__name", "number", "base__number", "author__username", "redaction__pk", "digest")
    rows = Version.objects.order_by("template__name", "number").values_list(*columns)
    digests: dict[str, tuple[str, str]] = {}
    found = []
    for name, number, base, author, redaction, digest in rows:
        mark = model.templates[name].mark(number)
        assert digests.setdefault(digest, (name, mark)) == (name, mark)
        found.append((name, number, base, author, redaction is not None, mark))
    assert len(set(digests.values())) == len(digests)
    assert found == [
        (name, it.number, it.base, it.author, it.mark in template.redacted, it.mark)
        for name, template in sorted(model.templates.items())
        for it in template.versions
    ]


def compare_gates(model: Model) -> None:
    """Check that each request has the same state, blockers and contributors as in the model."""
    rows = ChangeRequest.objects.order_by("number").select_related(
        "template__namespace", "template__latest", "version__author", "opened_by", "release__opened_by"
    )
    for found, request in zip(gate.evaluate_many(rows, None), model.requests, strict=True):
        change, facts = found.change, found.facts
        waits = "approved" if model.is_enough(request) else "open"
        expected = (request.head, waits if request.is_pending else request.state, request.round, request.unreviewed)
        assert (change.version.number, change.state, change.round, change.unreviewed) == expected, request
        if request.is_pending or request.needs_approval:
            assert set(facts.contributors) == model.contributors(request), request
            assert {it.code for it in found.blockers} == model.blockers(request), request
    for template in Template.objects.select_related("namespace"):
        known = model.templates[template.name]
        for label in model.protected:
            assert label_moves.find_approval_of_label(template, label) == model.approval(known, label)
        for version in Version.objects.filter(template=template, redaction=None):
            accepted = version_queries.is_version_approved(template, version)
            assert accepted == model.is_accepted(known, version.number), version


def check_numbers() -> None:
    """Events, requests, and the versions of each template are numbered from 1 without gaps."""
    assert list(Event.objects.order_by("number").values_list("number", flat=True)) == list(
        range(1, Event.objects.count() + 1)
    )
    numbers = ChangeRequest.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, len(numbers) + 1))
    rows = Version.objects.order_by("template__name", "number").values_list("template__name", "number")
    for before, after in pairwise([("", 0), *rows]):
        assert after[1] == (before[1] + 1 if after[0] == before[0] else 1)


def check_approvals_of_moves() -> None:
    """Each move of a protected label was approved by people who neither wrote nor proposed it, or was an emergency or a
    roll back to what it held by approval."""
    approved: set[tuple[int, str, str]] = set()
    rows = LabelMove.objects.filter(protected=True).order_by("pk")
    for move in rows.select_related("after__author", "change__opened_by"):
        place = (move.template_id, move.label, move.after.digest)
        if move.how == "published":
            _check_two_people(move)
            approved.add(place)
        elif move.how == "broke_glass" and not move.change.unreviewed:
            approved.add(place)
    for move in rows.select_related("after"):
        assert move.how in ("published", "broke_glass", "rolled_back")
        assert move.how != "rolled_back" or (move.template_id, move.label, move.after.digest) in approved


def _check_two_people(move: LabelMove) -> None:
    decided = move.change.decided
    people = {it["person"] for it in decided["approvals"]}
    assert len(people) >= decided["needed"]
    exempt = {it["person"] for it in decided.get("exemptions", ())}
    assert not (people - exempt) & {move.after.author.username, move.change.opened_by.username}


def compare_restore(folder: Path) -> None:
    """The mirror has no difference, and the rows of a restore from it are the live ones. Empties the database.

    folder: an empty one, for the mirror; it is removed.
    """
    settings.MIRROR_PATH = folder / "mirror.git"
    try:
        mirror.catch_up()
        assert mirror.verify() == []
        before = row_snapshot.snapshot_rows()
        chain = Event.objects.order_by("-number").values_list("hash", flat=True).first()
        empty_the_database()
        assert mirror.restore(settings.MIRROR_PATH).chain == chain
        after = row_snapshot.snapshot_rows()
        for name, rows in before.items():
            assert after[name] == rows, name
    finally:
        shutil.rmtree(folder)
