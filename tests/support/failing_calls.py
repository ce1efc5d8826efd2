"""Injected faults: the n-th database statement fails, the n-th run of Git fails, the disk is full."""

import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import OperationalError

__all__ = ["FailingGit", "FailingStatement", "limit_file_size"]

# Counts its runs. The run whose number is in `failing` exits with 128 before or after its work, or is killed.
_PROGRAM = """\
#!/bin/sh
number=$(($(cat {folder}/count) + 1))
echo $number > {folder}/count
if [ "$number" = "$(cat {folder}/failing)" ]; then
  case {way} in
    before) exit 128 ;;
    after) {git} "$@"; exit 128 ;;
    killed) kill -9 $$ ;;
  esac
fi
exec {git} "$@"
"""


class FailingStatement:
    """For `connection.execute_wrapper`: the statement with this number fails before it reaches the database."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.count = 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        self.count += 1
        if self.count == self.number:
            raise OperationalError("disk I/O error")
        return execute(sql, params, many, context)

    @property
    def has_failed(self) -> bool:
        return self.count >= self.number


class FailingGit:
    """A `git` in a folder that comes first on PATH. way: `before`, `after` or `killed`."""

    def __init__(self, folder: Path, way: str) -> None:
        self.folder = folder
        folder.mkdir()
        program = folder / "git"
        program.write_text(_PROGRAM.format(folder=folder, git=shutil.which("git"), way=way), encoding="utf-8")
        program.chmod(0o755)
        self.fail_run(0)

    def fail_run(self, number: int) -> None:
        """Restart the count and make the run with this number fail, counted from 1; 0 makes none fail."""
        (self.folder / "count").write_text("0", encoding="ascii")
        (self.folder / "failing").write_text(str(number), encoding="ascii")

    @property
    def count(self) -> int:
        """The number of Git runs since then."""
        return int((self.folder / "count").read_text(encoding="ascii"))

    @property
    def path(self) -> str:
        """The value of PATH with this `git` first."""
        return f"{self.folder}{os.pathsep}{os.environ['PATH']}"


@contextmanager
def limit_file_size(size: int) -> Iterator[None]:
    """Limit files written by this process and its children to this many bytes; writes then fail as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
