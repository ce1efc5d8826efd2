"""The one writer: journal in, commits out. Where it resumes is read from Git itself, never from the database."""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.conf import settings
from django.db.models import Max

from registry.failpoints import reach
from registry.mirror import contents, layout, locks, stream
from registry.mirror.commits import record
from registry.mirror.errors import Diverged, MirrorBusy
from registry.mirror.repository import Head, Repository
from registry.models import Commit, Event

__all__ = ["BATCH", "catch_up", "fill", "lock_path", "pending", "resume_point"]

BATCH = 50  # entries a fast-import; a killed process repeats at most one batch
_MANY_PACKS = 40  # a batch makes one pack, and git searches all of them
logger = logging.getLogger(__name__)


def lock_path() -> Path:
    """Beside the repository, since that is swapped whole by a rebuild."""
    return settings.MIRROR_PATH.with_name("mirror.lock")


def pending() -> int:
    """How many events no commit is known for: a cheap question to the database, and whether there is a mirror at all."""
    last = Event.objects.aggregate(last=Max("number"))["last"] or 0
    if not Repository(settings.MIRROR_PATH).exists:
        return last
    mirrored = Commit.objects.aggregate(last=Max("event_id"))["last"] or 0
    return max(0, last - mirrored)


def catch_up(*, wait: float = 0.0) -> int:
    """Write every event that Git does not hold yet; gives how many.

    Where another process is writing, that one does the work and 0 comes back (after `wait` seconds). Raises Diverged
    where Git holds what the journal doesn't, GitFailed where git does.
    """
    written = 0
    while True:
        try:
            with locks.hold(lock_path(), wait) as descriptor:
                reach("mirror.locked")
                written += _write_pending(Repository(settings.MIRROR_PATH, descriptor))
        except MirrorBusy:
            return written
        if not pending():  # an event that came while the lock was being let go is not left to the clock
            return written


def _write_pending(repository: Repository) -> int:
    if not repository.exists:
        repository.create()
        reach("mirror.created")
    for leftover in repository.heal():
        logger.warning("removed %s, left in the mirror by a killed git process", leftover)
    reach("mirror.healed")
    written = fill(repository)
    if repository.count_packs() > _MANY_PACKS:
        repository.repack()
    return written


def fill(repository: Repository) -> int:
    """Import batch after batch until the journal's end, noting each event's commit. The lock is the caller's."""
    heads = repository.heads()
    after = resume_point(heads)
    record(repository, heads.get(layout.MAIN))
    written = 0
    while entries := contents.read(after=after, limit=BATCH):
        done = {ref: head.stamp.number for ref, head in heads.items() if head.stamp}
        chunks = stream.build(entries, {ref: head.commit for ref, head in heads.items()}, done)
        repository.fast_import(_watched(chunks))
        reach("mirror.imported")
        heads = repository.heads()
        record(repository, heads.get(layout.MAIN))
        reach("mirror.recorded")
        after = entries[-1].number
        written += len(entries)
    return written


def _watched(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks as they are, with the places in between where a test may kill."""
    for chunk in chunks:
        if chunk == stream.CHECKPOINT:
            reach("mirror.moving")
        yield chunk
        reach("mirror.streaming")
    reach("mirror.streamed")


def resume_point(heads: Mapping[str, Head]) -> int:
    """The number of the last event that `main` holds, 0 for an empty mirror; Diverged where the journal knows it not."""
    main = heads.get(layout.MAIN)
    for ref, head in heads.items():
        if ref == layout.MAIN or layout.is_label_branch(ref):
            _check_known(ref, head)
    return main.stamp.number if main and main.stamp else 0


def _check_known(ref: str, head: Head) -> None:
    name = ref.removeprefix("refs/heads/")
    if head.stamp is None:
        raise Diverged(
            f"Commit {head.commit[:12]} at the head of {name} was not written by Promptuary. "
            "Look at `manage.py mirror verify`; `manage.py mirror rebuild` sets the mirror aside and makes it anew."
        )
    known = Event.objects.filter(number=head.stamp.number).values_list("hash", flat=True).first()
    if known != head.stamp.chain:
        raise Diverged(
            f"{name} stands on event {head.stamp.number} and the journal "
            + ("has another event of that number" if known else "ends before it")
            + ": the database is older than its mirror, or another instance wrote here. `manage.py restore --from-git` "
            "brings an empty database up to the mirror; `manage.py mirror rebuild` sets the mirror aside."
        )
