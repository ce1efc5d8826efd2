"""The files that each kind of event writes."""

import subprocess

import pytest

from registry import mirror
from registry.changes import check_results, threads
from registry.changes import services as change_services
from registry.changes.threads import Place
from registry.journal import mirror_paths
from registry.journal.models import Event
from registry.mirror.repository import Repository
from registry.namespaces import keys
from registry.templates import archive, labels
from registry.templates.models import Version

pytestmark = pytest.mark.django_db
TEMPLATE = "support/refunds/reply"


def tree(path, ref=mirror_paths.MAIN):
    """Path to bytes of everything a branch holds now."""
    names = subprocess.run(
        ["git", "ls-tree", "-r", "-z", "--name-only", ref], cwd=path, capture_output=True, check=True
    )
    head = Repository(path).list_heads()[ref].commit
    return {name: Repository(path).read_file(head, name) for name in names.stdout.decode().split("\0") if name}


def test_main_holds_the_newest_document_and_samples(story, mirror_path):
    mirror.catch_up()
    files = tree(mirror_path)
    assert files["support/refunds/reply.yml.j2"].decode() == Version.objects.get(number=3).document
    assert files["support/refunds/reply.samples.yml"] == b"plain:\n  name: Ada\nother:\n  name: x\n"


def test_each_version_s_commit_holds_its_document_byte_for_byte(story, mirror_path):
    mirror.catch_up()
    saved = Event.objects.filter(kind="version.saved").select_related("commit")
    for event in saved:
        stored = Repository(mirror_path).read_file(event.commit.sha, "support/refunds/reply.yml.j2")
        assert stored.decode() == Version.objects.get(number=event.version).document
    assert len(saved) == 3


@pytest.mark.parametrize(("label", "number"), [("production", 2), ("staging", 3)])
def test_a_label_s_branch_holds_what_the_label_serves(story, mirror_path, label, number):
    mirror.catch_up()
    expected = {"support/refunds/reply.yml.j2": Version.objects.get(number=number).document.encode()}
    assert tree(mirror_path, mirror_paths.name_branch(label)) == expected


def test_a_removed_label_leaves_its_branch_and_its_file(story, mirror_path):
    labels.remove_label(actor=story["author"], name=TEMPLATE, label="staging", expected=3)
    mirror.catch_up()
    assert tree(mirror_path, mirror_paths.name_branch("staging")) == {}
    assert ".promptuary/support/labels/refunds/reply/staging.yml" not in tree(mirror_path)


def test_a_change_request_is_a_folder_of_its_steps(story, mirror_path):
    mirror.catch_up()
    steps = sorted(name for name in tree(mirror_path) if name.startswith(".promptuary/support/changes/1/"))
    assert [step.rsplit("-", 1)[1] for step in steps] == ["proposed.yml", "comment.yml", "approve.yml", "published.yml"]


def test_the_text_of_a_decision_is_readable(story, mirror_path):
    mirror.catch_up()
    (comment,) = (text for name, text in tree(mirror_path).items() if name.endswith("-comment.yml"))
    assert b"text: |-\n  Why?\n\n  Say: more\n" in comment


def test_the_version_s_file_holds_all_else_that_it_froze(story, mirror_path):
    mirror.catch_up()
    text = tree(mirror_path)[".promptuary/support/versions/refunds/reply.yml"].decode()
    assert f"digest: {Version.objects.get(number=3).digest}" in text.replace('"', "")
    assert "number: 3\n" in text


def test_a_key_is_a_file_without_its_secret_and_goes_when_revoked(story, mirror_path):
    issued = keys.issue_key(actor=story["admin"], namespace="support", name="shop", scope="read", person="reader")
    mirror.catch_up()
    secret = issued.secret.split("_", 2)[2]
    path = f".promptuary/support/keys/{issued.key.id}.yml"
    assert secret.encode() not in tree(mirror_path)[path]
    keys.revoke_key(actor=story["admin"], key_id=issued.key.id)
    mirror.catch_up()
    assert path not in tree(mirror_path)


def test_an_archived_template_has_a_file_with_the_reason_and_keeps_its_document(story, mirror_path):
    archive.archive_template(actor=story["admin"], name=TEMPLATE, reason="Not used", force=True)
    mirror.catch_up()
    assert b"reason: Not used" in tree(mirror_path)[".promptuary/support/archived/refunds/reply.yml"]
    archive.unarchive_template(actor=story["admin"], name=TEMPLATE)
    mirror.catch_up()
    assert ".promptuary/support/archived/refunds/reply.yml" not in tree(mirror_path)


def test_threads_and_verdicts_are_readable_files(story, mirror_path):
    change = change_services.propose_change(
        actor=story["author"], name=TEMPLATE, label="production", version=3, message=""
    )
    place = Place(version=3, line=4)
    threads.open_thread(actor=story["reviewer"], number=change.number, place=place, text="Hm", suggestion="    x\n")
    threads.resolve_thread(actor=story["author"], number=change.number, thread=1)
    check_results.run_checks(number=change.number)
    mirror.catch_up()
    files = tree(mirror_path)
    (comment,) = (text for name, text in files.items() if name.endswith("-thread-comment.yml"))
    assert b"text: Hm" in comment
    assert b"good bye" in comment
    assert any(name.endswith("-thread-resolved.yml") for name in files)
    assert any(name.startswith(".promptuary/support/verdicts/refunds/reply/") for name in files)


def test_every_kind_of_event_has_a_writer_or_a_file(story, mirror_path):
    mirror.catch_up()
    assert not [name for name in tree(mirror_path) if "/events/" in name]
