"""A mirror that Git can't read: reported with the remedy, and rewritten by a rebuild."""

import itertools
import shutil

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from git import Git

from registry import mirror
from registry.journal import mirror_paths
from registry.journal.models import Event
from registry.mirror.git import Program
from registry.mirror.models import Remote
from registry.mirror.repository import Repository
from tests.registry.mirror.test_restore import empty_the_database
from tests.registry.mirror.test_verify import git
from tests.support.failing_calls import limit_file_size

pytestmark = pytest.mark.django_db


def empty_head(path):
    (path / "HEAD").write_text("")


def break_main(path):
    (path / "refs/heads/main").write_text("garbage\n")


def lose_objects(path):
    shutil.rmtree(path / "objects")


def break_index(path):
    Repository(path).repack()
    index = next(path.glob("objects/pack/*.idx"))
    index.chmod(0o644)
    index.write_bytes(index.read_bytes()[:60] + b"damaged" + index.read_bytes()[67:])


DAMAGES = [empty_head, break_main, lose_objects, break_index]


@pytest.fixture(params=DAMAGES, ids=lambda damage: damage.__name__)
def damaged(request, support, mirror_path):
    """The mirror's folder and the commit that its `main` was at before it was damaged."""
    mirror.catch_up()
    head = Repository(mirror_path).list_heads()[mirror_paths.MAIN].commit
    request.param(mirror_path)
    return mirror_path, head


def test_the_status_of_a_damaged_mirror_has_the_error_and_no_mirrored_events(damaged, capsys):
    state = mirror.read_status()
    assert (state.mirrored, state.head, state.diverged) == (0, None, None)
    assert state.behind == state.journal > 0
    assert state.unreadable.startswith("The mirror can't be read: git for-each-ref ended with status ")
    assert state.unreadable.endswith("`manage.py mirror rebuild` sets it aside and writes it again.")
    with pytest.raises(CommandError, match="can't be read"):
        call_command("mirror", "status")
    assert '"unreadable": "The mirror can' in capsys.readouterr().out


def test_the_writer_stops_with_the_way_out(damaged, operator):
    with pytest.raises(mirror.Damaged, match="mirror rebuild"):
        mirror.catch_up()


def test_a_verification_finds_it(damaged, capsys):
    with pytest.raises(CommandError, match="not what the journal says"):
        call_command("mirror", "verify")
    captured = capsys.readouterr()
    assert captured.err.startswith("The mirror has stopped. The mirror can't be read")
    assert "Git can't read the mirror" in captured.out


def test_a_rebuild_sets_it_aside_and_writes_it_again(damaged):
    path, head = damaged
    backup = mirror.rebuild()
    assert backup is not None
    assert backup.name.startswith("mirror.git.2")
    assert git(path, "rev-parse", "main") == head
    assert mirror.verify() == []


def test_a_discard_says_that_it_can_list_nothing(damaged, capsys):
    path, head = damaged
    call_command("mirror", "discard")
    captured = capsys.readouterr()
    assert captured.err.startswith("What only the mirror knew can't be listed: ")
    assert "If it held redactions, do them again." in captured.out
    assert git(path, "rev-parse", "main") == head


def test_a_push_fails_with_the_reason(damaged):
    remote = Remote.objects.create(name="backup", url="https://git.example.org/prompts.git", added_at=timezone.now())
    assert not mirror.push(remote)
    remote.refresh_from_db()
    assert remote.error.startswith("The mirror can't be read")


def test_the_readiness_names_the_command(damaged, client):
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["mirror"] == "can't be read: run manage.py mirror status"


def test_a_folder_without_a_head_is_kept_aside(support, mirror_path):
    mirror.catch_up()
    (mirror_path / "HEAD").unlink()
    backup = mirror.rebuild()
    assert backup is not None
    assert (backup / "objects").is_dir()
    assert mirror.verify() == []


def test_a_full_disk_is_shown_in_a_sentence(support, mirror_path):
    mirror.catch_up()
    program = Program(mirror_path)
    with pytest.raises(mirror.DiskFull, match=f"^The disk of {mirror_path} is full, so Git can't write. Make room"):
        program.write("diff-tree", "-p", "--root", "--output=/dev/full", "main")


def test_a_rebuild_that_fails_keeps_the_mirror_and_deletes_what_it_wrote(support, mirror_path):
    mirror.catch_up()
    before = mirror.read_status()
    with limit_file_size(600), pytest.raises(mirror.GitFailed):
        mirror.rebuild()
    assert [path.name for path in mirror_path.parent.glob("mirror.git*")] == [mirror_path.name]
    assert mirror.catch_up() == 0
    assert (mirror.read_status().head, mirror.verify()) == (before.head, [])


def test_a_mirror_without_the_git_program_is_not_called_damaged(support, mirror_path, monkeypatch, tmp_path):
    mirror.catch_up()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert mirror.read_status().unreadable == "The `git` program was not found; the mirror needs it."


@pytest.mark.parametrize("runs", [1, 2])
def test_a_clone_is_not_called_damaged_where_git_goes_away_during_a_restore(
    support, mirror_path, monkeypatch, tmp_path, runs
):
    mirror.catch_up()
    empty_the_database()
    starts, execute = itertools.count(), Git.execute

    def execute_or_lose_git(git, *arguments, **options):
        if next(starts) == runs:
            monkeypatch.setenv("PATH", str(tmp_path))
        return execute(git, *arguments, **options)

    monkeypatch.setattr(Git, "execute", execute_or_lose_git)
    with pytest.raises(mirror.MirrorError, match=r"^The `git` program was not found; the mirror needs it\.$"):
        mirror.restore(mirror_path)
    assert not Event.objects.exists()
