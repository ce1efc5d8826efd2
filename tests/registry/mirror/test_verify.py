"""Verifying: forgeries and changes are reported."""

import os
import subprocess

import pytest
from django.db import connection, transaction

from registry import mirror
from registry.journal import immutable_tables, mirror_paths
from registry.journal.models import Event
from registry.mirror.repository import Repository
from registry.namespaces import services as namespace_services
from registry.webhooks import services as webhook_services
from tests.registry.mirror.test_restore import empty_the_database

pytestmark = pytest.mark.django_db
PERSON = {f"GIT_{who}_{what}": "mallory" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(path, *arguments, **more):
    done = subprocess.run(
        ["git", *arguments], cwd=path, capture_output=True, check=True, text=True, env={**os.environ, **PERSON}, **more
    )
    return done.stdout.strip()


def forge(path, ref, message, parent, tree=None):
    """A commit by hand on top of a parent."""
    commit = git(path, "commit-tree", tree or f"{parent}^{{tree}}", "-p", parent, input=message)
    git(path, "update-ref", ref, commit)
    return commit


@pytest.fixture
def mirrored(support, mirror_path):
    mirror.catch_up()
    return mirror_path


def head(path):
    return Repository(path).list_heads()[mirror_paths.MAIN].commit


def test_an_untouched_mirror_has_no_findings(mirrored):
    assert mirror.verify() == []


def test_a_forged_commit_on_top_is_named(mirrored):
    forged = forge(mirrored, "refs/heads/main", "I was here\n", head(mirrored))
    (finding,) = mirror.verify()
    assert forged in finding
    assert "no event" in finding


def test_a_forged_commit_with_copied_trailers_is_named(mirrored):
    message = Repository(mirrored).list_heads()[mirror_paths.MAIN].message
    forged = forge(mirrored, "refs/heads/main", message, head(mirrored))
    assert forged in mirror.verify()[0]


def test_a_changed_message_is_named_with_the_line(mirrored):
    parent = git(mirrored, "rev-parse", "main^")
    message = Repository(mirrored).list_heads()[mirror_paths.MAIN].message
    forged = forge(
        mirrored, "refs/heads/main", message.replace("admin", "nobody", 1), parent, f"{head(mirrored)}^{{tree}}"
    )
    (finding,) = mirror.verify()
    assert forged in finding
    assert "mallory" in finding  # the first line that differs is the author's


def test_a_commit_that_ends_early_is_reported_to_lack_the_rest(mirrored):
    honest = git(mirrored, "cat-file", "commit", "main")
    lines = honest.split("\n")
    cut = git(mirrored, "hash-object", "-t", "commit", "-w", "--stdin", input="\n".join(lines[:-1]))
    git(mirrored, "update-ref", "refs/heads/main", cut)
    finding = mirror.verify()[0]
    assert cut in finding
    assert finding.endswith("it differs first at: (nothing)")


def test_a_changed_file_is_named_with_its_path(mirrored):
    blob = git(mirrored, "hash-object", "-w", "--stdin", input="role: admin\n")
    entries = git(mirrored, "ls-tree", "-r", "main")
    index = {"GIT_INDEX_FILE": str(mirrored / "forged-index")}
    path = ".promptuary/support/members/reader.yml"
    lines = "\n".join(
        f"100644 {blob}\t{path}" if line.endswith(path) else line.replace(" blob ", " ", 1)
        for line in entries.split("\n")
    )
    subprocess.run(
        ["git", "update-index", "--index-info"],
        input=lines + "\n",
        text=True,
        cwd=mirrored,
        check=True,
        env={**os.environ, **index},
    )
    tree = subprocess.run(
        ["git", "write-tree"], cwd=mirrored, check=True, env={**os.environ, **index}, capture_output=True, text=True
    )
    forge(
        mirrored,
        "refs/heads/main",
        Repository(mirrored).list_heads()[mirror_paths.MAIN].message,
        git(mirrored, "rev-parse", "main^"),
        tree.stdout.strip(),
    )
    assert path in mirror.verify()[0]


def test_a_stray_branch_and_a_moved_head_are_named(mirrored):
    git(mirrored, "update-ref", "refs/heads/mine", "main")
    git(mirrored, "symbolic-ref", "HEAD", "refs/heads/mine")
    moved, stray = mirror.verify()
    assert "HEAD" in moved
    assert "refs/heads/mine" in stray


def test_a_label_s_branch_without_a_move_is_named(mirrored):
    git(mirrored, "update-ref", "refs/heads/label/production", "main")
    assert "label/production" in mirror.verify()[0]


def test_a_mirror_set_back_is_reported_to_lack_events(mirrored):
    git(mirrored, "update-ref", "refs/heads/main", "main~2")
    assert "event 4" in mirror.verify()[0]
    mirror.catch_up()
    assert mirror.verify() == []


def test_a_damaged_object_is_found(mirrored):
    victim = next(path for path in mirrored.glob("objects/??/*"))
    victim.chmod(0o644)
    victim.write_bytes(b"damaged")
    assert mirror.verify() != []


def test_a_commit_hidden_behind_a_replacement_is_seen(mirrored):
    honest = head(mirrored)
    forged = forge(mirrored, "refs/heads/main", "I was here\n", git(mirrored, "rev-parse", "main^"))
    git(mirrored, "replace", forged, honest)
    findings = mirror.verify()
    assert forged in findings[0]
    assert any("refs/replace" in finding for finding in findings)


def test_no_mirror_at_all_is_a_finding(support, mirror_path):
    assert "no mirror" in mirror.verify()[0]


def test_the_writer_refuses_to_go_on_from_a_forged_head(mirrored):
    forged = forge(mirrored, "refs/heads/main", "I was here\n", head(mirrored))
    with pytest.raises(mirror.Diverged, match=forged[:12]):
        mirror.catch_up()


def test_a_database_older_than_its_mirror_refuses_to_write(mirrored, operator):
    immutable_tables.remove_triggers(connection.schema_editor())
    Event.objects.filter(number=5).delete()
    with pytest.raises(mirror.Diverged, match="older than its mirror"):
        mirror.catch_up()
    assert "older" in (mirror.read_status().diverged or "")


def test_a_changed_event_is_found_by_its_hash(mirrored):
    immutable_tables.remove_triggers(connection.schema_editor())
    event = Event.objects.get(number=3)
    Event.objects.filter(number=3).update(text=event.text.replace("reviewer", "outsider"))
    assert "event 3 was changed" in mirror.verify()[0]


def test_a_rebuilt_mirror_is_the_same_to_the_commit(mirrored):
    before = head(mirrored)
    backup = mirror.rebuild()
    assert head(mirrored) == before
    assert backup is not None
    assert head(backup) == before


def test_a_rebuild_sets_a_forged_mirror_aside(mirrored):
    before = head(mirrored)
    forge(mirrored, "refs/heads/main", "I was here\n", before)
    mirror.rebuild()
    assert head(mirrored) == before
    assert mirror.verify() == []


def test_an_empty_journal_needs_no_mirror(operator, mirror_path):
    assert mirror.verify() == []


def test_where_there_was_no_mirror_a_rebuild_keeps_none(support, mirror_path):
    assert mirror.rebuild() is None
    assert mirror.verify() == []
    assert [path.name for path in mirror_path.parent.glob("mirror.git*")] == ["mirror.git"]


def test_a_foreign_branch_does_not_stop_the_writer(mirrored, operator):
    git(mirrored, "update-ref", "refs/heads/mine", forge(mirrored, "refs/heads/mine", "I was here\n", "main"))
    namespace_services.create_namespace(actor=operator, name="next")
    assert mirror.catch_up() == 1


def test_a_long_list_of_findings_ends_with_a_word_on_it(mirrored):
    for number in range(60):
        (mirrored / f"refs/heads/stray{number}").write_text(f"{head(mirrored)}\n")
    findings = mirror.verify()
    assert len(findings) == 51
    assert findings[-1] == "There may be more; the list ends here."


@pytest.fixture
def webhook_for_some_templates(cast, mirror_path, settings):
    """A webhook that was set with a pattern of templates, mirrored."""
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    address = "http://127.0.0.1:9/hook"
    webhook_services.create_webhook(actor=cast["admin"], namespace="support", url=address, template="refunds/*")
    mirror.catch_up()


def test_the_pattern_of_a_webhook_is_not_a_finding(webhook_for_some_templates):
    assert mirror.verify() == []


def test_the_pattern_of_a_webhook_is_not_an_obstacle_to_a_restore(webhook_for_some_templates, mirror_path):
    with transaction.atomic():
        empty_the_database()
    mirror.restore(mirror_path)
    assert Event.objects.latest("number").template == ""
    assert mirror.verify() == []
