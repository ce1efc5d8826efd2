"""The `git` program, used for merging three texts."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from promptuary.commands.output import UsageError

__all__ = ["merge"]


def merge(ours: str, base: str, theirs: str, labels: tuple[str, str, str]) -> tuple[str, int]:
    """The merged text and how many conflicts stand in it, between the marks that Git writes. Raises UsageError."""
    program = shutil.which("git")
    if program is None:
        raise UsageError("merging needs the git program, which is not here")
    with tempfile.TemporaryDirectory(prefix="promptuary-") as folder:
        paths = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for path, text in zip(paths, (ours, base, theirs), strict=True):
            path.write_bytes(text.encode())
        names = [option for label in labels for option in ("-L", label)]
        command = [program, "merge-file", "-p", *names, *map(str, paths)]
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603  # no shell, own files
    if not 0 <= done.returncode < 128:
        raise UsageError(f"git merge-file failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode(), done.returncode
