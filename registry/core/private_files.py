"""Permissions of the installation's files: only the user it runs as can read them.

The home contains sessions, password hashes, drafts and private templates. Every process reads the settings before it
writes anything, and the settings call `keep_private`: new files and folders are then private to their owner. Wider
permissions on existing files of this user are removed. Files of other users are left alone and reported.
"""

# no texts here: operators read it

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.core.exceptions import ImproperlyConfigured

__all__ = ["check_home", "describe_exposure", "keep_private", "tighten_tree"]

UMASK = 0o077
_OTHERS = 0o077  # permissions of group and others


def keep_private(home: Path) -> None:
    """Set this process's umask, make the home, and close it to others.

    A sentence on stderr says what was changed, or can't be. Raises ImproperlyConfigured if the home can't be made or
    written to, or is a folder that all users share, such as /tmp: its permissions are not ours to change.
    """
    os.umask(UMASK)
    _make_home(home)
    status = home.stat()
    if status.st_mode & stat.S_ISVTX:
        raise ImproperlyConfigured(
            f"PROMPTUARY_HOME is {home}, a folder that all users of this machine share. Name a folder of its own."
        )
    if _tighten_file(home):
        _print_sentence(
            f"Other users of this machine could look into {home}; it is now open to its owner only (mode 0700)."
        )
    if sentence := describe_exposure(home):
        _print_sentence(sentence)


def _make_home(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ImproperlyConfigured(f"PROMPTUARY_HOME is {home}, which is a file. Name a folder.") from None
    except OSError as error:
        raise ImproperlyConfigured(
            f"PROMPTUARY_HOME is {home}, which can't be made: {error.strerror}. Name a folder in which you may write."
        ) from error
    if not os.access(home, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(
            f"PROMPTUARY_HOME is {home}, in which this user may not write. Name another folder, or give it to the user."
        )


def tighten_tree(home: Path, more: Iterable[Path] = ()) -> int:
    """Remove others' permissions on this user's files below the home and on `more`. Return how many were open.

    more: files that may be elsewhere, such as a SQLite database; missing ones are skipped.
    """
    return sum(_tighten_file(path) for path in (*_walk(home), *more))


def describe_exposure(home: Path) -> str:
    """A sentence that says how others can access the home; empty if they can't."""
    status = home.stat()
    others = status.st_mode & _OTHERS
    if not others or sys.platform == "win32":  # where folders have access lists instead of these bits
        return ""
    owner = (
        "" if status.st_uid == os.geteuid() else f" It belongs to user {status.st_uid}, so it can't be changed here."
    )
    return (
        f"Other users of this machine can get at {home} (mode {stat.S_IMODE(status.st_mode):04o}): sessions, hashes of "
        f"passwords and private templates are in it.{owner} Its owner should run: chmod 700 {home}"
    )


def check_home(**_kwargs: object) -> list[CheckMessage]:
    """The system check: a warning if others can access the home."""
    sentence = describe_exposure(settings.PROMPTUARY_HOME)
    return [Warning(sentence, id="registry.W001")] if sentence else []


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            yield Path(root, name)


def _tighten_file(path: Path) -> bool:
    """Remove the permissions of group and others. Return whether that changed anything. Links and other users' files
    are left alone.
    """
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode) or not status.st_mode & _OTHERS or status.st_uid != os.geteuid():
            return False
        path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)
    except OSError:  # deleted meanwhile, or a file system without modes
        return False
    return not path.lstat().st_mode & _OTHERS


def _print_sentence(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201  # logging is not set up while settings are read
