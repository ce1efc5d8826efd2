"""Restoring the database from a clone, compared field by field."""

import subprocess
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from registry import mirror
from registry.accounts.models import Key
from registry.changes import check_results, decisions, emergencies, rules, threads
from registry.changes import services as change_services
from registry.changes.threads import Place
from registry.journal import immutable_tables, log
from registry.journal.models import Event
from registry.namespaces import keys
from registry.namespaces.key_queries import authenticate_key
from registry.namespaces.models import Namespace
from registry.templates import archive, labels
from registry.templates import save as template_save
from tests.registry.mirror.conftest import save
from tests.support import row_snapshot
from tests.support.recorded_rows import write_or_insert

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]
TEMPLATE = "support/refunds/reply"


@pytest.fixture
def full(story):
    """The story and the rarer events: a key and its end, rules, an archived template,
    requests withdrawn and reopened."""
    return write_or_insert("all that a restore brings back", lambda: _write_rarer_events(story))


def _write_rarer_events(story):
    author, reviewer, admin = story["author"], story["reviewer"], story["admin"]
    issued = keys.issue_key(
        actor=admin, namespace="support", name="shop", scope="read", person="reader", approved_only=True
    )
    keys.revoke_key(
        actor=admin, key_id=keys.issue_key(actor=admin, namespace="support", name="old", scope="write").key.id
    )
    ending = keys.issue_key(actor=admin, namespace="support", name="ending", scope="read").key
    keys.revoke_key(actor=admin, key_id=ending.id, keep_until=log.now() + timedelta(hours=1))
    change = change_services.propose_change(actor=author, name=TEMPLATE, label="production", version=3, message="")
    change_services.withdraw_change(actor=author, number=change.number, reason="Not yet")
    change_services.reopen_change(actor=author, number=change.number)
    fourth = save(author, "hello again {{ name }}", change.version.digest)
    change_services.set_head(actor=author, number=change.number, version=fourth.version.number)
    labels.remove_label(actor=author, name=TEMPLATE, label="staging", expected=3)
    document = "---\ntags: [old, new]\ndescription: Käse\n---\n- name: a\n  role: user\n  content: Hi\n"
    template_save.save_version(
        actor=author, name="support/old", document=document, message="", copied_from=f"{TEMPLATE}@1"
    )
    archive.archive_template(actor=admin, name="support/old", reason="")
    talk(author, reviewer, change.number)
    hurry(author, reviewer, admin)
    check_results.run_checks(number=change.number)
    standards = {"samples": {"severity": "warning"}, "banned_words": {"words": ["guarantee", "für immer"]}}
    rules.set_rules(actor=admin, namespace="support", standards=standards)
    return {"secret": issued.secret}


def hurry(author, reviewer, admin):
    """Three emergencies: one was approved after the fact, one was closed after the label had moved on, one waits."""
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    for name, decider in (("support/first", admin), ("support/second", None)):
        template_save.save_version(actor=author, name=name, document="- name: a\n  content: Hi\n", message="")
        change = change_services.propose_change(actor=author, name=name, label="production", version=1, message="")
        emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="It can't wait")
        if decider:
            digest = change.version.digest
            decisions.decide_on_change(actor=decider, number=change.number, decision="approve", digest=digest)
    replace_and_close(author, reviewer, admin)


def replace_and_close(author, reviewer, admin):
    name = "support/third"
    first = template_save.save_version(
        actor=author, name=name, document="- name: a\n  content: Hi\n", message=""
    ).version
    emergency = change_services.propose_change(actor=author, name=name, label="production", version=1, message="")
    emergencies.publish_in_emergency(actor=reviewer, number=emergency.number, reason="It can't wait")
    document = "- name: a\n  content: Ho\n"
    second = template_save.save_version(
        actor=author, name=name, document=document, message="", base=first.digest
    ).version
    change = change_services.propose_change(actor=author, name=name, label="production", version=2, message="")
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=second.digest)
    change_services.publish_change(actor=author, number=change.number)
    emergencies.close_emergency(actor=admin, number=emergency.number, reason="Version 2 holds it")


def talk(author, reviewer, number):
    """Two threads: one resolved and taken up again, one with a suggestion that removes its line, closed."""
    first = threads.open_thread(actor=reviewer, number=number, place=Place(version=4, line=1), text="Why?\n\n  Really")
    threads.resolve_thread(actor=author, number=number, thread=first.number)
    threads.reply_to_thread(actor=reviewer, number=number, thread=first.number, text="Because")
    place = Place(version=4, line=2, end_line=3)
    second = threads.open_thread(actor=reviewer, number=number, place=place, text="", suggestion="")
    threads.resolve_thread(actor=author, number=number, thread=second.number)


def empty_the_database():
    """Delete all rows of the registry's tables, as if the database were new."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        immutable_tables.remove_triggers(connection.schema_editor())
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for model in apps.get_app_config("registry").get_models(include_auto_created=True):
            cursor.execute(f"DELETE FROM {model._meta.db_table}")


@pytest.fixture
def clone(full, mirror_path, tmp_path):
    """A clone of the mirror, made before all else was lost."""
    mirror.catch_up()
    subprocess.run(["git", "clone", "-q", mirror_path, tmp_path / "clone"], check=True)
    return tmp_path / "clone"


def test_every_model_has_a_row_in_the_table():
    assert sorted(row_snapshot.read_table()) == sorted(
        model.__name__ for model in apps.get_app_config("registry").get_models()
    )


def test_every_journalled_row_comes_back_field_by_field(clone, mirror_path, tmp_path, settings):
    before, chain = (
        row_snapshot.snapshot_rows(),
        Event.objects.order_by("-number").values_list("hash", flat=True).first(),
    )
    empty_the_database()
    restored = mirror.restore(clone)
    for name, rows in row_snapshot.snapshot_rows().items():
        assert rows == before[name]
    assert restored.chain == chain


def test_the_restored_instance_writes_the_same_mirror(clone, mirror_path, tmp_path, settings, capsys):
    before = subprocess.run(["git", "for-each-ref"], cwd=mirror_path, capture_output=True, check=True).stdout
    empty_the_database()
    settings.MIRROR_PATH = tmp_path / "fresh" / "mirror.git"
    call_command("restore", from_git=clone)
    assert "equal to" in capsys.readouterr().out
    assert (
        subprocess.run(["git", "for-each-ref"], cwd=settings.MIRROR_PATH, capture_output=True, check=True).stdout
        == before
    )


def test_a_restored_key_opens_nothing(clone, full):
    assert authenticate_key(full["secret"]) is not None
    empty_the_database()
    mirror.restore(clone)
    assert Key.objects.count() == 3
    assert authenticate_key(full["secret"]) is None
    assert authenticate_key(f"pb_{Key.objects.first().id}_") is None


def test_only_an_empty_database_is_restored_into(clone):
    with pytest.raises(mirror.MirrorError, match="not empty"):
        mirror.restore(clone)


def test_a_folder_without_a_repository_is_refused(db, tmp_path):
    with pytest.raises(mirror.MirrorError, match="isn't a Git repository"):
        mirror.restore(tmp_path)


def test_a_folder_that_only_looks_like_a_repository_is_refused(db, tmp_path):
    (tmp_path / "HEAD").write_text("ref: refs/heads/main\n")
    with pytest.raises(mirror.MirrorError, match=r"can't be read: .*not a git repository"):
        mirror.restore(tmp_path)


def test_a_repository_without_main_is_refused(db, tmp_path):
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "empty.git"], check=True)
    with pytest.raises(mirror.MirrorError, match="has no branch main"):
        mirror.restore(tmp_path / "empty.git")


def test_a_main_that_is_not_a_commit_holds_no_event(db, tmp_path):
    clone = tmp_path / "odd.git"
    subprocess.run(["git", "init", "-q", "--bare", clone], check=True)
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=clone, input=b"Hi", capture_output=True, check=True
    )
    (clone / "refs/heads/main").write_bytes(blob.stdout)
    with pytest.raises(mirror.MirrorError, match="holds no event"):
        mirror.restore(clone)


def test_a_clone_without_its_older_commits_is_refused(full, mirror_path, tmp_path):
    mirror.catch_up()
    subprocess.run(["git", "clone", "-q", "--depth", "2", f"file://{mirror_path}", tmp_path / "shallow"], check=True)
    with pytest.raises(mirror.MirrorError, match="fetch them with `git fetch --unshallow`"):
        mirror.restore(tmp_path / "shallow")


def test_a_damaged_clone_is_refused_and_nothing_is_stored(clone):
    lost = subprocess.run(["git", "rev-parse", "HEAD~3"], cwd=clone, capture_output=True, check=True, text=True).stdout
    loose = clone / ".git/objects" / lost[:2] / lost[2:].strip()
    for pack in (clone / ".git/objects/pack").glob("*.pack"):
        with pack.rename(clone / pack.name).open("rb") as packed:
            subprocess.run(["git", "unpack-objects", "-q"], cwd=clone, stdin=packed, check=True)
    loose.unlink()
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match=r"is damaged: git log .*Take another clone"):
        mirror.restore(clone)
    assert not Namespace.objects.exists()


def amend(clone, path, old, new):
    """Rewrite the newest commit that has the path, with other bytes in it, and make that main."""
    file = clone / path
    file.write_bytes(file.read_bytes().replace(old, new))
    person = ["-c", "user.name=mallory", "-c", "user.email=m@example.org"]
    subprocess.run(["git", *person, "commit", "-q", "--amend", "--no-edit", path], cwd=clone, check=True)


def test_an_edited_document_stops_the_restore_and_nothing_is_stored(clone):
    last = subprocess.run(
        ["git", "log", "-1", "--format=%H", "--", "support/old.yml.j2"], cwd=clone, capture_output=True, check=True
    )
    subprocess.run(["git", "reset", "-q", "--hard", last.stdout.decode().strip()], cwd=clone, check=True)
    amend(clone, "support/old.yml.j2", b"Hi", b"Evil")
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match="digest"):
        mirror.restore(clone)
    assert not Namespace.objects.exists()


def test_a_commit_added_by_hand_stops_the_restore_and_is_named(clone):
    person = ["-c", "user.name=mallory", "-c", "user.email=m@example.org"]
    subprocess.run(["git", *person, "commit", "-q", "--allow-empty", "-m", "I was here"], cwd=clone, check=True)
    forged = (
        subprocess.run(["git", "rev-parse", "HEAD"], cwd=clone, capture_output=True, check=True).stdout.decode().strip()
    )
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match=forged):
        mirror.restore(clone)
