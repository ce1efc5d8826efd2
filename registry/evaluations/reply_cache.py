"""Deletes old replies of models, which are kept so that a run over the same rows costs nothing."""

from datetime import timedelta

from registry.evaluations.models import Reply
from registry.journal import log

__all__ = ["KEPT", "delete_old_replies"]

KEPT = timedelta(days=90)
"""How long a reply is used again; a run keeps its own."""
_BATCH = 5_000  # replies of one pass, so that no transaction gets long; the next pass follows in minutes


def delete_old_replies() -> int:
    """Delete replies that were kept long enough, the oldest first and not more than a batch, and give how many."""
    rows = Reply.objects.filter(created_at__lte=log.now() - KEPT).order_by("created_at")
    return Reply.objects.filter(pk__in=list(rows.values_list("pk", flat=True)[:_BATCH])).delete()[0]
