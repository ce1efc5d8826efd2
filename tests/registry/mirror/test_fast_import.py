"""The import stream: the same entries produce the same commits, however they are batched."""

import shutil
import subprocess
import sys

import pytest

from registry.journal import mirror_paths
from registry.journal.mirroring import Move
from registry.mirror import fast_import as mirror_fast_import
from registry.mirror.commit_message import Entry
from registry.mirror.errors import GitFailed
from registry.mirror.repository import Repository

PRODUCTION = mirror_paths.name_branch("production")
INTERRUPTED = """
import os, signal, sys
import django
from pathlib import Path
django.setup()
from registry.mirror.repository import Repository

def interrupt():
    yield stream[: len(stream) // 2]
    os.killpg(0, signal.SIGINT)
    yield stream[len(stream) // 2 :]

signal.signal(signal.SIGINT, lambda *_: print("interrupted"))
stream = sys.stdin.buffer.read()
Repository(Path(sys.argv[1])).run_fast_import(interrupt())
"""


def entry(number, files=None, move=None, renames=None):
    return Entry(
        number=number, at=number * 1_000_000, author="author", subject=f"event {number}", record="{}",
        chain=f"sha256:{number}", files=files or {},
        moves=(move,) if move else (), renames=renames or {},
    )  # fmt: skip


def story():
    """Twelve events: documents, label moves, a removal, and some without files."""
    document = mirror_paths.locate_document("support/reply")
    entries = [entry(n, {document: b"text %d\n" % n}) for n in range(1, 9)]
    entries += [
        entry(
            9,
            {mirror_paths.locate_label("support/reply", "production"): b"3"},
            Move(PRODUCTION, {document: b"text 3\n"}),
        )
    ]
    entries += [entry(10), entry(11, move=Move(PRODUCTION, {document: b"text 8\n"}))]
    return [*entries, entry(12, move=Move(PRODUCTION, {document: None}))]


def write(repository, entries):
    heads = repository.list_heads()
    done = {ref: head.stamp.number for ref, head in heads.items()}
    repository.run_fast_import(
        mirror_fast_import.build_stream(entries, {ref: head.commit for ref, head in heads.items()}, done)
    )


def places(repository):
    return {ref: head.commit for ref, head in repository.list_heads().items()}


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "mirror.git")
    made.create()
    return made


@pytest.mark.parametrize("size", [1, 5, 7])
def test_the_size_of_a_batch_changes_no_commit_id(repository, tmp_path, size):
    other = Repository(tmp_path / "other.git")
    other.create()
    write(repository, story())
    for start in range(0, 12, size):
        write(other, story()[start : start + size])
    assert places(repository) == places(other)


def test_a_label_s_branch_holds_exactly_what_the_label_serves(repository):
    write(repository, story()[:11])
    head = repository.list_heads()[PRODUCTION].commit
    assert repository.read_file(head, "support/reply.yml.j2") == b"text 8\n"
    assert next(stamp for _, stamp in repository.list_commits(PRODUCTION)).startswith("event 9\n")


def test_a_label_taken_away_leaves_its_branch_empty(repository):
    write(repository, story())
    with pytest.raises(GitFailed):
        repository.read_file(repository.list_heads()[PRODUCTION].commit, "support/reply.yml.j2")


def test_written_commits_are_not_written_again(repository):
    write(repository, story())
    before = places(repository)
    write(repository, story())
    assert places(repository) == before


def test_an_invalid_stream_is_reported_in_gits_words(repository):
    with pytest.raises(GitFailed, match=r"git fast-import ended early: .*[Uu]nsupported command: nonsense"):
        repository.run_fast_import([b"nonsense\n", *(b"x" * 65536 for _ in range(100))])


def test_input_after_the_end_of_the_stream_is_an_error(repository):
    with pytest.raises(GitFailed, match="git fast-import ended early: it took no more input"):
        repository.run_fast_import([b"done\n", *(b"x" * 65536 for _ in range(100))])


def test_a_stream_cut_short_leaves_main_where_it_was(repository):
    write(repository, story()[:4])
    before = places(repository)[mirror_paths.MAIN]
    cut = b"".join(mirror_fast_import.build_stream(story()[4:], places(repository), {})).removesuffix(b"done\n")
    with pytest.raises(GitFailed):
        repository.run_fast_import([cut])
    assert places(repository)[mirror_paths.MAIN] == before


@pytest.mark.parametrize("share", [0.2, 0.6, 0.99])
def test_after_a_stream_cut_anywhere_the_next_one_makes_it_whole(repository, tmp_path, share):
    whole = Repository(tmp_path / "whole.git")
    whole.create()
    write(whole, story())
    cut = b"".join(mirror_fast_import.build_stream(story(), {}, {}))
    with pytest.raises(GitFailed):
        repository.run_fast_import([cut[: int(len(cut) * share)]])
    write(repository, story())
    assert places(repository) == places(whole)


def test_a_batch_is_finished_when_the_process_group_is_interrupted(repository):
    stream = b"".join(mirror_fast_import.build_stream(story(), {}, {}))
    command = [sys.executable, "-c", INTERRUPTED, str(repository.path)]
    ended = subprocess.run(command, input=stream, capture_output=True, start_new_session=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"interrupted\n"), ended.stderr
    assert {head.stamp.number for head in repository.list_heads().values()} == {12}


def test_a_kill_between_label_and_main_is_made_good(repository, tmp_path):
    write(repository, story()[:8])
    behind = repository.list_heads()[mirror_paths.MAIN].commit
    write(repository, story()[8:])
    whole = places(repository)
    (repository.path / "refs/heads/main").write_text(behind + "\n")  # as if killed after the checkpoint
    write(repository, story()[8:])
    assert places(repository) == whole


def test_a_clone_is_whole_by_git_s_own_strict_check(repository, tmp_path):
    write(repository, story())
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "-c", "transfer.fsckObjects=true", repository.path, clone], check=True)
    assert repository.check_objects() == []
    assert (clone / "support/reply.yml.j2").read_bytes() == b"text 8\n"
    shutil.rmtree(clone)
