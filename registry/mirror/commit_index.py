"""Which commit carries which event: a cache in the database, always filled from Git."""

from itertools import islice

from registry.journal import mirror_paths
from registry.journal.models import Commit
from registry.mirror.commit_message import read_stamp
from registry.mirror.errors import GitFailed
from registry.mirror.repository import Head, Repository

__all__ = ["record"]

_AT_ONCE = 500


def record(repository: Repository, main: Head | None) -> None:
    """Note the commits of `main` that are not noted yet; after a kill or a rebuild that may be many."""
    if main is None or main.stamp is None:
        return
    last = Commit.objects.order_by("-event_id").first()
    if last and (last.event_id, last.sha) == (main.stamp.number, main.commit):
        return
    rows = (
        Commit(event_id=stamp.number, sha=sha)
        for sha, message in _commits_after(repository, last)
        if (stamp := read_stamp(message)) and stamp.number <= main.stamp.number
    )
    while some := list(islice(rows, _AT_ONCE)):
        Commit.objects.bulk_create(some, update_conflicts=True, unique_fields=["event"], update_fields=["sha"])


def _commits_after(repository: Repository, last: Commit | None) -> list[tuple[str, str]]:
    """The commits after the last one noted, or all where Git doesn't hold that one: the mirror was made anew."""
    try:
        return list(repository.commits(mirror_paths.MAIN, after=last.sha if last else None))
    except GitFailed:
        return list(repository.commits(mirror_paths.MAIN))
