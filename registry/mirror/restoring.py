"""The database from a clone of the mirror: the same journal, hash for hash, and every lasting row.

What can't come back: passwords and the secrets of keys, which no journal ever held. Nothing of the clone is believed: the
events must chain, and each text must have the digest that its event names.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.db import transaction

from registry import journal
from registry.mirror import layout
from registry.mirror.chain import facts_of, read_event
from registry.mirror.errors import GitFailed, MirrorError
from registry.mirror.message import read_record, read_stamp
from registry.mirror.repository import Repository
from registry.mirror.rows import Rows, replay
from registry.models import Event, Namespace, Template
from registry.services import pending

__all__ = ["Restored", "restore"]


_REDACTED = f'"kind":"{journal.Kind.VERSION_REDACTED.value}"'  # as canonical JSON writes it; a string would escape it


@dataclass(frozen=True)
class Restored:
    """What came back: how many events, the hash of the last, and the commit of `main` it stood in."""

    events: int
    chain: str
    head: str


def restore(source: Path) -> Restored:
    """Fill the empty database from a clone or the mirror itself, all or nothing. MirrorError says what is wrong."""
    repository = _open(source)
    if Event.objects.exists() or Namespace.objects.exists() or Template.objects.exists():
        raise MirrorError("This database is not empty; a mirror is restored into an empty one only.")
    number, chain, head = 0, None, ""
    with transaction.atomic(), repository.files() as files:
        rows = Rows(_redacted(repository))
        for head, text in _records(repository):
            event = _read_event(head, text, number + 1, chain)
            event.save(force_insert=True)
            replay(rows, event, partial(files.read, head))
            number, chain = event.number, event.hash
        for namespace in Namespace.objects.all():
            pending.reassess(namespace)
    if chain is None:
        raise MirrorError(f"{source} holds no event.")
    return Restored(number, chain, head)


def _open(source: Path) -> Repository:
    inner = source / ".git"
    repository = Repository((inner if inner.is_dir() else source).absolute())
    if not repository.exists:
        raise MirrorError(f"{source} is no Git repository.")
    try:
        heads = repository.heads()
    except GitFailed as error:
        raise MirrorError(f"{source} can't be read: {error}") from error
    if layout.MAIN not in heads:
        raise MirrorError(f"{source} has no branch main.")
    return repository


def _records(repository: Repository) -> Iterator[tuple[str, str]]:
    for commit, message in repository.commits(layout.MAIN):
        record, stamp = read_record(message), read_stamp(message)
        if record is None or stamp is None or journal.digest_of(record) != stamp.chain:
            raise MirrorError(f"Commit {commit} was not written by Promptuary, or was changed since.")
        yield commit, record


def _redacted(repository: Repository) -> set[tuple[str, int]]:
    """The versions whose text some event takes away: it is missing from their commits, which come first."""
    bodies = (facts_of(text)["body"] for _, text in _records(repository) if _REDACTED in text)
    return {(body["template"], body["version"]) for body in bodies if "template" in body and "version" in body}


def _read_event(commit: str, text: str, number: int, previous: str | None) -> Event:
    try:
        event = read_event(text)
    except (ValueError, KeyError, TypeError) as error:
        raise MirrorError(f"Commit {commit} holds no event that can be read: {error}") from error
    if event.number != number or facts_of(text)["previous"] != previous:
        raise MirrorError(f"Commit {commit} holds event {event.number}, which does not follow from the one before it.")
    return event
