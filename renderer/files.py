"""Cache folders that only their owner can read, and files that are written atomically."""

import os
import stat
import threading
from pathlib import Path

__all__ = ["close_folder", "make_private_folder", "write_atomically"]

_OTHERS = 0o077  # permissions of group and others


def make_private_folder(folder: Path) -> None:
    """Create the folder and its missing parents, accessible to their owner only, whatever the umask.

    The contents may be a private template, a prompt or a reply. Existing folders stay as they are. Raises OSError if
    one can't be created.
    """
    missing = []
    while not folder.is_dir() and folder != folder.parent:
        missing.append(folder)
        folder = folder.parent
    for folder_path in reversed(missing):
        folder_path.mkdir(mode=0o700, exist_ok=True)


def close_folder(folder: Path) -> None:
    """Remove the permissions of group and others from a cache folder; another user's folder stays as it is."""
    status = folder.stat()
    if hasattr(os, "geteuid") and status.st_uid == os.geteuid() and status.st_mode & _OTHERS:
        folder.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)


def write_atomically(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write the file atomically: readers see either the old content or the new.

    mode: the permissions of the file, less the umask. Raises OSError if the folder can't be written, and leaves nothing
    behind.
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
