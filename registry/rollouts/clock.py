"""Scheduled work on rollouts: stops by rule, and due steps.

Each rollout is read again under its locks before anything is done, so two workers never do the same step.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from registry.accounts.actor import Actor, build_operator_actor
from registry.changes.blockers import FREEZE
from registry.core.errors import PromptuaryError
from registry.journal import log
from registry.namespaces.key_queries import has_key_ended
from registry.namespaces.verbs import Verb
from registry.rollouts import services, stop_rules
from registry.rollouts.models import Rollout
from registry.rollouts.queries import lock_rollout
from registry.rollouts.responsible import find_responsible
from registry.rollouts.stop_rules import SideScore
from registry.templates.models import TOMBSTONE

__all__ = ["advance_rollouts"]

_WAY_OUT = "Whoever resumes it continues in their own name."  # part of a stored reason, so without translation


def advance_rollouts(at: datetime | None = None) -> int:
    """Stop the rollouts whose rule requires it, take the steps that are due, and return how many rollouts changed. at:
    default now.
    """
    at = at or log.now()
    rows = Rollout.objects.filter(state__in=Rollout.ACTIVE).select_related("template", "stable", "candidate")
    waiting = rows.filter(Q(next_at__lte=at) | Q(stop_rule__isnull=False) | Q(candidate__bundle=TOMBSTONE))
    listed = list(waiting.defer("stable__bundle").order_by("number"))
    scores = stop_rules.read_side_scores([rollout for rollout in listed if rollout.stop_rule is not None])
    count = 0
    for rollout in listed:
        if _stop_reason(rollout, scores.get(rollout.number, ())) or _is_due(rollout, at):
            count += _advance(rollout.number, at)
    return count


def _advance(number: int, at: datetime) -> bool:
    """Do what one rollout needs, if it still does under the locks."""
    with transaction.atomic():
        system = build_operator_actor()
        rollout = lock_rollout(system, Verb.PUBLISH, number)
        if not rollout.is_active:
            return False
        if reason := _stop_reason(rollout, stop_rules.read_side_scores([rollout])[number]):
            services.stop_active(system, rollout, reason, automatic=True)
            return True
        if not _is_due(rollout, at):
            return False
        try:
            with transaction.atomic():
                actor = _require_responsible(rollout)
                services.serve_next_step(actor, lock_rollout(actor, Verb.PUBLISH, number), automatic=True)
        except PromptuaryError as error:  # rights or approvals have changed since, so people have to decide
            if _is_freeze(error):  # the step is taken after the freeze
                return False
            services.pause_active(system, rollout, f"The next step was not possible: {error.message}", automatic=True)
        return True


def _stop_reason(rollout: Rollout, scores: Sequence[SideScore]) -> str:
    if rollout.candidate.is_redacted:
        return f"Version {rollout.candidate.number} was redacted."  # no text: stored as the reason
    return stop_rules.find_breach(rollout.stop_rule, scores)


def _is_freeze(error: PromptuaryError) -> bool:
    """Whether a freeze of the namespace is the only blocker."""
    blockers = error.facts.get("blockers")
    return isinstance(blockers, list) and {blocker["code"] for blocker in blockers} == {FREEZE}


def _is_due(rollout: Rollout, at: datetime) -> bool:
    return rollout.state == Rollout.RUNNING and rollout.next_at is not None and rollout.next_at <= at


def _require_responsible(rollout: Rollout) -> Actor:
    """The actor for whom planned steps are taken, with their current rights. Raises PromptuaryError if the person is
    deactivated or the key has ended; resuming the rollout makes another person responsible.
    """
    responsible = find_responsible([rollout])[rollout.number]
    person, key = responsible.person, responsible.key
    if not person.is_active and not responsible.is_operator:
        raise PromptuaryError(f"{person.username}, in whose name it runs, is deactivated. {_WAY_OUT}")
    if key is not None and has_key_ended(key):
        raise PromptuaryError(f"The key {key.name} (pb_{key.id}), which started or resumed it, has ended. {_WAY_OUT}")
    return Actor(person)
