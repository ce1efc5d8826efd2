"""Rebuilding the mirror from the journal next to the old one, which it then replaces."""

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from registry.core.failpoints import reach
from registry.journal import mirror_paths
from registry.journal.models import Commit, Event
from registry.mirror import fill as mirror_fill
from registry.mirror import locks
from registry.mirror.errors import Damaged
from registry.mirror.repository import Head, Repository
from registry.templates.events import VersionRedacted

__all__ = ["delete_abandoned_mirror", "is_redaction_due", "rebuild", "rebuild_under_lock"]

_WAIT = 60.0  # seconds for the writer to finish its batches


def rebuild() -> Path | None:
    """Rewrite the whole mirror. The old one is kept next to it, and its path is returned.

    Returns None without an old one, and deletes one with a text that was redacted since. An unchanged journal results
    in the same commit ids. After a kill between the two renames, the next catch-up finds no mirror and writes it again.
    """
    with locks.hold_writer_lock(mirror_fill.lock_path(), _WAIT) as descriptor:
        return rebuild_under_lock(descriptor)


def rebuild_under_lock(descriptor: int) -> Path | None:
    """Rewrite the whole mirror as `rebuild` does, for a caller that holds the writer's lock."""
    path: Path = settings.MIRROR_PATH
    new_path = path.with_name(f"{path.name}.rebuilt")
    keep = _may_be_kept(Repository(path))
    shutil.rmtree(new_path, ignore_errors=True)
    try:
        _write_anew(Repository(new_path, descriptor))
    except BaseException:
        shutil.rmtree(new_path, ignore_errors=True)  # on a full disk, an unfinished copy would take the room
        raise
    if not keep:
        _forget(path)
    old_path = _swap_folders(path, new_path, f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}" if keep else _DISCARDED)
    delete_abandoned_mirror()
    return old_path if keep else None


def _write_anew(repository: Repository) -> None:
    repository.create()
    Commit.objects.all().delete()
    mirror_fill.import_entries(repository)
    repository.repack()
    reach("mirror.rebuilt")


def _may_be_kept(old: Repository) -> bool:
    """Whether there is a mirror that certainly contains no text redacted since, which is unknown for a damaged one."""
    if not old.path.exists():
        return False
    try:
        if old.exists:
            return not is_redaction_due(mirror_fill.read_heads(old))
    except Damaged:
        pass
    return not Event.objects.filter(kind=VersionRedacted.kind).exists()


def is_redaction_due(heads: Mapping[str, Head]) -> bool:
    """Whether the mirror was written before a redaction, so that its history must be rewritten."""
    main = heads.get(mirror_paths.MAIN)
    if main is None:
        return False
    mirrored = main.stamp.number if main.stamp else 0
    return Event.objects.filter(kind=VersionRedacted.kind, number__gt=mirrored).exists()


def delete_abandoned_mirror() -> None:
    """Delete an abandoned mirror. Only for the holder of the writer's lock."""
    path: Path = settings.MIRROR_PATH
    shutil.rmtree(path.with_name(f"{path.name}.{_DISCARDED}"), ignore_errors=True)


def _forget(path: Path) -> None:
    """Delete the mirrors that earlier rebuilds kept, as they contain the redacted text too."""
    for old_path in path.parent.glob(f"{path.name}.[0-9]*"):
        shutil.rmtree(old_path, ignore_errors=True)


def _swap_folders(path: Path, new_path: Path, suffix: str) -> Path | None:
    old_path = None
    if path.exists():
        old_path = path.with_name(f"{path.name}.{suffix}")
        path.rename(old_path)
    reach("mirror.swapping")
    new_path.rename(path)
    return old_path


_DISCARDED = "discarded"
