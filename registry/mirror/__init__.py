"""The Git mirror: a function of the journal, written by one writer, the only part of the server that speaks to Git."""

from registry.mirror.errors import Diverged, GitFailed, MirrorBusy, MirrorError
from registry.mirror.rebuilding import rebuild
from registry.mirror.restoring import Restored, restore
from registry.mirror.state import Status, status
from registry.mirror.verification import verify
from registry.mirror.writer import catch_up

__all__ = [
    "Diverged",
    "GitFailed",
    "MirrorBusy",
    "MirrorError",
    "Restored",
    "Status",
    "catch_up",
    "rebuild",
    "restore",
    "status",
    "verify",
]
