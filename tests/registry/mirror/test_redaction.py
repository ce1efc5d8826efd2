"""A redacted text is removed from Git too: every commit, branch and copy next to the mirror."""

import subprocess

import pytest

from registry import mirror
from registry.changes import check_results, threads
from registry.changes import services as change_services
from registry.changes.threads import Place
from registry.journal.models import Event
from registry.redaction import services as redaction_services
from registry.templates import labels, samples
from registry.templates import save as template_save
from registry.templates.models import Version
from tests.registry.mirror.test_restore import empty_the_database
from tests.support import row_snapshot
from tests.support.recorded_rows import write_or_insert

pytestmark = pytest.mark.django_db
TEMPLATE = "support/refunds/reply"


def git(path, *arguments):
    return subprocess.run(["git", *arguments], cwd=path, capture_output=True, check=True).stdout


def redact(cast, number=3, **more):
    return redaction_services.redact_version(
        actor=cast["admin"], name=TEMPLATE, version=number, reason="It says good bye", **more
    )


@pytest.fixture
def mirrored(story, mirror_path):
    """The story in Git; version 3 was on staging, and is the latest no more."""
    write_or_insert("story that goes on", lambda: _go_on(story))
    mirror.catch_up()
    return mirror_path


def _go_on(story):
    author = story["author"]
    base = Event.objects.filter(kind="version.saved").order_by("-number").first()
    digest = Version.objects.get(number=3).digest
    document = "- name: question\n  content: Hi again {{ name }}\n"
    template_save.save_version(actor=author, name=TEMPLATE, document=document, message="", base=digest)
    change = change_services.propose_change(actor=author, name=TEMPLATE, label="production", version=3, message="")
    threads.open_thread(actor=author, number=change.number, place=Place(version=3, line=4), text="Hm")
    check_results.run_checks(number=change.number)
    change_services.set_head(actor=author, number=change.number, version=4)
    labels.move_label(actor=author, name=TEMPLATE, label="staging", version=4, expected=3)
    samples.save_samples(actor=author, name=TEMPLATE, samples={})
    assert base is not None


def holds(path, text=b"    good bye"):  # as the document has it; the commit's subject has the author's own words
    return text in git(path, "cat-file", "--batch", "--batch-all-objects")


def test_the_next_catch_up_writes_a_history_without_it(story, mirrored):
    assert holds(mirrored)
    redact(story)
    assert mirror.catch_up() == 1
    assert not holds(mirrored)
    assert mirror.verify() == []


def test_a_damaged_mirror_is_not_kept_after_a_redaction(story, mirrored):
    redact(story)
    (mirrored / "HEAD").write_text("")
    assert mirror.rebuild() is None
    assert [path.name for path in mirrored.parent.glob("mirror.git*")] == ["mirror.git"]
    assert not holds(mirrored)


def test_files_beside_the_redacted_version_are_unchanged(story, mirrored):
    before = git(mirrored, "ls-tree", "-r", "main").split(b"\n")
    redact(story)
    mirror.catch_up()
    after = git(mirrored, "ls-tree", "-r", "main").split(b"\n")
    changed = {line.split(b"\t")[1].decode() for line in set(before) ^ set(after)}
    assert ".promptuary/support/redacted/refunds/reply/3.yml" in changed
    assert all("/redacted/" in path or "/changes/" in path or "/verdicts/" in path for path in changed)


def test_no_older_mirror_next_to_it_keeps_the_text(story, mirrored):
    backup = mirror.rebuild()
    assert backup.exists()
    redact(story)
    assert mirror.rebuild() is None
    assert not backup.exists()
    assert sorted(path.name for path in mirrored.parent.glob("mirror*")) == ["mirror.git", "mirror.lock"]


def test_writing_it_again_gives_the_same_commits(story, mirrored):
    redact(story)
    mirror.catch_up()
    before = git(mirrored, "for-each-ref")
    mirror.rebuild()
    assert git(mirrored, "for-each-ref") == before


def test_the_database_comes_back_with_its_tombstones(story, mirrored, tmp_path):
    redact(story)
    redact(story, 4, force=True)
    mirror.catch_up()
    git(tmp_path, "clone", "-q", str(mirrored), "clone")
    before = row_snapshot.snapshot_rows()
    chain = Event.objects.order_by("-number").values_list("hash", flat=True).first()
    empty_the_database()
    assert mirror.restore(tmp_path / "clone").chain == chain
    for name, rows in row_snapshot.snapshot_rows().items():
        assert rows == before[name]
    mirror.catch_up()
    assert mirror.verify() == []


def test_a_label_that_serves_it_serves_nothing_in_git(story, mirrored):
    redact(story, 4, force=True)
    mirror.catch_up()
    assert git(mirrored, "ls-tree", "-r", "label/staging") == b""
