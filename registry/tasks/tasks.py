"""Celery tasks of the worker, and the handler of each kind of job.

Each task is idempotent and may run concurrently in several workers. A handler fails by raising; the exception's message
says why. A handler that returns True has more to do: its job is queued again behind the waiting jobs.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import DatabaseError, OperationalError, connection
from django.db.models import Max

from promptuary.renderer.free_memory import release_memory
from registry.audit import verification
from registry.audit.queries import CHAIN
from registry.celery import app
from registry.changes import check_results
from registry.core import lru
from registry.core.database_errors import is_disk_full
from registry.core.steps import run_steps
from registry.evaluations import run_worker
from registry.improvements import worker as improvement_worker
from registry.jobs import claims
from registry.jobs.claims import Progress
from registry.jobs.models import Job
from registry.jobs.queue import CHECKS, EVALUATION, IMPROVEMENT, SCHEDULE
from registry.journal.models import Event
from registry.mirror import pushing, writer
from registry.mirror.errors import MirrorError
from registry.notifications import email
from registry.playground import replies as playground_replies
from registry.releases import scheduled_publishing
from registry.rollouts import clock as rollout_clock
from registry.tasks import upkeep
from registry.tasks.doorbell import wake_jobs
from registry.templates.models import Redaction
from registry.webhooks import delivery, planning

__all__ = [
    "HANDLERS",
    "BrokenChain",
    "advance_rollouts",
    "catch_up",
    "deliver",
    "push",
    "recover_lost_work",
    "rerun_stale_checks",
    "run_jobs",
    "run_upkeep",
]

_BEAT = 5.0  # seconds between two signs of life of a running job
_ASKING = (EVALUATION, IMPROVEMENT)  # kinds of jobs that wait for models
_MAX_ASKING = 2  # concurrent slices of these; the worker has four threads
logger = logging.getLogger(__name__)
_complaint = ""  # the reason that was logged last why the mirror has stopped
_newest_redaction = 0  # the id of the last one for which this process has cleared its caches
_asking_slots = threading.BoundedSemaphore(_MAX_ASKING)


class BrokenChain(Exception):
    """The journal doesn't match its hashes; the message is the first fault."""


@app.task(name="registry.tasks.tasks.catch_up")
def catch_up() -> None:
    """Bring the mirror up to the journal."""
    if not writer.count_pending():
        return
    try:
        writer.catch_up()
    except MirrorError as error:
        _log_stopped_mirror(str(error))
    else:
        _log_stopped_mirror("")


@app.task(name="registry.tasks.tasks.deliver")
def deliver() -> None:
    """Deliver new events to webhooks."""
    planning.plan_deliveries()
    delivery.deliver_due()


@app.task(name="registry.tasks.tasks.push")
def push() -> None:
    """Push the mirror to the remotes that are behind. Failures are stored in their rows and retried later."""
    pushing.push_due()


@app.task(name="registry.tasks.tasks.run_jobs")
def run_jobs() -> None:
    """Run queued jobs until none are left.

    Jobs that call models take at most half of the worker's threads, so that other work continues. After a slice of such
    a job the task ends and is queued again, so that stopping the worker doesn't have to wait for the whole run.
    """
    has_run = False
    while True:
        may_ask = _asking_slots.acquire(blocking=False)
        try:
            job = claims.claim_job(without=() if may_ask else _ASKING)
            if job is None:
                if has_run:
                    release_memory()  # a job can free 10 MB that the C library would keep
                return
            has_run = True
            if may_ask and job.kind not in _ASKING:
                _asking_slots.release()
                may_ask = False
            _run_job(job)
            if job.kind in _ASKING:
                wake_jobs()
                return
        finally:
            if may_ask:
                _asking_slots.release()


@app.task(name="registry.tasks.tasks.heal")
def recover_lost_work() -> None:
    """Called by the clock every few seconds: make up for lost wake-ups and for jobs that lost their worker."""
    run_steps(
        _forget_redacted,
        catch_up,
        claims.requeue_silent_jobs,
        run_worker.fail_lost_runs,
        improvement_worker.fail_lost_improvements,
        playground_replies.fail_lost_columns,
        scheduled_publishing.request_due_publishes,
        deliver,
        email.send_pending_mail,
        run_jobs,
    )


def _forget_redacted() -> None:
    """Clear this worker's caches once per redaction; web processes follow the journal."""
    global _newest_redaction  # noqa: PLW0603  # of this process
    newest = Redaction.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    if newest != _newest_redaction:
        _newest_redaction = newest
        lru.forget_all()


@app.task(name="registry.tasks.tasks.keep_checks")
def rerun_stale_checks() -> None:
    """Once a minute: rerun checks that depend on what happened elsewhere meanwhile."""
    if check_results.request_stale_checks():
        run_jobs()


@app.task(name="registry.tasks.tasks.advance_rollouts")
def advance_rollouts() -> None:
    """Every ten seconds: stop rollouts by their rule, and do the steps of rollouts that are due."""
    if rollout_clock.advance_rollouts():
        catch_up()


@app.task(name="registry.tasks.tasks.plan_upkeep")
def run_upkeep() -> None:
    """Every ten minutes: delete, remind and start what is due."""
    upkeep.run_upkeep()


def _log_stopped_mirror(sentence: str) -> None:
    """Log why the mirror has stopped, once per cause instead of every three seconds."""
    global _complaint  # noqa: PLW0603  # one worker, one mirror
    if sentence and sentence != _complaint:
        logger.error("the mirror has stopped: %s", sentence)
    _complaint = sentence


def _run_job(job: Job) -> None:
    """Run a claimed job, and store its result."""
    handler = HANDLERS.get(job.kind)
    if handler is None:
        claims.finish_job(job, f"This worker knows no job of the kind {job.kind}.")
        return
    progress = claims.Progress(job.pk)
    try:
        with _report_signs_of_life(progress):
            has_more = handler(job, progress)
    except Exception as error:  # an exception is the job's result and must not end the worker
        logger.exception("job %s failed", job)
        claims.finish_job(job, f"{type(error).__name__}: {error}"[:2000])
    else:
        if has_more:
            claims.requeue_job(job)
        else:
            claims.finish_job(job)


@contextmanager
def _report_signs_of_life(progress: claims.Progress) -> Iterator[None]:
    """Report signs of life from a thread while the job runs, even during long steps."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(_BEAT):
            try:
                progress.beat()
            except DatabaseError as error:
                logger.warning("a sign of life was not written: %s", error)
        connection.close()

    thread = threading.Thread(target=beat, name="signs-of-life", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _repack_mirror(_job: Job, _progress: Progress) -> None:
    writer.repack_batches()


def _check_mirror(_job: Job, _progress: Progress) -> None:
    writer.check_mirror()


def _evaluate(job: Job, progress: Progress) -> bool:
    number = json.loads(job.payload)["run"]
    try:
        return run_worker.advance_run(number, progress.report)
    except OperationalError as error:  # a brief outage of the database must not end the run
        logger.warning("%s waits: %s", job, error)
        return True
    except Exception as error:
        run_worker.fail_run(number, _describe_fault(error))
        raise


def _improve(job: Job, _progress: Progress) -> bool:
    number = json.loads(job.payload)["improvement"]
    try:
        return improvement_worker.advance_improvement(number)
    except OperationalError as error:  # a brief outage of the database must not end the improvement
        logger.warning("%s waits: %s", job, error)
        return True
    except Exception as error:
        improvement_worker.fail_improvement(number, _describe_fault(error))
        raise


def _describe_fault(error: Exception) -> str:
    if is_disk_full(error):
        return "The disk of the server is full. When there is room, start it again: the replies that came are kept."
    return f"It stopped at a fault of Promptuary ({type(error).__name__}); the worker's log has it."


def _run_checks(job: Job, progress: Progress) -> None:
    check_results.run_checks(number=json.loads(job.payload)["change"], report=progress.report)


def _publish_scheduled(job: Job, _progress: Progress) -> None:
    scheduled_publishing.publish_scheduled(json.loads(job.payload))


def _check_chain(_job: Job, progress: Progress) -> None:
    last = Event.objects.aggregate(last=Max("number"))["last"] or 0
    for fault in verification.find_chain_faults():
        raise BrokenChain(fault)
    progress.report(last, last)


HANDLERS: dict[str, Callable[[Job, Progress], bool | None]] = {
    CHECKS: _run_checks,
    EVALUATION: _evaluate,
    IMPROVEMENT: _improve,
    "mirror.repack": _repack_mirror,
    "mirror.check": _check_mirror,
    CHAIN: _check_chain,
    SCHEDULE: _publish_scheduled,
}
