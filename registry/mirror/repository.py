"""The bare Git repository of the mirror: created, repaired, read and written.

User input is never in an argument: content is passed on the stdin of `fast-import`, and names are full object ids or
refs built by `registry.journal.mirror_paths`.
"""

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from registry.journal import mirror_paths
from registry.mirror.commit_message import Stamp, read_stamp
from registry.mirror.errors import GitFailed, MirrorError
from registry.mirror.git import Files, Program, shorten_messages

__all__ = ["Head", "Repository"]

# Read once when the repository is created: for people who work in it or clone it.
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
_ORIGIN = "refs/remotes/origin/"
_ID = re.compile(r"[0-9a-f]{40}", re.ASCII)
_BROKEN_REF = "broken ref"  # in git's warning, which has exit status 0
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
    """What a ref points to: the commit, its message and the message's stamp."""

    def __init__(self, commit: str, message: str) -> None:
        self.commit = commit
        self.message = message
        self.stamp: Stamp | None = read_stamp(message)


class Repository:
    """One bare repository; `lock_fd` is the descriptor of the writer's lock, for the writer."""

    def __init__(self, path: Path, lock_fd: int | None = None) -> None:
        self.path = path
        self._git = Program(path, lock_fd)

    # -- making and healing ---------------------------------------------------------------------------------------
    @property
    def exists(self) -> bool:
        return (self.path / "HEAD").is_file()

    def create(self) -> None:
        """Create an empty repository atomically: it is created aside and renamed into place."""
        new_path = self.path.with_name(f"{self.path.name}.new")
        shutil.rmtree(new_path, ignore_errors=True)
        new_path.mkdir(parents=True)
        Program(new_path).write(
            "init", "--quiet", "--bare", "--initial-branch=main", "--object-format=sha1", "--template=", "."
        )
        (new_path / "config").write_text(_CONFIG, encoding="ascii")
        shutil.rmtree(self.path, ignore_errors=True)  # a folder without HEAD isn't a repository
        new_path.rename(self.path)

    def remove_leftovers(self) -> list[str]:
        """Remove what killed git processes left behind. Only for the holder of the writer's lock. Return what was
        removed.
        """
        removed = []
        for pattern in _LEFTOVERS:
            for leftover in self.path.glob(pattern):
                leftover.unlink(missing_ok=True)
                removed.append(str(leftover.relative_to(self.path)))
        return removed

    # -- reading --------------------------------------------------------------------------------------------------
    def list_heads(self) -> dict[str, Head]:
        """Every ref and its head. Raises GitFailed if git can't read one: it would leave a broken ref out."""
        form = "--format=%(refname)%00%(objectname)%00%(contents)%00"
        status, output, messages = self._git.run("for-each-ref", form)
        if status or _BROKEN_REF in messages:
            raise GitFailed(f"git for-each-ref ended with status {status}: {shorten_messages(messages)}")
        fields = output.decode("utf-8", "surrogateescape").split("\0")
        return {fields[i].lstrip("\n"): Head(fields[i + 1], fields[i + 2]) for i in range(0, len(fields) - 2, 3)}

    def list_cloned_heads(self) -> dict[str, Head]:
        """The mirror's branches in a clone: its own `main`, its own labels or those of its origin."""
        heads: dict[str, Head] = {}
        for ref, head in self.list_heads().items():
            branch = ref.replace(_ORIGIN, "refs/heads/", 1)
            if branch == ref and (ref == mirror_paths.MAIN or mirror_paths.is_label_branch(ref)):
                heads[ref] = head
            elif mirror_paths.is_label_branch(branch):
                heads.setdefault(branch, head)
        return heads

    def read_default_branch(self) -> str:
        """The content of HEAD: a ref or a bare commit id."""
        return (self.path / "HEAD").read_text(encoding="utf-8", errors="replace").strip().removeprefix("ref: ")

    def list_commits(self, ref: str, after: str | None = None) -> Iterator[tuple[str, str]]:
        """(commit id, message), oldest first, of the first-parent history of a ref, after a commit in it."""
        limits = [f"^{_check_id(after)}"] if after else []
        output = self._git.read(
            "log", "--first-parent", "--reverse", "--format=%H%x00%B%x00", _check_ref(ref), *limits, "--"
        )
        fields = output.decode("utf-8", "surrogateescape").split("\0")
        for i in range(0, len(fields) - 2, 2):
            yield fields[i].lstrip("\n"), fields[i + 1]

    def walk_history(self, commit: str) -> Iterator[tuple[str, str, dict[str, str | None]]]:
        """(commit id, tree id, {path: blob id or None if deleted}) up to a commit, oldest first, streamed.

        A mode other than that of a plain file is prepended to the blob's id, so that it can't match anything.
        """
        with self._git.start(
            "log", "--first-parent", "--reverse", "--root", "--raw", "--no-abbrev", "--no-renames", "-m", "-z",
            "--format=%x01%H %T", _check_id(commit), "--",
        ) as process:  # fmt: skip
            yield from _parse_history(_split(process.stdout))

    def read_commit(self, commit: str) -> str:
        """A commit object's text: headers, a blank line, the message."""
        return self._git.read("cat-file", "commit", _check_id(commit)).decode("utf-8", "surrogateescape")

    def read_file(self, commit: str, path: str) -> bytes:
        """A file's bytes at a commit."""
        return self._git.read("cat-file", "blob", f"{_check_id(commit)}:{mirror_paths.check_path(path)}")

    @contextmanager
    def open_files(self) -> Iterator[Files]:
        """A reader of many files, one git process for all."""
        with self._git.start("cat-file", "--batch") as process:
            yield Files(process.stdin, process.stdout)

    def count_packs(self) -> int:
        return sum(1 for _ in self.path.glob("objects/pack/*.pack"))

    # -- writing --------------------------------------------------------------------------------------------------
    def run_fast_import(self, chunks: Iterable[bytes]) -> None:
        """Feed a stream that ends with `done`. If it is cut short, no ref moves; see `fast_import.build_stream`."""
        with self._git.start("fast-import", "--quiet", "--done", "--date-format=raw") as process:
            for chunk in chunks:
                process.stdin.write(chunk)

    def repack(self) -> None:
        """Consolidate small packs and loose objects; unreferenced objects are dropped after two weeks."""
        self._git.write("repack", "-d", "-q", "--geometric=2", "--write-midx")
        self._git.write("prune", "--expire=2.weeks.ago")
        self._git.write("pack-refs", "--all")

    def push(self, options: Sequence[str], url: str, environment: Mapping[str, str], seconds: float) -> tuple[int, str]:
        """Push `main` and the labels' branches, never by force. Return exit status and git's messages.

        options: `-c` settings for this push; url: a checked one without secrets.
        """
        refs = [f"{ref}:{ref}" for ref in (mirror_paths.MAIN, f"{mirror_paths.LABELS}*")]
        arguments = [*options, "push", "--porcelain", "--no-verify", "--", url, *refs]
        status, out, err = self._git.run(*arguments, environment=environment, seconds=seconds)
        return status, out.decode("utf-8", "replace") + err

    def check_objects(self) -> list[str]:
        """The findings of `git fsck`, one line each; empty if every object is intact."""
        status, out, err = self._git.run("fsck", "--full", "--strict", "--no-dangling", "--no-progress")
        lines = [*out.decode("utf-8", "replace").splitlines(), *err.splitlines()]
        problems = [line for line in lines if line.strip() and not line.startswith("notice:")]
        return problems or ([f"git fsck ended with status {status}"] if status else [])


def _check_id(commit: str) -> str:
    if not _ID.fullmatch(commit):
        raise MirrorError(f"{commit[:50]!r} is not a commit id.")
    return commit


def _check_ref(ref: str) -> str:
    if ref != mirror_paths.MAIN and not mirror_paths.is_label_branch(ref):
        raise MirrorError(f"{ref[:80]!r} is not a branch of the mirror.")
    return ref


def _split(stream: Any, size: int = 65536) -> Iterator[str]:
    """The NUL-terminated fields of a stream; a truncated last one is dropped."""
    rest = b""
    while chunk := stream.read(size):
        *fields, rest = (rest + chunk).split(b"\0")
        for field in fields:
            yield field.decode("utf-8", "surrogateescape")


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
        else:
            _, mode, _, blob, status = text.split(" ")
            entry = blob if mode == "100644" else f"{mode} {blob}"
            changes[next(fields)] = None if status == "D" else entry
    if commit:
        yield commit, tree, changes
