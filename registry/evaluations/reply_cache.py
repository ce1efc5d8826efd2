"""Deletion of old cached replies, which make a run over the same rows free."""

from datetime import timedelta

from registry.evaluations.models import Reply
from registry.journal import log

__all__ = ["KEPT", "delete_old_replies"]

KEPT = timedelta(days=90)
"""How long a reply can be reused; a run keeps its own copy."""
_BATCH = 5_000  # per pass, to keep transactions short; the next pass follows in minutes


def delete_old_replies() -> int:
    """Delete expired replies, oldest first and at most one batch. Return how many."""
    rows = Reply.objects.filter(created_at__lte=log.now() - KEPT).order_by("created_at")
    return Reply.objects.filter(pk__in=list(rows.values_list("pk", flat=True)[:_BATCH])).delete()[0]
