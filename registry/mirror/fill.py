"""The import of journal entries into Git. Where it resumes is read from Git itself, never from the database."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from django.conf import settings

from registry.core.failpoints import reach
from registry.journal import log, mirror_paths
from registry.journal.models import Commit, Event
from registry.mirror import fast_import as mirror_fast_import
from registry.mirror.commit_message import read_stamp
from registry.mirror.entries import read_entries
from registry.mirror.errors import Damaged, Diverged, GitFailed, GitMissing
from registry.mirror.repository import Head, Repository

__all__ = ["BATCH", "find_resume_point", "import_entries", "lock_path", "read_heads"]

_AT_ONCE = 500  # rows of commits written together
BATCH = 50  # entries per fast-import; at most one batch is repeated after a kill


def lock_path() -> Path:
    """The lock file, next to the repository, which a rebuild replaces as a whole."""
    return settings.MIRROR_PATH.with_name("mirror.lock")


def read_heads(repository: Repository) -> dict[str, Head]:
    """Every ref of the mirror and its head; empty without a mirror. Raises Damaged if they can't be read."""
    try:
        return repository.list_heads() if repository.exists else {}
    except GitMissing:
        raise
    except (GitFailed, OSError) as error:
        raise Damaged(
            f"The mirror can't be read: {error}. `manage.py mirror rebuild` sets it aside and writes it again."
        ) from error


def import_entries(repository: Repository) -> int:
    """Import batches up to the journal's end, recording each event's commit. The caller holds the lock."""
    heads = repository.list_heads()
    after = find_resume_point(heads)
    _note(repository, heads.get(mirror_paths.MAIN))
    count = 0
    while entries := read_entries(after=after, limit=BATCH):
        last_numbers = {ref: head.stamp.number for ref, head in heads.items() if head.stamp}
        chunks = mirror_fast_import.build_stream(
            entries, {ref: head.commit for ref, head in heads.items()}, last_numbers
        )
        repository.run_fast_import(_watch_chunks(chunks))
        reach("mirror.imported")
        heads = repository.list_heads()
        _note(repository, heads.get(mirror_paths.MAIN))
        reach("mirror.recorded")
        after = entries[-1].number
        count += len(entries)
    return count


def _note(repository: Repository, main: Head | None) -> None:
    """Store Git's state where it can be read without Git: for all writers of the journal, and for the history."""
    if main is not None and main.stamp is not None:
        log.write_mark(repository.path, log.Mark(main.stamp.number, main.stamp.chain))
    _record(repository, main)


def _watch_chunks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Pass the chunks through, with failpoints in between."""
    for chunk in chunks:
        if chunk == mirror_fast_import.CHECKPOINT:
            reach("mirror.moving")
        yield chunk
        reach("mirror.streaming")
    reach("mirror.streamed")


def find_resume_point(heads: Mapping[str, Head]) -> int:
    """The number of the last event in `main`, 0 for an empty mirror. Raises Diverged if the journal lacks it."""
    main = heads.get(mirror_paths.MAIN)
    for ref, head in heads.items():
        if ref == mirror_paths.MAIN or mirror_paths.is_label_branch(ref):
            _check_known(ref, head)
    return main.stamp.number if main and main.stamp else 0


def _check_known(ref: str, head: Head) -> None:
    name = ref.removeprefix("refs/heads/")
    if head.stamp is None:
        raise Diverged(
            f"Commit {head.commit[:12]} at the head of {name} was not written by Promptuary. "
            "Look at `manage.py mirror verify`; `manage.py mirror rebuild` sets the mirror aside and writes it again."
        )
    journal_hash = Event.objects.filter(number=head.stamp.number).values_list("hash", flat=True).first()
    if journal_hash != head.stamp.chain:
        raise Diverged(
            f"{name} points to event {head.stamp.number} and the journal "
            + ("has another event of that number" if journal_hash else "ends before it")
            + ": the database is older than its mirror, or another instance wrote here. `manage.py mirror adopt` "
            "brings the database up to the mirror; `manage.py mirror discard` sets the mirror aside."
        )


def _record(repository: Repository, main: Head | None) -> None:
    """Record the commits of `main` that are not recorded yet; after a kill or a rebuild that may be many."""
    if main is None or main.stamp is None:
        return
    last = Commit.objects.order_by("-event_id").first()
    if last and (last.event_id, last.sha) == (main.stamp.number, main.commit):
        return
    rows = (
        Commit(event_id=stamp.number, sha=sha)
        for sha, message in _list_commits_after(repository, last)
        if (stamp := read_stamp(message)) and stamp.number <= main.stamp.number
    )
    while some := list(islice(rows, _AT_ONCE)):
        Commit.objects.bulk_create(some, update_conflicts=True, unique_fields=["event"], update_fields=["sha"])


def _list_commits_after(repository: Repository, last: Commit | None) -> list[tuple[str, str]]:
    """The commits after the last recorded one, or all if Git lacks that one because the mirror was rebuilt."""
    try:
        return list(repository.list_commits(mirror_paths.MAIN, after=last.sha if last else None))
    except GitFailed:
        return list(repository.list_commits(mirror_paths.MAIN))
