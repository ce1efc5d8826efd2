"""The bare repository, driven through GitPython with fixed verbs and constant options. The only module that imports git.

No text of a user ever stands in an argument: content goes in by the standard input of `fast-import`, and what is asked
for by name is a full object id or a ref that `layout` made.
"""

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from git import Git
from git.exc import GitCommandError, GitCommandNotFound

from registry.mirror import layout
from registry.mirror.batch import Files
from registry.mirror.errors import GitFailed, MirrorError
from registry.mirror.message import Stamp, read_stamp

__all__ = ["Head", "Repository"]

# Read once when the repository is made: for people who work in it and for those who clone it.
_CONFIG = """\
[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	hooksPath = /dev/null
[gc]
	auto = 0
[receive]
	denyNonFastForwards = true
	denyDeletes = true
[transfer]
	fsckObjects = true
"""
_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsync=committed",  # an answered catch-up survives a power cut
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.quotePath=true",
    "gc.auto=0",
    "protocol.ext.allow=never",
    "safe.directory=*",  # the folder is this instance's own, whoever owns it in a container
)
_ID = re.compile(r"[0-9a-f]{40}", re.ASCII)
_LEFTOVERS = (
    "*.lock",
    "refs/**/*.lock",
    "objects/**/*.lock",
    "fast_import_crash_*",
    "gc.pid",
    "objects/??/tmp_obj_*",
    "objects/pack/tmp_*",
    "objects/pack/.tmp-*",
)


class Head:
    """Where a ref stands: the commit, its message and what the message says of itself."""

    def __init__(self, commit: str, message: str) -> None:
        self.commit = commit
        self.message = message
        self.stamp: Stamp | None = read_stamp(message)


class Repository:
    """One bare repository. `lock_fd` is handed to every git process that writes, so a process that outlives its
    parent still holds the writer's lock."""

    def __init__(self, path: Path, lock_fd: int | None = None) -> None:
        self.path = path
        self._lock_fd = lock_fd
        self._git = Git(path)
        self._git.update_environment(**_environment(path))

    # -- making and healing ---------------------------------------------------------------------------------------
    @property
    def exists(self) -> bool:
        return (self.path / "HEAD").is_file()

    def create(self) -> None:
        """Make an empty repository, complete or not at all: it is made aside and renamed into place."""
        fresh = self.path.with_name(f"{self.path.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        git = Git(fresh)
        git.update_environment(**_environment(fresh))
        _checked(git, "init", "--quiet", "--bare", "--initial-branch=main", "--object-format=sha1", "--template=", ".")
        (fresh / "config").write_text(_CONFIG, encoding="ascii")
        shutil.rmtree(self.path, ignore_errors=True)  # what stands here without a HEAD is no repository
        fresh.rename(self.path)

    def heal(self) -> list[str]:
        """Remove what killed git processes left behind. Only for the holder of the writer's lock. Returns what went."""
        removed = []
        for pattern in _LEFTOVERS:
            for leftover in self.path.glob(pattern):
                leftover.unlink(missing_ok=True)
                removed.append(str(leftover.relative_to(self.path)))
        return removed

    # -- reading --------------------------------------------------------------------------------------------------
    def heads(self) -> dict[str, Head]:
        """Every ref and where it stands."""
        output = self._read("for-each-ref", "--format=%(refname)%00%(objectname)%00%(contents)%00")
        fields = output.decode("utf-8", "surrogateescape").split("\0")
        return {fields[i].lstrip("\n"): Head(fields[i + 1], fields[i + 2]) for i in range(0, len(fields) - 2, 3)}

    def default_branch(self) -> str:
        """What HEAD names, a ref or a bare commit id."""
        return (self.path / "HEAD").read_text(encoding="utf-8").strip().removeprefix("ref: ")

    def commits(self, ref: str, after: str | None = None) -> Iterator[tuple[str, str]]:
        """(commit id, message), oldest first, of the first-parent history of a ref, after a commit that it holds."""
        limits = [f"^{_checked_id(after)}"] if after else []
        output = self._read(
            "log", "--first-parent", "--reverse", "--format=%H%x00%B%x00", _checked_ref(ref), *limits, "--"
        )
        fields = output.decode("utf-8", "surrogateescape").split("\0")
        for i in range(0, len(fields) - 2, 2):
            yield fields[i].lstrip("\n"), fields[i + 1]

    def history(self, ref: str) -> Iterator[tuple[str, str, dict[str, str | None]]]:
        """(commit id, tree id, {path: blob id or None where the file went}), oldest first, streamed.

        A mode other than that of a plain file is written before the blob's id, so that it can equal nothing.
        """
        process = self._git.execute(
            [self._git.GIT_PYTHON_GIT_EXECUTABLE, *_flags(), "log", "--first-parent", "--reverse", "--root", "--raw",
             "--no-abbrev", "--no-renames", "-m", "-z", "--format=%x01%H %T", _checked_ref(ref), "--"],
            as_process=True,
        )  # fmt: skip
        try:
            yield from _parse_history(_split(process.stdout))
            process.wait()
        except GitCommandError as error:
            raise GitFailed(f"git log could not read {ref}: {_tail(error.stderr)}") from error
        finally:
            process.stdout.close()
            process.stderr.close()

    def raw_commit(self, commit: str) -> str:
        """A commit object's text: headers, a blank line, the message."""
        return self._read("cat-file", "commit", _checked_id(commit)).decode("utf-8", "surrogateescape")

    def file(self, commit: str, path: str) -> bytes:
        """A file's bytes at a commit."""
        return self._read("cat-file", "blob", f"{_checked_id(commit)}:{layout.check_path(path)}")

    @contextmanager
    def files(self) -> Iterator[Files]:
        """A reader of many files, one git process for all."""
        process = self._git.execute(
            [self._git.GIT_PYTHON_GIT_EXECUTABLE, *_flags(), "cat-file", "--batch"],
            as_process=True,
            istream=-1,  # subprocess.PIPE
        )
        try:
            yield Files(process.stdin, process.stdout)
        finally:
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()
            process.wait()

    def count_packs(self) -> int:
        return sum(1 for _ in self.path.glob("objects/pack/*.pack"))

    # -- writing --------------------------------------------------------------------------------------------------
    def fast_import(self, chunks: Iterable[bytes]) -> None:
        """Feed a stream that ends with `done`; cut short anywhere before that, no ref moves (but see stream.build)."""
        process = self._git.execute(
            [self._git.GIT_PYTHON_GIT_EXECUTABLE, *_flags(), "fast-import", "--quiet", "--done", "--date-format=raw"],
            as_process=True,
            istream=-1,  # subprocess.PIPE
            pass_fds=self._passed_fds(),
        )
        try:
            for chunk in chunks:
                process.stdin.write(chunk)
            process.stdin.close()
        except BrokenPipeError:
            pass  # git ended early; its status and stderr below say why
        try:
            process.wait()
        except GitCommandError as error:
            raise GitFailed(f"git fast-import refused the stream: {_tail(error.stderr)}") from error
        finally:
            process.stdout.close()
            process.stderr.close()

    def repack(self) -> None:
        """Put small packs and loose objects together; drop what nothing names after two weeks."""
        self._write("repack", "-d", "-q", "--geometric=2", "--write-midx")
        self._write("prune", "--expire=2.weeks.ago")
        self._write("pack-refs", "--all")

    def check_objects(self) -> list[str]:
        """What `git fsck` finds, one line each; an empty list when every object is whole."""
        status, out, err = self._execute("fsck", "--full", "--strict", "--no-dangling", "--no-progress")
        lines = [*out.decode("utf-8", "replace").splitlines(), *err.splitlines()]
        found = [line for line in lines if line.strip() and not line.startswith("notice:")]
        return found or ([f"git fsck ended with status {status}"] if status else [])

    # -- the one way to git ---------------------------------------------------------------------------------------
    def _passed_fds(self) -> tuple[int, ...]:
        return () if self._lock_fd is None else (self._lock_fd,)

    def _read(self, *arguments: str) -> bytes:
        return _checked(self._git, *arguments)

    def _write(self, *arguments: str) -> bytes:
        return _checked(self._git, *arguments, pass_fds=self._passed_fds())

    def _execute(self, *arguments: str) -> tuple[int, bytes, str]:
        return _run(self._git, *arguments)


def _environment(path: Path) -> Mapping[str, str]:
    """Nothing of the machine's or the caller's git settings reaches us; inherited GIT_* variables are overruled."""
    return {
        "GIT_DIR": str(path),
        "GIT_OBJECT_DIRECTORY": str(path / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
        "GIT_COMMON_DIR": str(path),
        "GIT_NAMESPACE": "",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_COUNT": "0",
        "GIT_CONFIG_PARAMETERS": "",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "https:ssh",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_REFLOG_ACTION": "mirror",
        "LC_ALL": "C",
        "TZ": "UTC",
    }


def _flags() -> list[str]:
    return [part for option in _OPTIONS for part in ("-c", option)]


def _run(git: Git, *arguments: str, pass_fds: tuple[int, ...] = ()) -> tuple[int, bytes, str]:
    try:
        status, out, err = git.execute(
            [git.GIT_PYTHON_GIT_EXECUTABLE, *_flags(), *arguments],
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
            pass_fds=pass_fds,
        )
    except GitCommandNotFound as error:
        raise GitFailed("The `git` program was not found; the mirror needs it.") from error
    return status, out, err


def _checked(git: Git, *arguments: str, pass_fds: tuple[int, ...] = ()) -> bytes:
    status, out, err = _run(git, *arguments, pass_fds=pass_fds)
    if status:
        raise GitFailed(f"git {arguments[0]} ended with status {status}: {_tail(err)}")
    return out


def _tail(stderr: bytes | str) -> str:
    text = stderr.decode("utf-8", "replace") if isinstance(stderr, bytes) else stderr
    return " ".join(text.split())[-500:]


def _checked_id(commit: str) -> str:
    if not _ID.fullmatch(commit):
        raise MirrorError(f"{commit[:50]!r} is not a commit id.")
    return commit


def _checked_ref(ref: str) -> str:
    if ref != layout.MAIN and not layout.is_label_branch(ref):
        raise MirrorError(f"{ref[:80]!r} is not a branch of the mirror.")
    return ref


def _split(stream: Any, size: int = 65536) -> Iterator[str]:
    """The NUL-ended fields of a stream."""
    rest = b""
    while chunk := stream.read(size):
        *fields, rest = (rest + chunk).split(b"\0")
        for field in fields:
            yield field.decode("utf-8", "surrogateescape")
    if rest:
        yield rest.decode("utf-8", "surrogateescape")


def _parse_history(fields: Iterator[str]) -> Iterator[tuple[str, str, dict[str, str | None]]]:
    commit, tree = "", ""
    changes: dict[str, str | None] = {}
    for field in fields:
        text = field.lstrip("\n")
        if text.startswith("\x01"):
            if commit:
                yield commit, tree, changes
            commit, tree = text[1:].split(" ")
            changes = {}
        elif text.startswith(":"):
            _, mode, _, blob, status = text.split(" ")
            plain = blob if mode == "100644" else f"{mode} {blob}"
            changes[next(fields)] = None if status == "D" else plain
    if commit:
        yield commit, tree, changes
