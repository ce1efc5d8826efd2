"""The single writer of the mirror: the lock's holder brings it up to date with the journal, or repacks it."""

import contextlib
import logging

from django.conf import settings
from django.db.models import Max

from registry.core.failpoints import reach
from registry.journal.models import Commit, Event
from registry.mirror import fill as mirror_fill
from registry.mirror import locks, rebuilding, verification
from registry.mirror.errors import Damaged, Diverged, GitFailed, MirrorBusy, MirrorError
from registry.mirror.repository import Repository

__all__ = ["catch_up", "check_mirror", "count_pending", "repack_batches", "verify_settled"]

_WAIT = 60.0  # seconds for the writer to finish its batches
_MANY_PACKS = 40  # each batch makes a pack, and git searches all of them
logger = logging.getLogger(__name__)


def count_pending() -> int:
    """The number of events without a recorded commit; all if there is no mirror. Cheap: doesn't run git."""
    last = _find_last_number()
    if not Repository(settings.MIRROR_PATH).exists:
        return last
    mirrored = Commit.objects.aggregate(last=Max("event_id"))["last"] or 0
    return max(0, last - mirrored)


def catch_up(*, wait: float = 0.0) -> int:
    """Write every event that Git lacks, and return how many.

    If another process is writing, that one does the work and 0 is returned (after `wait` seconds). Raises Diverged if
    Git contains what the journal lacks, GitFailed if git fails.
    """
    count = 0
    while True:
        try:
            with locks.hold_writer_lock(mirror_fill.lock_path(), wait) as descriptor:
                reach("mirror.locked")
                count += _write_pending(descriptor)
        except MirrorBusy:
            return count
        if not count_pending():  # events may arrive while the lock is released; don't wait for the clock
            return count


def _write_pending(descriptor: int) -> int:
    repository = Repository(settings.MIRROR_PATH, descriptor)
    if not repository.exists:
        repository.create()
        reach("mirror.created")
    for leftover in repository.remove_leftovers():
        logger.warning("removed %s, left in the mirror by a killed git process", leftover)
    rebuilding.delete_abandoned_mirror()
    reach("mirror.healed")
    heads = mirror_fill.read_heads(repository)
    after = mirror_fill.find_resume_point(heads)
    if rebuilding.is_redaction_due(heads):
        rebuilding.rebuild_under_lock(descriptor)
        return Event.objects.filter(number__gt=after).count()
    count = mirror_fill.import_entries(repository)
    if repository.count_packs() > _MANY_PACKS:
        repository.repack()
    return count


def repack_batches() -> None:
    """Repack the batches' packs, under the writer's lock."""
    with locks.hold_writer_lock(mirror_fill.lock_path(), _WAIT) as descriptor:
        repository = Repository(settings.MIRROR_PATH, descriptor)
        if repository.exists:
            repository.remove_leftovers()
            reach("mirror.repacking")
            repository.repack()


def check_mirror() -> None:
    """Verify every object and every commit against the journal. Raises MirrorError with the findings."""
    if findings := verify_settled():
        raise MirrorError("; ".join(findings[:20]))


def verify_settled() -> list[str]:
    """The findings of `verification.verify` without those caused by concurrent writes.

    Git reports an object as missing if it was packed or written during the check, and new events are not mirrored yet.
    So the check runs again after all events are written, while nobody writes. Raises MirrorBusy if another process
    writes for longer than a minute.
    """
    if not verification.verify():
        return []
    with locks.hold_writer_lock(mirror_fill.lock_path(), _WAIT) as descriptor:
        last = _find_last_number()
        with contextlib.suppress(Damaged, Diverged, GitFailed):  # the findings say more
            _write_pending(descriptor)
        return verification.verify(until=last)


def _find_last_number() -> int:
    """The number of the last event, 0 without any."""
    return Event.objects.aggregate(last=Max("number"))["last"] or 0
