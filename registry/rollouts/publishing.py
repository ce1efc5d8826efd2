"""Publishing a change as proposed: its label moves immediately, or the planned rollout starts."""

from registry.accounts.actor import Actor
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.rollouts import services
from registry.rollouts.models import Rollout

__all__ = ["publish_as_proposed"]


def publish_as_proposed(
    *, actor: Actor, number: int, version: int | None = None, expected: int | None = None
) -> Rollout | None:
    """Start the planned rollout and return it; without a plan, move the label and return None.

    Raises like `services.start_rollout` or `publish_change`. version: as in `change.require_seen_version`. expected: as
    in `label_moves.require_unmoved`.
    """
    # Read without a lock: an open change never gains a plan, and loses it only to a schedule, which prevents a rollout.
    plans = ChangeRequest.objects.pending().filter(number=number, planned_rollout__isnull=False)
    plan = plans.values_list("planned_rollout", flat=True).first()
    if plan is None:
        change_services.publish_change(actor=actor, number=number, version=version, expected=expected)
        return None
    return services.start_rollout(actor=actor, change=number, version=version, expected=expected, **plan)
