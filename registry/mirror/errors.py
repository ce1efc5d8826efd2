"""The errors of the mirror."""

from registry.journal.mirroring import MirrorError

__all__ = ["Damaged", "Diverged", "GitFailed", "GitMissing", "MirrorBusy", "MirrorError"]


class GitFailed(MirrorError):
    """A git command failed; holds the end of what it wrote to stderr."""


class GitMissing(GitFailed):
    """There is no git program."""


class MirrorBusy(MirrorError):
    """Another process is writing the mirror."""


class Diverged(MirrorError):
    """Git holds what the journal doesn't know: the database is older than its mirror, or the mirror was edited."""


class Damaged(MirrorError):
    """Git can't read the mirror: files of it are missing or broken."""
