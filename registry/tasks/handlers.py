"""What each kind of job does. A handler raises to fail; what it finds it says in the exception's sentence."""

import json
from collections.abc import Callable

from django.db.models import Max

from registry.mirror import chain, upkeep
from registry.models import Event, Job
from registry.queries.events import CHAIN
from registry.services import verdicts
from registry.services.jobs import CHECKS
from registry.tasks.jobs import Progress

__all__ = ["HANDLERS", "BrokenChain"]


class BrokenChain(Exception):
    """The journal is not what its hashes say; the message is the first fault."""


def _repack(_job: Job, _progress: Progress) -> None:
    upkeep.repack()


def _check(_job: Job, _progress: Progress) -> None:
    upkeep.check()


def _give_verdicts(job: Job, progress: Progress) -> None:
    verdicts.give(number=json.loads(job.payload)["change"], report=progress.report)


def _check_chain(_job: Job, progress: Progress) -> None:
    last = Event.objects.aggregate(last=Max("number"))["last"] or 0
    for fault in chain.faults_of_chain():
        raise BrokenChain(fault)
    progress.report(last, last)


HANDLERS: dict[str, Callable[[Job, Progress], None]] = {
    CHECKS: _give_verdicts,
    "mirror.repack": _repack,
    "mirror.check": _check,
    CHAIN: _check_chain,
}
