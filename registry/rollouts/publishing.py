"""Publishing a change as its proposal says: its label moves at once, or the planned rollout starts."""

from registry.accounts.actor import Actor
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.rollouts import services
from registry.rollouts.models import Rollout

__all__ = ["publish_as_proposed"]


def publish_as_proposed(
    *, actor: Actor, number: int, version: int | None = None, expected: int | None = None
) -> Rollout | None:
    """Start the rollout that was planned at the proposal, and give it; without a plan move the label, and give None.

    Refused as `services.start_rollout`, or `publish_change` of changes, refuses. version: as
    `locking.require_seen_head` takes it. expected: as `label_moves.require_unmoved` takes it.
    """
    # Read without a lock: an open change gets no plan, and loses its plan only to a schedule, which refuses a rollout.
    plans = ChangeRequest.objects.pending().filter(number=number, planned_rollout__isnull=False)
    plan = plans.values_list("planned_rollout", flat=True).first()
    if plan is None:
        change_services.publish_change(actor=actor, number=number, version=version, expected=expected)
        return None
    return services.start_rollout(actor=actor, change=number, version=version, expected=expected, **plan)
