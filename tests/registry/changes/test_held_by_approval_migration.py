"""Moves from before rows recorded protection: the migration, the restore and the services agree."""

import json
import subprocess

import pytest
from django.db import connection, transaction
from django.db.migrations.operations import RemoveField, RemoveIndex

from registry import mirror
from registry.changes import decisions, emergencies, rules
from registry.changes import services as change_services
from registry.changes.derivation import Protection
from registry.changes.models import ChangeRequest
from registry.journal import immutable_tables
from registry.journal.models import Event
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove
from tests.registry.mirror.test_restore import empty_the_database
from tests.support import schema

pytestmark = pytest.mark.dialect

NAME = "support/reply"


def protect(admin, *names):
    return rules.set_rules(actor=admin, namespace="support", protected_labels=list(names), break_glass=True).opened


def finish(author, reviewer, change):
    digest = change.version.digest
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=digest)
    change_services.publish_change(actor=author, number=change.number)


@pytest.fixture
def moved_in_every_way(save, author, reviewer, admin):
    """Moves of every kind, with and without protection: freely, published, loosened, in emergencies, back, removed."""
    for mark in ("one", "two", "three", "four"):
        save(mark)
    for expected, version in ((None, 1), (1, 2)):
        labels.move_label(actor=author, name=NAME, label="staging", version=version, expected=expected)
    propose = {"actor": author, "name": NAME, "message": ""}
    finish(author, reviewer, change_services.propose_change(**propose, label="production", version=1))
    finish(author, reviewer, change_services.propose_change(**propose, label="production", version=2))
    finish(author, reviewer, protect(admin, "production", "staging")[0])
    labels.roll_back_label(actor=reviewer, name=NAME, label="production", version=1, reason="It erred")
    loose = change_services.propose_change(**propose, label="production", version=3)
    digest = loose.version.digest
    decisions.decide_on_change(actor=reviewer, number=loose.number, decision="approve", digest=digest)
    protect(admin, "staging")
    change_services.publish_change(actor=author, number=loose.number)
    labels.roll_back_label(actor=reviewer, name=NAME, label="production", version=2, reason="It erred")
    labels.remove_label(actor=author, name=NAME, label="production", expected=2)
    protect(admin, "staging", "production")
    for label, version in (("production", 3), ("staging", 4)):
        urgent = change_services.propose_change(**propose, label=label, version=version)
        emergencies.publish_in_emergency(actor=reviewer, number=urgent.number, reason="It burns")
        if label == "production":
            decisions.decide_on_change(
                actor=reviewer, number=urgent.number, decision="approve", digest=urgent.version.digest
            )


def rows():
    columns = ("template__name", "label", "before__number", "after__number", "how", "change", "protected", "created_at")
    return list(LabelMove.objects.order_by("pk").values_list(*columns))


def repeat_migration():
    """Take the column away and let the migration make it again, in the tables of today: a tenth of the whole chain."""
    loader = schema.StepLoader(connection)
    state = loader.project_state()
    with connection.schema_editor() as editor:
        for operation in (RemoveIndex("labelmove", "label_move_protected"), RemoveField("labelmove", "protected")):
            before = state.clone()
            operation.state_forwards("registry", state)
            operation.database_forwards("registry", editor, before, state)
        loader.get_migration("registry", "0017_held_by_approval").apply(state, editor)


@pytest.mark.slow
def test_live_migrated_and_restored_rows_are_the_same(transactional_db, moved_in_every_way, settings, tmp_path, capsys):
    live = rows()
    assert [row[6] for row in live] == [False, False, True, True, True, True, False, False, False, True, True]
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    mirror.catch_up()
    schema.migrate_in_steps("0016_judged_runs")
    schema.migrate_in_steps()
    assert rows() == live
    assert immutable_tables.list_missing_triggers(connection) == []
    output = capsys.readouterr().out
    assert f"{NAME} production: 4 moves under protection; versions held by approval: 1, 2, 3." in output
    assert f"{NAME} staging: 2 moves under protection; versions held by approval: 2." in output
    assert "It serves version 4, which was not approved for it." in output
    assert "5 other label moves were made while their label was not protected." in output
    assert mirror.verify() == []
    subprocess.run(["git", "clone", "-q", settings.MIRROR_PATH, tmp_path / "clone"], check=True)
    with transaction.atomic():
        empty_the_database()
    mirror.restore(tmp_path / "clone")
    assert rows() == live


def test_the_migration_changes_no_event(transactional_db, moved_in_every_way):
    before = list(Event.objects.order_by("number").values_list("number", "text", "hash"))
    repeat_migration()
    assert list(Event.objects.order_by("number").values_list("number", "text", "hash")) == before


def test_a_move_that_the_journal_does_not_know_counts_as_unprotected_and_is_named(
    transactional_db, moved_in_every_way, author, capsys
):
    move = LabelMove.objects.filter(protected=True).order_by("pk").first()
    move.pk, move.created_at, move.protected = None, Label.objects.first().moved_at, True
    move.save(force_insert=True)
    repeat_migration()
    assert not LabelMove.objects.get(pk=move.pk).protected
    assert f"{NAME} production: 1 moves have no event in the journal" in capsys.readouterr().out


def test_an_empty_database_is_migrated_without_a_word(transactional_db, capsys):
    repeat_migration()
    assert capsys.readouterr().out == ""


def test_protection_follows_the_rules_event_by_event():
    def ruled(*names):
        return {"rules": {"protected_labels": list(names)}}

    labels = Protection([("namespace.created", "support", ruled("production")), ("namespace.created", "demo", ruled())])
    assert labels.is_protected("support", "production")
    assert not labels.is_protected("demo", "production")
    assert not labels.is_protected("unknown", "production")
    labels.apply_event("label.moved", "support", {"label": "staging"})
    labels.apply_event("namespace.ruled", "support", ruled("staging"))
    assert (labels.is_protected("support", "production"), labels.is_protected("support", "staging")) == (False, True)


def test_adopting_goes_on_with_the_rules_that_the_database_knows(
    transactional_db, moved_in_every_way, settings, tmp_path
):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    mirror.catch_up()
    live = rows()
    last = Event.objects.filter(kind="label.moved").latest("number")
    immutable_tables.remove_triggers(connection.schema_editor())
    LabelMove.objects.latest("pk").delete()
    change = json.loads(last.text)["body"]["change"]
    Label.objects.filter(name="staging").update(version=LabelMove.objects.filter(label="staging").latest("pk").after)
    ChangeRequest.objects.filter(number=change).update(state="open", unreviewed=False, closed_at=None)
    Event.objects.filter(number__gte=last.number).delete()
    assert mirror.adopt() == 1
    assert rows() == live
