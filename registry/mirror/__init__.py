"""The Git mirror, derived from the journal by one writer, and the only part of the server that uses Git."""

from registry.mirror.errors import Damaged, DiskFull, Diverged, GitFailed, MirrorBusy, MirrorError
from registry.mirror.pushing import check_destination, push, push_due
from registry.mirror.rebuilding import rebuild
from registry.mirror.restoring import RestoreResult, adopt, list_forgotten, open_clone, restore
from registry.mirror.status import Status, list_remotes, read_noted_lag, read_status
from registry.mirror.verification import verify, verify_clone
from registry.mirror.writer import catch_up, verify_settled

__all__ = [
    "Damaged",
    "DiskFull",
    "Diverged",
    "GitFailed",
    "MirrorBusy",
    "MirrorError",
    "RestoreResult",
    "Status",
    "adopt",
    "catch_up",
    "check_destination",
    "list_forgotten",
    "list_remotes",
    "open_clone",
    "push",
    "push_due",
    "read_noted_lag",
    "read_status",
    "rebuild",
    "restore",
    "verify",
    "verify_clone",
    "verify_settled",
]
