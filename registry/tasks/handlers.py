"""What each kind of job does. A handler raises to fail; what it finds it says in the exception's sentence."""

from collections.abc import Callable

from registry.mirror import upkeep
from registry.models import Job
from registry.tasks.jobs import Progress

__all__ = ["HANDLERS"]


def _repack(_job: Job, _progress: Progress) -> None:
    upkeep.repack()


def _check(_job: Job, _progress: Progress) -> None:
    upkeep.check()


HANDLERS: dict[str, Callable[[Job, Progress], None]] = {"mirror.repack": _repack, "mirror.check": _check}
