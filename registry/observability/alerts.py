"""What is wrong with this instance itself, for the people who can have it put right."""

from registry.accounts.actor import Actor
from registry.journal import rollback_guard
from registry.mirror.models import Remote
from registry.namespaces.models import Membership
from registry.namespaces.permissions import Role

__all__ = ["troubles"]


def troubles(actor: Actor) -> list[str]:
    """Sentences for an admin of any namespace; for others, and where all is well, none."""
    if not Membership.objects.filter(person=actor.person, role=Role.ADMIN.value).exists():
        return []
    found = [rollback_guard.complaint()]
    for remote in Remote.objects.exclude(error="").order_by("name"):
        since = f" since {remote.pushed_at:%Y-%m-%d %H:%M} UTC" if remote.pushed_at else ""
        found.append(f"The mirror's remote {remote.name} is behind{since}: {remote.error}")
    return [sentence for sentence in found if sentence]
