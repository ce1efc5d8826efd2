"""The mirror made anew from the journal, beside the old one, then put in its place."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from registry.failpoints import reach
from registry.mirror import locks, writer
from registry.mirror.repository import Repository
from registry.models import Commit

__all__ = ["rebuild"]

_WAIT = 60.0  # seconds for the writer to finish its batches


def rebuild() -> Path | None:
    """Write the whole mirror again; the old one is kept beside it, and its path comes back (None where there was none).

    From an untouched journal come the same commit ids. Killed between the two renames, the next catch-up finds no mirror
    and writes it once more.
    """
    path: Path = settings.MIRROR_PATH
    fresh = path.with_name(f"{path.name}.rebuilt")
    with locks.hold(writer.lock_path(), _WAIT) as descriptor:
        shutil.rmtree(fresh, ignore_errors=True)
        repository = Repository(fresh, descriptor)
        repository.create()
        Commit.objects.all().delete()
        writer.fill(repository)
        repository.repack()
        reach("mirror.rebuilt")
        return _swap(path, fresh)


def _swap(path: Path, fresh: Path) -> Path | None:
    kept = None
    if path.exists():
        kept = path.with_name(f"{path.name}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
        path.rename(kept)
    reach("mirror.swapping")
    fresh.rename(path)
    return kept
