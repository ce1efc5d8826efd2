"""Home: what waits on you, what you wait for, where you left off, and what went live."""

from django.http import HttpRequest, HttpResponse

from frontend import emergency_notices, waiting
from frontend.context import frame_of
from frontend.htmx import show
from frontend.pages import signed_in
from registry.changes import gate
from registry.namespaces.permissions import Actor
from registry.notifications import queries as notification_queries
from registry.observability import alerts
from registry.templates import draft_queries, label_queries

__all__ = ["home"]

MOST_DRAFTS = 8


@signed_in
def home(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Its queries are as many with one open request as with two hundred."""
    found = gate.pending(actor)
    mine = waiting.of_person(found, actor)
    own = draft_queries.mine(actor)
    context = {
        "section": "home",
        "heading": waiting.count_of(mine),
        "mine": mine,
        "others": waiting.of_others(found, actor),
        "drafts": waiting.resumable(own[:MOST_DRAFTS]),
        "more_drafts": max(0, len(own) - MOST_DRAFTS),
        "published": label_queries.published(actor),
        "pending": len(found),
        "emergencies": emergency_notices.notices(actor),
        "troubles": alerts.troubles(actor),
        "key_notices": notification_queries.of_keys(actor),
    }
    frame_of(request).set_counts(open_changes=len(found), waiting=len(mine))
    return show(request, "home.html", context)
