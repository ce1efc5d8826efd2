"""Cache folders that only their owner can read: what is cached may be a private template, a prompt or a model's
reply."""

import os
import stat
from pathlib import Path

__all__ = ["close_folder", "make_private_folder"]

_OTHERS = 0o077  # what group and others may do


def make_private_folder(folder: Path) -> None:
    """Make the folder and those above it that are missing, each for its owner only, whatever the umask.

    Folders that are there stay as they are. OSError where one can't be made.
    """
    missing = []
    while not folder.is_dir() and folder != folder.parent:
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def close_folder(folder: Path) -> None:
    """Take away what group and others may do in a folder that was made for a cache; one of another user stays as it
    is."""
    found = folder.stat()
    if hasattr(os, "geteuid") and found.st_uid == os.geteuid() and found.st_mode & _OTHERS:
        folder.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
