"""Cache folders that only their owner can read, and files that are written atomically."""

import errno
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["close_folder", "make_private_folder", "replace_file", "save_file", "write_atomically"]

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

    mode: the permissions of the file, less the umask. Raises OSError, which names the file, if it can't be written, and
    leaves nothing behind.
    """
    new_path = _name_new_file(path)
    with _naming_in_errors(path, new_path):
        try:
            handle = os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            new_path.replace(path)
        except BaseException:
            new_path.unlink(missing_ok=True)
            raise


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Yield the path to write to instead of a file that a person named. The file is replaced if nothing fails.

    A link is followed, and the permissions of an existing file are kept. A device or a pipe is written directly, and so
    is a file in a folder that can't be written. Raises OSError, which names the file, if it can't be written.
    """
    is_special = path.exists() and not path.is_file()
    target = path if is_special else Path(os.path.realpath(path))
    new_path = target if is_special or not os.access(target.parent, os.W_OK) else _name_new_file(target)
    with _naming_in_errors(path, new_path):
        try:
            yield new_path
            if new_path != target:
                _move(new_path, target)
        except BaseException:
            if new_path != target:
                new_path.unlink(missing_ok=True)
            raise


def save_file(path: Path, content: bytes) -> None:
    """Write a file that a person named, as `replace_file` does."""
    with replace_file(path) as new_path:
        new_path.write_bytes(content)


def _move(new_path: Path, target: Path) -> None:
    if target.exists():
        new_path.chmod(stat.S_IMODE(target.stat().st_mode))
    try:
        new_path.replace(target)
    except OSError as error:
        if error.errno != errno.EBUSY:  # a file that is mounted alone, as in containers, can only be overwritten
            raise
        target.write_bytes(new_path.read_bytes())
        new_path.unlink()


def _name_new_file(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.new")


@contextmanager
def _naming_in_errors(path: Path, new_path: Path) -> Iterator[None]:
    """Name the file that was to be written in errors that name none, such as a full disk, or its new file."""
    try:
        yield
    except OSError as error:
        names = {str(error.filename), str(error.filename2)}
        if error.errno is None or not (error.filename is None or str(new_path) in names):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
