"""The home page: work that waits on the reader or on others, drafts, and what was published last."""

from django.http import HttpRequest, HttpResponse

from frontend.changes import emergency_notices
from frontend.home import work_items
from frontend.web.decorators import signed_in
from frontend.web.page import frame_of, show
from registry.accounts.actor import Actor
from registry.changes import first_steps, gate
from registry.notifications import queries as notification_queries
from registry.observability import health
from registry.templates import label_queries
from registry.templates import queries as template_queries

__all__ = ["home"]

MOST_DRAFTS = 8


@signed_in
def home(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Its queries are as many with one open request as with two hundred."""
    gates = gate.evaluate_pending(actor)
    items = work_items.items_of_person(gates, actor)
    drafts = template_queries.list_drafts(actor)
    context = {
        "section": "home",
        "heading": work_items.count_sentence(items),
        "own_items": items,
        "items_of_others": work_items.items_of_others(gates, actor),
        "drafts": work_items.resumable_drafts(drafts[:MOST_DRAFTS]),
        "more_drafts": max(0, len(drafts) - MOST_DRAFTS),
        "published": label_queries.list_published_moves(actor),
        "pending": len(gates),
        "emergencies": emergency_notices.open_notices(actor),
        "troubles": health.list_instance_faults(actor),
        "first_steps": first_steps.list_first_steps(actor),
        "key_notices": notification_queries.list_key_notifications(actor),
    }
    frame_of(request).set_counts(open_changes=len(gates), waiting=len(items))
    return show(request, "home/home.html", context)
