"""Faults from outside: the n-th statement to the database, the n-th run of Git, a disk that takes no more."""

import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import OperationalError

__all__ = ["FailingGit", "FailingStatement", "limit_file_size"]

# Counts its runs; the run whose number stands in `failing` ends with 128 before or after it did its work, or is killed.
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
    """For `connection.execute_wrapper`: the statement of this number fails before the database sees it."""

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
    """A `git` in a folder that goes before the others on PATH. way: `before`, `after` or `killed`."""

    def __init__(self, folder: Path, way: str) -> None:
        self.folder = folder
        folder.mkdir()
        program = folder / "git"
        program.write_text(_PROGRAM.format(folder=folder, git=shutil.which("git"), way=way), encoding="utf-8")
        program.chmod(0o755)
        self.fail_run(0)

    def fail_run(self, number: int) -> None:
        """Count from one again, and let the run of this number fail; 0 lets none fail."""
        (self.folder / "count").write_text("0", encoding="ascii")
        (self.folder / "failing").write_text(str(number), encoding="ascii")

    @property
    def count(self) -> int:
        """How often Git ran since then."""
        return int((self.folder / "count").read_text(encoding="ascii"))

    @property
    def path(self) -> str:
        """The value of PATH that finds it."""
        return f"{self.folder}{os.pathsep}{os.environ['PATH']}"


@contextmanager
def limit_file_size(size: int) -> Iterator[None]:
    """No file of this process and of those that it starts grows beyond so many bytes: writes fail as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
