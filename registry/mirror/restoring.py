"""Restoring the database from a clone of the mirror: the same journal, hash for hash, and every lasting row.

Passwords and the secrets of keys can't be restored, as they are never in the journal. The clone is not trusted: the
events must chain, each text must have its event's digest, protected labels must have moved by the rules of that time,
and finally every commit of the clone must equal the one that the new journal generates.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.db import transaction

from registry.audit.verification import parse_event_text, read_event
from registry.changes import locking
from registry.journal import log, mirror_paths
from registry.journal.event import compute_digest
from registry.journal.models import Event
from registry.mirror import fill, locks, verification
from registry.mirror.commit_message import read_record, read_stamp
from registry.mirror.errors import GitFailed, GitMissing, MirrorError
from registry.mirror.repository import Repository
from registry.mirror.restorer import Rows, replay_event
from registry.namespaces.models import Namespace
from registry.templates import search_entries
from registry.templates.events import TemplateRenamed, VersionRedacted
from registry.templates.models import Template

__all__ = ["RestoreResult", "adopt", "list_forgotten", "open_clone", "restore"]

# In the form of canonical JSON; within a string it would be escaped.
_NAMING = tuple(f'"kind":"{cls.kind}"' for cls in (VersionRedacted, TemplateRenamed))
_WAIT = 60.0  # seconds for the writer to finish its batches


@dataclass(frozen=True)
class RestoreResult:
    """The result of a restore: the number of events, the hash of the last, and its commit in `main`."""

    events: int
    chain: str
    head: str


def restore(source: Path, chain: str | None = None) -> RestoreResult:
    """Fill the empty database from a clone or the mirror itself, all or nothing. Raises MirrorError.

    chain: the expected hash of the last event, if it was kept separately from the clone.
    """
    repository = open_clone(source)
    if Event.objects.exists() or Namespace.objects.exists() or Template.objects.exists():
        raise MirrorError("This database is not empty; a mirror is restored into an empty one only.")
    try:
        with transaction.atomic():
            restored = _replay(repository, 0, None)
            if not restored.events:
                raise MirrorError(f"{source} holds no event.")
            if chain is not None and restored.chain != chain:
                raise MirrorError(f"The chain of {source} ends with {restored.chain}, not with {chain}.")
    except GitMissing:
        raise
    except GitFailed as error:
        raise MirrorError(
            f"{source} is damaged: {error}. Take another clone; `git fsck` finds what is damaged."
        ) from error
    return restored


def adopt() -> int:
    """Bring a database that is older than its mirror up to date, all or nothing. Return how many events it lacked.

    Raises MirrorError if the two have diverged: an event of the database differs in the mirror.
    """
    with locks.hold_writer_lock(fill.lock_path(), _WAIT), transaction.atomic():
        log.lock()
        head = Event.objects.order_by("-number").values_list("number", "hash").first()
        return _replay(open_clone(settings.MIRROR_PATH), *(head or (0, None))).events


def list_forgotten() -> list[str]:
    """The texts of the mirror's events that this database lacks, oldest first."""
    last = Event.objects.order_by("-number").values_list("number", flat=True).first() or 0
    repository = Repository(settings.MIRROR_PATH)
    if not repository.exists:
        return []
    texts = (read_record(message) for _, message in repository.list_commits(mirror_paths.MAIN))
    return [text for text in islice(texts, last, None) if text]


def open_clone(source: Path) -> Repository:
    """The repository of a clone, bare or with a work tree. Raises MirrorError if it has no branch `main`, or only its
    newest commits.
    """
    inner = source / ".git"
    repository = Repository((inner if inner.is_dir() else source).absolute())
    if not repository.exists:
        raise MirrorError(f"{source} isn't a Git repository.")
    try:
        heads = repository.list_heads()
    except GitFailed as error:
        raise MirrorError(f"{source} can't be read: {error}") from error
    if mirror_paths.MAIN not in heads:
        raise MirrorError(f"{source} has no branch main.")
    if (repository.path / "shallow").exists():
        raise MirrorError(
            f"{source} is a shallow clone, without its older commits: fetch them with `git fetch --unshallow`."
        )
    return repository


def _replay(repository: Repository, number: int, chain: str | None) -> RestoreResult:
    """Restore the rows of every event after this one. The caller's transaction makes it all or nothing."""
    last_number, head = number, ""
    with repository.open_files() as files:
        rows = Rows(_list_redacted(repository))
        rows.take_stock()
        for position, (commit, text) in enumerate(_read_records(repository), start=1):
            if position < last_number:
                continue
            if position == last_number:
                if compute_digest(text) != chain:
                    raise MirrorError(
                        f"Commit {commit} holds another event {last_number} than the database: they have parted."
                    )
                continue
            head = commit
            try:
                event = _read_event(text, number + 1, chain)
                event.save(force_insert=True)
                replay_event(rows, event, partial(files.read, commit))
            except MirrorError as error:
                raise MirrorError(f"Commit {commit}: {error}") from error
            number, chain = event.number, event.hash
    if number > last_number:
        for namespace in Namespace.objects.all():
            locking.recompute_states(namespace)
        search_entries.rebuild_entries()
        if findings := verification.verify_clone(repository):
            raise MirrorError(findings[0])
    return RestoreResult(number - last_number, chain or "", head)


def _read_records(repository: Repository) -> Iterator[tuple[str, str]]:
    for commit, message in repository.list_commits(mirror_paths.MAIN):
        record, stamp = read_record(message), read_stamp(message)
        if record is None or stamp is None or not _has_hash(record, stamp.chain):
            raise MirrorError(f"Commit {commit} was not written by Promptuary, or was changed since.")
        yield commit, record


def _has_hash(record: str, chain: str) -> bool:
    """Whether the record has this hash; one that isn't UTF-8 has none."""
    try:
        return compute_digest(record) == chain
    except UnicodeEncodeError:
        return False


def _list_redacted(repository: Repository) -> set[tuple[str, int]]:
    """The versions redacted by an event, whose text is missing even from their earlier commits.

    Each under every name that its template ever had.
    """
    groups: dict[str, list[str]] = {}
    redacted: list[tuple[list[str], int]] = []
    for facts in (
        parse_event_text(text) for _, text in _read_records(repository) if any(mark in text for mark in _NAMING)
    ):
        kind, body = facts["kind"], facts["body"]
        if kind == TemplateRenamed.kind and "former" in body:
            group = groups.setdefault(body["former"], [body["former"]])
            group.append(body["template"])
            groups[body["template"]] = group
        elif kind == VersionRedacted.kind and "template" in body and "version" in body:
            redacted.append((groups.setdefault(body["template"], [body["template"]]), body["version"]))
    return {(name, version) for group, version in redacted for name in group}


def _read_event(text: str, number: int, previous: str | None) -> Event:
    try:
        event = read_event(text)
    except (ValueError, KeyError, TypeError) as error:
        raise MirrorError(f"it holds no event that can be read: {error}") from error
    if event.number != number or parse_event_text(text)["previous"] != previous:
        raise MirrorError(f"it holds event {event.number}, which does not follow from the one before it.")
    return event
