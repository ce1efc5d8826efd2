"""Where one person stands with a request: what they looked at last, and what they have not sent yet."""

from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest, Decision, Remark

__all__ = ["last_outdated_decision", "list_remarks"]


def last_outdated_decision(change: ChangeRequest, actor: Actor) -> Decision | None:
    """The person's last decision on a head that is another one by now, or None; nobody reviews what is their own."""
    if actor.person.pk in (change.opened_by_id, change.version.author_id):
        return None
    said = change.decisions.filter(person=actor.person).select_related("version").order_by("-pk").first()
    return said if said is not None and said.digest != change.version.digest else None


def list_remarks(change: ChangeRequest, actor: Actor) -> list[Remark]:
    """What the person keeps for their review, oldest first."""
    kept = Remark.objects.filter(change=change, person=actor.person)
    return list(kept.select_related("thread", "version").defer("version__bundle").order_by("pk"))
