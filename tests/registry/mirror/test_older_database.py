"""A database restored from an older backup, with a mirror that is newer."""

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from registry import mirror
from registry.core.errors import Halted
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import keys
from registry.redaction import services as redaction_services
from registry.templates import labels
from registry.templates import save as template_save
from registry.templates.models import Template, Version
from tests.support import row_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]
TEMPLATE = "support/refunds/reply"


def save(actor, text, name=TEMPLATE):
    base = Template.objects.filter(name=name).values_list("latest__digest", flat=True).first()
    document = f"- name: question\n  content: {text}\n"
    return template_save.save_version(actor=actor, name=name, document=document, message=text, base=base).version


@pytest.fixture
def older(story, mirror_path):
    """Everything after the story is missing from the database but is in the mirror; return what there was."""
    mirror.catch_up()
    backup = transaction.savepoint()
    keys.issue_key(actor=story["admin"], namespace="support", name="shop", scope="read")
    save(story["author"], "A text of later")
    save(story["author"], "Another template", name="support/other")
    labels.move_label(actor=story["author"], name=TEMPLATE, label="staging", version=4, expected=3)
    redaction_services.redact_version(actor=story["admin"], name=TEMPLATE, version=1, reason="It had to go")
    mirror.catch_up()
    known = row_snapshot.snapshot_rows()
    transaction.savepoint_rollback(backup)
    return known


def test_every_write_is_refused_with_both_commands_named(older, story):
    count = Event.objects.count()
    with pytest.raises(Halted, match=r"older than its Git mirror.*mirror adopt.*mirror discard"):
        save(story["author"], "Too early")
    with pytest.raises(Halted):
        labels.move_label(actor=story["author"], name=TEMPLATE, label="staging", version=1, expected=3)
    assert Event.objects.count() == count


def test_reading_continues(older, story):
    assert Version.objects.get(template__name=TEMPLATE, number=3).document
    assert log.describe_disagreement().startswith("The database is older")


def test_the_api_and_the_pages_refuse_writes_with_the_reason(older, story):
    client = Client()
    client.force_login(story["author"].person)
    body = {"document": "- name: a\n  content: b\n", "message": ""}
    answer = client.put(f"/api/v1/templates/{TEMPLATE}2", body, content_type="application/json")
    assert (answer.status_code, answer.json()["type"], answer["Retry-After"]) == (503, "halted", "60")
    moved = client.post(f"/t/{TEMPLATE}/-/labels", {"label": "other", "version": "1", "expected": "", "do": "move"})
    assert (moved.status_code, "older than its Git mirror" in moved.content.decode()) == (503, True)
    assert client.get("/readyz").status_code == 503


def test_adopting_brings_back_what_only_the_mirror_knew(older, story, capsys):
    call_command("mirror", "adopt")
    assert "taken over into the database: " in capsys.readouterr().out
    for name, rows in row_snapshot.snapshot_rows().items():
        assert [row for row in rows if name != "Key"] == [row for row in older[name] if name != "Key"]
    assert mirror.verify() == []
    save(story["author"], "Writing goes on")


def test_adopting_keeps_what_the_database_had_next_to_the_journal(older, story):
    story["author"].person.set_password("author-promptuary")
    story["author"].person.save()
    mirror.adopt()
    story["author"].person.refresh_from_db()
    assert story["author"].person.check_password("author-promptuary")


def test_discarding_sets_the_mirror_aside_and_says_what_is_given_up(older, story, mirror_path, capsys):
    call_command("mirror", "discard")
    said = capsys.readouterr().out
    assert "Events that only the mirror had, now given up: 5." in said
    assert f"redact {TEMPLATE}@1 again" in said
    save(story["author"], "Writing goes on")
    mirror.catch_up()
    assert mirror.verify() == []
    assert list(mirror_path.parent.glob("mirror.git.2*"))


def test_a_rebuild_is_not_a_way_around_the_choice(older):
    with pytest.raises(CommandError, match="older than its Git mirror"):
        call_command("mirror", "rebuild")


def test_two_histories_are_distinguished_even_where_numbers_fit(story, mirror_path):
    backup = transaction.savepoint()
    save(story["author"], "One history")
    mirror.catch_up()
    transaction.savepoint_rollback(backup)
    (mirror_path / "promptuary-head").rename(mirror_path / "kept")
    save(story["author"], "Another history")
    (mirror_path / "kept").rename(mirror_path / "promptuary-head")
    with pytest.raises(Halted, match="two histories"):
        save(story["author"], "A third")
    with pytest.raises(mirror.MirrorError, match="parted"):
        mirror.adopt()


def test_a_damaged_note_stops_nothing(story, mirror_path):
    mirror.catch_up()
    (mirror_path / "promptuary-head").write_text("{")
    save(story["author"], "Go on")
    mirror.catch_up()
    assert (log.read_mark() or log.Mark(0, "")).number == Event.objects.count()


def test_the_question_costs_no_query_until_the_mirror_moved_on(story, mirror_path, django_assert_num_queries):
    mirror.catch_up()
    head = Event.objects.order_by("-number").values_list("number", "hash").first()
    log.require_agreement(head)
    with django_assert_num_queries(0):
        log.require_agreement(head)


def test_where_nothing_was_forgotten_there_is_nothing_to_adopt(story, mirror_path):
    mirror.catch_up()
    before = row_snapshot.snapshot_rows()
    assert mirror.adopt() == 0
    assert row_snapshot.snapshot_rows() == before
    save(story["author"], "The mirror is behind, not ahead")
    assert mirror.adopt() == 0


def test_a_missing_mirror_has_no_forgotten_events(story, mirror_path):
    assert mirror.list_forgotten() == []
