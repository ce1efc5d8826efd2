"""What each kind of job does. A handler raises to fail; what it finds it says in the exception's sentence.

One that gives True has more to do, and is put behind the jobs that wait.
"""

import json
import logging
from collections.abc import Callable

from django.db import OperationalError
from django.db.models import Max

from registry.audit import verification
from registry.audit.queries import CHAIN
from registry.changes import check_results
from registry.evaluations import run_worker
from registry.jobs.claims import Progress
from registry.jobs.models import Job
from registry.jobs.queue import CHECKS, EVALUATION
from registry.journal.models import Event
from registry.mirror import maintenance

__all__ = ["HANDLERS", "BrokenChain"]

logger = logging.getLogger(__name__)


class BrokenChain(Exception):
    """The journal is not what its hashes say; the message is the first fault."""


def _repack(_job: Job, _progress: Progress) -> None:
    maintenance.repack()


def _check(_job: Job, _progress: Progress) -> None:
    maintenance.check()


def _evaluate(job: Job, progress: Progress) -> bool:
    number = json.loads(job.payload)["run"]
    try:
        return run_worker.advance(number, progress.report)
    except OperationalError as error:  # a database that is away for a moment ends no run
        logger.warning("%s waits: %s", job, error)
        return True
    except Exception as error:
        run_worker.fail(
            number, f"It stopped at a fault of Promptuary ({type(error).__name__}); the worker's log has it."
        )
        raise


def _give_verdicts(job: Job, progress: Progress) -> None:
    check_results.give(number=json.loads(job.payload)["change"], report=progress.report)


def _check_chain(_job: Job, progress: Progress) -> None:
    last = Event.objects.aggregate(last=Max("number"))["last"] or 0
    for fault in verification.faults_of_chain():
        raise BrokenChain(fault)
    progress.report(last, last)


HANDLERS: dict[str, Callable[[Job, Progress], bool | None]] = {
    CHECKS: _give_verdicts,
    EVALUATION: _evaluate,
    "mirror.repack": _repack,
    "mirror.check": _check,
    CHAIN: _check_chain,
}
