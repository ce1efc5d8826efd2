"""What stops when a key ends, besides its fetches: schedules that it set, and rollouts that it started or resumed."""

from dataclasses import dataclass

from registry.accounts.models import Key
from registry.changes.models import ChangeRequest
from registry.releases.models import Release
from registry.rollouts.models import Rollout
from registry.rollouts.responsible import find_responsible

__all__ = ["RevocationEffects", "describe_effects_of_revocation"]


@dataclass(frozen=True)
class RevocationEffects:
    """Numbers, ascending. changes, releases: scheduled with the key, so they don't go live at their time. rollouts:
    those that are paused at their next planned step.
    """

    changes: list[int]
    releases: list[int]
    rollouts: list[Rollout]


def describe_effects_of_revocation(key: Key) -> RevocationEffects:
    """The effects of ending the key, for a caller who may see it."""
    changes = ChangeRequest.objects.pending().filter(schedule_key=key, goes_live_at__isnull=False)
    releases = Release.objects.filter(schedule_key=key, state=Release.OPEN, goes_live_at__isnull=False)
    running = Rollout.objects.filter(
        template__namespace=key.namespace_id, state=Rollout.RUNNING, next_at__isnull=False
    ).select_related("started_by", "key")
    rollouts = list(running.order_by("number"))
    responsible = find_responsible(rollouts)
    return RevocationEffects(
        changes=list(changes.order_by("number").values_list("number", flat=True)),
        releases=list(releases.order_by("number").values_list("number", flat=True)),
        rollouts=[rollout for rollout in rollouts if responsible[rollout.number].key == key],
    )
