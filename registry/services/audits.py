"""Asking that the journal's chain be verified."""

from registry import access
from registry.access import Actor, Verb
from registry.models import Job
from registry.queries.events import CHAIN
from registry.services import jobs

__all__ = ["check_chain"]


def check_chain(*, actor: Actor, namespace: str) -> Job:
    """Queue a check of every event: number, hash, the one before, and the columns. For admins of a namespace.

    Twice while it waits is one job. The worker leaves the number of the last event in the job's `done`, or what is wrong in
    its `error`; `queries.events.chain` reads both.
    """
    access.find_namespace(actor, Verb.MANAGE, namespace)
    return jobs.enqueue(CHAIN)
