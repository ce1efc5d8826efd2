"""A journal from before versions recorded merges and requests recorded the state of their decision."""

import importlib
import json
import subprocess

import pytest
from django.apps import apps

from registry import mirror
from registry.changes import check_results, decisions, gate, suggestions, threads
from registry.changes import merge as change_merge
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.changes.threads import Place
from registry.journal import log
from registry.journal.models import Event
from registry.templates import save as template_save
from registry.templates.contribution_models import Contribution
from tests.registry.mirror.conftest import TEMPLATE
from tests.registry.mirror.test_restore import empty_the_database
from tests.support import row_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]
NEWER = ("merged_from", "suggestions", "from", "decided")
BASE = "- name: one\n  content: first\n- name: two\n  content: second\n- name: three\n  content: third\n"


def save(actor, text, base):
    return template_save.save_version(
        actor=actor, name=TEMPLATE, document=text, message="", base=base.digest if base else None, parallel=True
    ).version


def publish(people, version):
    change = change_services.propose_change(
        actor=people["author"], name=TEMPLATE, label="production", version=version.number, message=""
    )
    check_results.run_checks(number=change.number)
    decisions.decide_on_change(
        actor=people["reviewer"], number=change.number, decision="approve", digest=version.digest
    )
    return change_services.publish_change(actor=people["author"], number=change.number)


def tell(people):
    """Versions 1 and 2 go live; 3, by the reviewer, is merged into 4 with a request;
    5 takes in a suggestion of the admin."""
    author, admin = people["author"], people["admin"]
    first = save(author, BASE, None)
    publish(people, first)
    second = save(author, BASE.replace("first", "FIRST"), first)
    publish(people, second)
    third = save(people["reviewer"], BASE.replace("third", "THIRD"), first)
    change_services.propose_change(actor=author, name=TEMPLATE, label="production", version=third.number, message="")
    change_merge.merge_change(actor=author, number=3)
    change_services.withdraw_change(actor=author, number=3, reason="Not needed")
    change_services.reopen_change(actor=author, number=3)
    place = Place(version=4, line=2)
    threads.open_thread(actor=admin, number=3, place=place, text="", suggestion="  content: better\n")
    suggestions.apply_suggestions(actor=author, number=3, comments=[(1, 1)], confirm=True)


@pytest.fixture
def without(monkeypatch):
    """The services as before: they don't write any of this."""
    append = log.append

    def old_append(author, event, **facts):
        newer = [name for name in NEWER if not (name == "from" and event.kind == "label.moved")]
        body = {name: value for name, value in event.build_body().items() if name not in newer}
        return append(author, event.from_body(body), **facts)

    monkeypatch.setattr(log, "append", old_append)
    monkeypatch.setattr(template_save, "_add_contributions", lambda *_: None)


def took_in():
    rows = Contribution.objects.order_by("version__number")
    return [
        (
            row.version.number,
            row.source.number if row.source else None,
            row.comment.person.username if row.comment else None,
        )
        for row in rows
    ]


TAKEN = [(4, 3, None), (5, None, "admin")]


def test_merged_suggestions_are_stored_with_the_version(cast):
    tell(cast)
    assert took_in() == TAKEN


def migrate():
    ChangeRequest.objects.update(decided=None)
    importlib.import_module("migrations.0021_derive_contributors").derive(apps, None)


def test_the_migration_and_a_restore_derive_the_same(cast, without, mirror_path, tmp_path, capsys):
    tell(cast)
    assert took_in() == []
    assert not any(json.loads(event.text)["body"].get("decided") for event in Event.objects.all())
    migrate()
    assert took_in() == TAKEN
    assert f"{TEMPLATE}@5 took in a suggestion of admin (change 3)" in capsys.readouterr().out
    mirror.catch_up()
    subprocess.run(["git", "clone", "-q", mirror_path, tmp_path / "clone"], check=True)
    before = row_snapshot.snapshot_rows()
    empty_the_database()
    mirror.restore(tmp_path / "clone")
    after = row_snapshot.snapshot_rows()
    assert after["Contribution"] == before["Contribution"]
    assert after["ChangeRequest"] == before["ChangeRequest"]
    assert took_in() == TAKEN


def test_the_derived_and_the_written_decision_are_the_same(cast, monkeypatch):
    tell(cast)
    written = dict(ChangeRequest.objects.values_list("number", "decided"))
    assert [one["person"] for one in written[1]["approvals"]] == ["reviewer"]
    rows = list(Event.objects.order_by("number"))
    bodies = [{k: v for k, v in json.loads(row.text)["body"].items() if k != "decided"} for row in rows]
    derived = {}
    derivation, fact = _reader()
    for row, body in zip(rows, bodies, strict=True):
        found = derivation.decided(fact(row, body))
        if found is not None:
            derived[row.change] = found
        derivation.take(fact(row, body))
    for number in (1, 2):
        assert derived[number]["approvals"] == written[number]["approvals"]
        checks = [check for check in written[number]["checks"] if check["outcome"] and check["at"]]
        assert derived[number]["checks"] == checks


def _reader():
    rows = importlib.import_module("registry.mirror.restorer").Rows()
    return rows.derivation, rows.build_fact


def test_contributors_cannot_approve_after_the_migration(cast, without):
    tell(cast)
    migrate()
    change = ChangeRequest.objects.get(number=3)
    assert gate.evaluate(change, cast["reviewer"]).refusal.startswith("You wrote version 3")
    assert gate.evaluate(change, cast["admin"]).refusal.startswith("Your suggestion is in version 5")


def test_an_older_publication_is_restored_by_the_rules_of_its_day(cast, without, mirror_path, tmp_path, monkeypatch):
    """Version 3 contains the reviewer's version 2: then the reviewer's approval counted,
    and it still does in what is past."""
    author, reviewer = cast["author"], cast["reviewer"]
    first = save(author, BASE, None)
    publish(cast, first)
    second = save(reviewer, BASE.replace("first", "FIRST"), first)
    third = save(author, BASE.replace("first", "FIRST!"), second)
    with monkeypatch.context() as patch:
        patch.setattr("registry.changes.gate_facts.find_contributors", lambda _history, _request: {})
        publish(cast, third)
    migrate()
    mirror.catch_up()
    subprocess.run(["git", "clone", "-q", mirror_path, tmp_path / "clone"], check=True)
    empty_the_database()
    assert mirror.restore(tmp_path / "clone").events
