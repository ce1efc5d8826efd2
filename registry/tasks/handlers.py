"""What each kind of job does. A handler raises to fail; what it finds it says in the exception's sentence."""

import json
from collections.abc import Callable

from registry.mirror import upkeep
from registry.models import Job
from registry.services import verdicts
from registry.services.jobs import CHECKS
from registry.tasks.jobs import Progress

__all__ = ["HANDLERS"]


def _repack(_job: Job, _progress: Progress) -> None:
    upkeep.repack()


def _check(_job: Job, _progress: Progress) -> None:
    upkeep.check()


def _give_verdicts(job: Job, progress: Progress) -> None:
    verdicts.give(number=json.loads(job.payload)["change"], report=progress.report)


HANDLERS: dict[str, Callable[[Job, Progress], None]] = {
    CHECKS: _give_verdicts,
    "mirror.repack": _repack,
    "mirror.check": _check,
}
