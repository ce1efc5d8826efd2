"""The bare repository: leftovers of a killed git, and outside input that reaches git."""

import pytest

from registry.journal import mirror_paths
from registry.mirror import fast_import as mirror_fast_import
from registry.mirror.commit_message import Entry
from registry.mirror.errors import GitFailed, MirrorError
from registry.mirror.git import Program
from registry.mirror.repository import Repository

LEFT = [
    "HEAD.lock",
    "packed-refs.lock",
    "refs/heads/main.lock",
    "refs/heads/label/production.lock",
    "objects/pack/tmp_pack_x",
]


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "mirror.git")
    made.create()
    return made


def write(repository, number=1):
    entry = Entry(number=number, at=0, author="author", subject="x", record="{}", chain="c")
    heads = {ref: head.commit for ref, head in repository.list_heads().items()}
    repository.run_fast_import(mirror_fast_import.build_stream([entry], heads, {}))


@pytest.mark.parametrize("lock", LEFT)
def test_locks_of_a_killed_git_are_removed(repository, lock):
    write(repository)
    (repository.path / lock).parent.mkdir(parents=True, exist_ok=True)
    (repository.path / lock).touch()
    assert repository.remove_leftovers() == [lock]
    write(repository, 2)


def test_a_stale_lock_would_block_without_healing(repository):
    (repository.path / "HEAD.lock").touch()
    with pytest.raises(GitFailed):
        write(repository)


def test_settings_of_the_machine_and_of_the_caller_do_not_reach_git(repository, monkeypatch, tmp_path):
    hook = tmp_path / "hooks" / "reference-transaction"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(hook.parent))
    write(repository)
    assert mirror_paths.MAIN in repository.list_heads()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GIT_DIR", "/nowhere"),
        ("GIT_COMMON_DIR", "/nowhere"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere"),
        ("GIT_NAMESPACE", "another"),
        ("GIT_CONFIG_COUNT", "none"),
        ("GIT_CONFIG_PARAMETERS", "nonsense"),
        ("GIT_CONFIG_GLOBAL", "{folder}/.gitconfig"),
        ("GIT_CONFIG_SYSTEM", "{folder}/.gitconfig"),
        ("HOME", "{folder}"),
    ],
)
def test_no_inherited_variable_leads_git_elsewhere(repository, monkeypatch, tmp_path, variable, value):
    (tmp_path / ".gitconfig").write_text("[core\n")  # git ends when it reads this
    monkeypatch.setenv(variable, value.format(folder=tmp_path))
    write(repository)
    assert list(repository.list_heads()) == [mirror_paths.MAIN]
    assert repository.check_objects() == []
    assert (repository.path / mirror_paths.MAIN).is_file()


@pytest.mark.parametrize("commit", ["HEAD", "--help", "main", "0" * 39])
def test_only_full_object_ids_are_asked_for(repository, commit):
    with pytest.raises(MirrorError):
        repository.read_commit(commit)


@pytest.mark.parametrize("ref", ["main", "--all", "refs/tags/x"])
def test_only_branches_of_the_mirror_are_read(repository, ref):
    with pytest.raises(MirrorError):
        list(repository.list_commits(ref))


def test_packing_keeps_every_object(repository):
    for number in range(1, 6):
        write(repository, number)
    repository.repack()
    assert repository.check_objects() == []
    assert len(list(repository.list_commits(mirror_paths.MAIN))) == 5


def test_a_damaged_object_is_found(repository):
    write(repository)
    victim = next(path for path in repository.path.glob("objects/??/*"))
    victim.chmod(0o644)
    victim.write_bytes(b"damaged")
    assert repository.check_objects() != []


def test_a_missing_commit_has_no_history(repository):
    write(repository)
    with pytest.raises(GitFailed, match=r"git log failed: .*bad object"):
        list(repository.walk_history("0" * 39 + "1"))


def test_a_file_that_a_commit_has_not_is_named_and_the_next_one_is_read(repository):
    there = mirror_paths.locate_document("support/reply")
    entry = Entry(number=1, at=0, author="a", subject="x", record="{}", chain="c", files={there: b"Hi\n\0"})
    repository.run_fast_import(mirror_fast_import.build_stream([entry], {}, {}))
    commit = repository.list_heads()[mirror_paths.MAIN].commit
    with repository.open_files() as files:
        with pytest.raises(MirrorError, match=r"it has no file support/other\.yml\.j2"):
            files.read(commit, mirror_paths.locate_document("support/other"))
        assert files.read(commit, there) == b"Hi\n\0"


def test_a_machine_without_git_is_reported(repository, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(GitFailed, match="The `git` program was not found"):
        repository.list_heads()


def test_an_error_is_raised_as_it_is_although_git_died_with_input_unread(repository):
    def read_entries():
        with Program(repository.path).start("cat-file", "--batch") as process:
            process.proc.kill()
            process.proc.wait()
            process.stdin.write(b"unread")
            raise ValueError("no such entry")

    with pytest.raises(ValueError, match="no such entry"):
        read_entries()
