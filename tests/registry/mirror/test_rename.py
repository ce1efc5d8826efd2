"""A renaming in Git: the files move in one commit on every branch, and the database comes back from a clone."""

import subprocess

import pytest

from registry import mirror
from registry.changes import decisions
from registry.changes import services as change_services
from registry.journal import mirror_paths
from registry.redaction import services as redaction_services
from registry.templates import rename
from registry.templates import save as template_save
from registry.templates.models import Template
from tests.registry.mirror.test_restore import empty_the_database
from tests.support import row_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]
TEMPLATE, NAME = "support/refunds/reply", "support/answers/reply"


def git(path, *arguments):
    return subprocess.run(["git", *arguments], cwd=path, capture_output=True, check=True, text=True).stdout


def files(path, branch):
    return git(path, "ls-tree", "-r", "--name-only", branch).splitlines()


@pytest.fixture
def renamed(story, mirror_path):
    """The story in Git, and then the renaming of its template."""
    mirror.catch_up()
    rename.rename_template(actor=story["admin"], name=TEMPLATE, to=NAME, reason="Clearer")
    return mirror_path


def restored(path, tmp_path):
    """The rows that a restore from a clone does not bring back as they were."""
    clone = tmp_path / "clone.git"
    git(path, "clone", "-q", "--mirror", str(path), str(clone))
    before = row_snapshot.snapshot_rows()
    empty_the_database()
    mirror.restore(clone)
    after = row_snapshot.snapshot_rows()
    return {name: set(rows) ^ set(after[name]) for name, rows in before.items() if set(rows) != set(after[name])}


def test_the_files_move_in_one_commit_on_every_branch(renamed):
    before = files(renamed, "main")
    mirror.catch_up()
    assert mirror.verify() == []
    moved = [path.replace("refunds/reply", "answers/reply") for path in before if "verdicts" not in path]
    paths = [path for path in before if "verdicts" in path]
    assert sorted(files(renamed, "main")) == sorted(
        [*moved, *paths, ".promptuary/support/former-names/refunds/reply.yml"]
    )
    branches = git(renamed, "for-each-ref", "--format=%(refname:short)", mirror_paths.LABELS).split()
    assert branches
    for branch in branches:
        assert f"{TEMPLATE}.yml.j2" not in files(renamed, branch)
    assert f"{NAME}.yml.j2" in files(renamed, "label/production")
    status = git(renamed, "show", "--name-status", "-M100%", "--format=", "label/production").split()
    assert status == ["R100", f"{TEMPLATE}.yml.j2", f"{NAME}.yml.j2"]


def test_the_history_of_a_document_goes_on_over_the_renaming(renamed, story):
    latest = Template.objects.get(name=NAME).latest
    text = latest.document.replace("\n", "\n\n", 1)
    saved = template_save.save_version(
        actor=story["author"], name=NAME, document=text, message="After", base=latest.digest
    )
    mirror.catch_up()
    assert mirror.verify() == []
    lines = git(renamed, "log", "--follow", "--format=%s", "main", "--", f"{NAME}.yml.j2").splitlines()
    assert lines[0] == f"{NAME} {saved.version.number}: After"
    assert lines[1] == f"{TEMPLATE}: renamed to {NAME}"
    assert lines[-1].startswith(f"{TEMPLATE} 1")


def test_the_database_comes_back_with_its_former_names(renamed, story, tmp_path):
    rename.rename_template(actor=story["admin"], name=NAME, to="support/third")
    rename.rename_template(actor=story["admin"], name="support/third", to=TEMPLATE)
    rename.rename_folder(actor=story["admin"], folder="support/refunds", to="support/returns")
    mirror.catch_up()
    assert mirror.verify() == []
    assert restored(renamed, tmp_path) == {}
    template = Template.objects.get(name="support/returns/reply")
    assert set(template.former_names.values_list("name", flat=True)) == {TEMPLATE, NAME, "support/third"}


def test_a_version_that_is_redacted_later_leaves_every_name(renamed, story, tmp_path):
    newest = Template.objects.get(name=NAME).latest
    mirror.catch_up()
    redaction_services.redact_version(
        actor=story["admin"], name=NAME, version=newest.number, reason="A name stood in it", force=True
    )
    mirror.catch_up()
    assert mirror.verify() == []
    assert f"{NAME}.yml.j2" not in files(renamed, "main")
    assert restored(renamed, tmp_path) == {}


def test_a_mirror_that_is_made_again_is_the_same(renamed):
    mirror.catch_up()
    before = git(renamed, "for-each-ref")
    mirror.rebuild()
    assert git(renamed, "for-each-ref") == before


def test_a_request_from_before_the_renaming_is_restored_as_published(story, mirror_path, tmp_path):
    author = story["author"]
    change = change_services.propose_change(actor=author, name=TEMPLATE, label="production", version=3, message="")
    rename.rename_template(actor=story["admin"], name=TEMPLATE, to=NAME)
    decisions.decide_on_change(
        actor=story["reviewer"], number=change.number, decision="approve", digest=change.version.digest
    )
    change_services.publish_change(actor=author, number=change.number)
    mirror.catch_up()
    assert restored(mirror_path, tmp_path) == {}
