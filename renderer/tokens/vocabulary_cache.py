"""The folder that keeps converted vocabularies: converting takes seconds, reading the result a fraction of one.

It is shared by all processes of a user and private to that user. Each file begins with the SHA-256 of the rest, so that
a damaged one is noticed. A folder that can't be written costs time, never a rendering.
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

if sys.platform != "win32":  # there, processes that start together may each make the same file
    import fcntl

__all__ = ["cache_folder", "is_kept", "keep", "kept_file", "making", "read_kept"]

_log = logging.getLogger("promptuary")
_LONGEST_WAIT = 60.0  # seconds for the process that makes the same file at the moment
_told: set[Path] = set()


def cache_folder() -> Path:
    """Return the folder: `PROMPTUARY_CACHE`, else in the user's cache folder; it may not exist yet."""
    folder = os.environ.get("PROMPTUARY_CACHE")
    if folder:
        return Path(folder)
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # an account without a home
        base = tempfile.gettempdir() + f"/cache-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    return Path(base) / "promptuary"


def kept_file(name: str) -> Path:
    """Return where the file of this name is kept."""
    return cache_folder() / "vocabularies" / name


def is_kept(path: Path) -> bool:
    """Whether the file exists; whether it is whole shows when it is read."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_kept(path: Path) -> bytes | None:
    """Return what is in a kept file, or None if it is missing or its checksum doesn't fit.

    It is read, not mapped: a file that is cut short under a mapping would end the process.
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


def keep(path: Path, body: bytes) -> None:
    """Put a file in place whole or not at all, readable for its owner only."""
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
def making(path: Path) -> Iterator[None]:
    """Let one process at a time make this file; if that can't be arranged or takes too long, go on without the lock."""
    file = _open_lock(path)
    try:
        if file is not None:
            _wait_for(file)
        yield
    finally:
        if file is not None:
            file.close()


def _open_lock(path: Path) -> IO[bytes] | None:
    folder = cache_folder() / "locks"
    try:
        make_private_folder(folder)
        handle = os.open(folder / path.name, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None
    return os.fdopen(handle, "r+b")


def _wait_for(file: IO[bytes]) -> None:
    """Closing the file gives the lock back, the end of the process too."""
    ends = time.monotonic() + _LONGEST_WAIT
    while sys.platform != "win32" and time.monotonic() < ends:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05)  # a lock on a file wakes nobody: look again
        except OSError:  # a file system without locks
            return
        else:
            return
