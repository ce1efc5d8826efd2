"""The request to verify the journal's chain."""

from registry.accounts.actor import Actor
from registry.audit.queries import CHAIN
from registry.jobs import queue
from registry.jobs.models import Job
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["check_chain"]


def check_chain(*, actor: Actor, namespace: str) -> Job:
    """Queue a check of every event: number, hash, previous hash and columns. For admins of a namespace.

    A second request while it waits shares the job. The worker stores the number of the last event in the job's `done`,
    or the fault in its `error`; `queries.read_chain` reads both.
    """
    permissions.find_namespace(actor, Verb.MANAGE, namespace)
    return queue.enqueue(CHAIN)
