"""Files and folders on disk: cache folders that only their owner can read, and files written whole or not at all."""

import os
import stat
import threading
from pathlib import Path

__all__ = ["close_folder", "make_private_folder", "write_atomically"]

_OTHERS = 0o077  # what group and others may do


def make_private_folder(folder: Path) -> None:
    """Make the folder and those above it that are missing, each for its owner only, whatever the umask.

    What is kept in it may be a private template, a prompt or a reply.

    Folders that are there stay as they are. Raises OSError if one can't be made.
    """
    missing = []
    while not folder.is_dir() and folder != folder.parent:
        missing.append(folder)
        folder = folder.parent
    for folder_path in reversed(missing):
        folder_path.mkdir(mode=0o700, exist_ok=True)


def close_folder(folder: Path) -> None:
    """Take away what group and others may do in a folder that was made for a cache; one of another user stays as it
    is."""
    status = folder.stat()
    if hasattr(os, "geteuid") and status.st_uid == os.geteuid() and status.st_mode & _OTHERS:
        folder.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)


def write_atomically(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write the file whole or not at all: readers see the old content or the new one, whatever happens between.

    mode: the permissions of the file, less the umask. OSError if the folder can't be written; nothing is left then.
    """
    new_path = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.new")
    handle = os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        new_path.replace(path)
    except BaseException:
        new_path.unlink(missing_ok=True)
        raise
