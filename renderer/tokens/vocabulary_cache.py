"""The cache folder of converted vocabularies: converting takes seconds, loading the result a fraction of one.

All processes of a user share it, and it is private to that user. Each file begins with the SHA-256 of the rest, so that
damage is detected. An unwritable folder costs time but never a rendering.
"""

import hashlib
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from promptuary.renderer.files import make_private_folder, write_atomically

if sys.platform != "win32":  # there, processes that start together may each create the same file
    import fcntl

__all__ = ["find_cache_folder", "is_kept", "locate_kept_file", "lock_vocabulary", "read_kept", "write_vocabulary"]

_log = logging.getLogger("promptuary")
_MAX_WAIT = 60.0  # seconds to wait for a process that is creating the same file
_told: set[Path] = set()


def find_cache_folder() -> Path:
    """Return the folder: `PROMPTUARY_CACHE`, or one in the user's cache folder; it may not exist yet."""
    folder = os.environ.get("PROMPTUARY_CACHE")
    if folder:
        return Path(folder)
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # an account without a home directory
        base = tempfile.gettempdir() + f"/cache-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    return Path(base) / "promptuary"


def locate_kept_file(name: str) -> Path:
    """Return the path of the file with this name."""
    return find_cache_folder() / "vocabularies" / name


def is_kept(path: Path) -> bool:
    """Whether the file exists; its integrity is checked on reading."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_kept(path: Path) -> bytes | None:
    """Return the content of a cached file, or None if it is missing or its checksum doesn't match.

    It is read, not mapped: truncating a mapped file would crash the process.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return None
    checksum, _, body = data.partition(b"\n")
    if checksum.decode("latin-1") != hashlib.sha256(body).hexdigest():
        _log.warning("%s is damaged and is made again", path)
        return None
    return body


def write_vocabulary(path: Path, body: bytes) -> None:
    """Write a file atomically, readable for its owner only."""
    try:
        make_private_folder(path.parent)
        write_atomically(path, hashlib.sha256(body).hexdigest().encode() + b"\n" + body, mode=0o600)
    except OSError as error:
        if path.parent not in _told:
            _told.add(path.parent)
            _log.warning(
                "vocabularies can't be kept in %s, so each process converts them again: %s", path.parent, error
            )


@contextmanager
def lock_vocabulary(path: Path) -> Iterator[None]:
    """Let one process at a time create this file; without a lock, or after waiting too long, go on regardless."""
    file = _open_lock(path)
    try:
        if file is not None:
            _wait_for(file)
        yield
    finally:
        if file is not None:
            file.close()


def _open_lock(path: Path) -> IO[bytes] | None:
    folder = find_cache_folder() / "locks"
    try:
        make_private_folder(folder)
        handle = os.open(folder / path.name, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None
    return os.fdopen(handle, "r+b")


def _wait_for(file: IO[bytes]) -> None:
    """Closing the file releases the lock, and so does the end of the process."""
    ends = time.monotonic() + _MAX_WAIT
    while sys.platform != "win32" and time.monotonic() < ends:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05)  # a file lock wakes nobody: poll
        except OSError:  # a file system without locks
            return
        else:
            return
