"""The guard against a database older than its mirror: a small file says how far the journal had come, readable without
Git.

A database that was restored from an older backup has forgotten events that Git still knows. Were it written to, two
events would bear one number. So each append looks here first (one `stat`), and is refused until an operator has chosen.
"""

import json
import os
import threading
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from promptuary.renderer.files import write_atomically
from registry.core.errors import Halted
from registry.journal.models import Event

__all__ = ["Mark", "describe_disagreement", "read_mark", "require_agreement", "write_mark"]

_FILE = "promptuary-head"
_ADVICE = "Nothing is written until an operator chooses: `manage.py mirror adopt` or `manage.py mirror discard`."


@dataclass(frozen=True)
class Mark:
    """The last event that the mirror holds, and its hash."""

    number: int
    chain: str


def write_mark(repository: Path, mark: Mark) -> None:
    """Say that the repository holds events up to this one; for the mirror's writer, who holds its lock."""
    content = json.dumps({"number": mark.number, "chain": mark.chain})
    write_atomically(repository / _FILE, content.encode("ascii"))


def read_mark() -> Mark | None:
    """What the mirror says, or None where there is none or it says nothing that can be read."""
    return _reader.read(settings.MIRROR_PATH / _FILE)


def describe_disagreement() -> str:
    """Why nothing is written now, in a sentence; empty where journal and mirror agree."""
    head = Event.objects.order_by("-number").values_list("number", "hash").first()
    try:
        require_agreement(head)
    except Halted as error:
        return error.message
    return ""


def require_agreement(head: tuple[int, str] | None) -> None:
    """Raise Halted where the mirror holds events that this journal, which ends with `head`, does not know."""
    mark = read_mark()
    if mark is None:
        return
    number = head[0] if head else 0
    if number < mark.number:
        raise Halted(
            f"The database is older than its Git mirror: it ends with event {number}, the mirror with event "
            f"{mark.number}. "
            f"{_ADVICE}",
            journal=number,
            mirror=mark.number,
        )
    if mark == _reader.agreed:
        return
    known = Event.objects.filter(number=mark.number).values_list("hash", flat=True).first()
    if known != mark.chain:
        raise Halted(
            (
                f"The Git mirror holds another event {mark.number} than the database: they belong to two "
                f"histories. {_ADVICE}"
            ),
            journal=number,
            mirror=mark.number,
        )
    _reader.agreed = mark


class _Reader:
    """The file as it was read last, by the marks that a change of it leaves in its status."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: tuple[object, ...] = ()
        self._mark: Mark | None = None
        self.agreed: Mark | None = None  # looked up in the journal before; only a newer one is looked up again

    def read(self, path: Path) -> Mark | None:
        try:
            status = os.stat(path)
        except OSError:
            return None
        seen = (path, status.st_ino, status.st_mtime_ns, status.st_size)
        with self._lock:
            if seen != self._seen:
                self._mark, self._seen = _parse(path), seen
            return self._mark


def _parse(path: Path) -> Mark | None:
    try:
        said = json.loads(path.read_text(encoding="ascii"))
        return Mark(int(said["number"]), str(said["chain"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


_reader = _Reader()
