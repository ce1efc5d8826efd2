"""The request to verify the journal's chain."""

from registry.accounts.actor import Actor
from registry.audit.queries import CHAIN
from registry.jobs import queue
from registry.jobs.models import Job
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["check_chain"]


def check_chain(*, actor: Actor, namespace: str) -> Job:
    """Queue a check of every event: number, hash, the one before, and the columns. For admins of a namespace.

    Twice while it waits is one job. The worker leaves the number of the last event in the job's `done`, or what is
    wrong in its `error`; `queries.events.chain` reads both.
    """
    permissions.find_namespace(actor, Verb.MANAGE, namespace)
    return queue.enqueue(CHAIN)
