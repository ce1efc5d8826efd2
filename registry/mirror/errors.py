"""The errors of the mirror."""

from registry.journal.mirroring import MirrorError

__all__ = ["Damaged", "DiskFull", "Diverged", "GitFailed", "GitMissing", "MirrorBusy", "MirrorError"]


class GitFailed(MirrorError):
    """A git command failed; contains the end of its stderr."""


class GitMissing(GitFailed):
    """The git program is not installed."""


class DiskFull(GitFailed):
    """Git could not write, because the disk is full."""


class MirrorBusy(MirrorError):
    """Another process is writing the mirror."""


class Diverged(MirrorError):
    """Git contains what the journal lacks: the database is older than its mirror, or the mirror was edited."""


class Damaged(MirrorError):
    """Git can't read the mirror: its files are missing or corrupt."""
