"""Home: what waits on you, what you wait for, where you left off, and what went live."""

from django.http import HttpRequest, HttpResponse

from frontend import emergency_notices, waiting
from frontend.context import frame_of
from frontend.htmx import show
from frontend.pages import signed_in
from registry.access import Actor
from registry.queries import drafts, gates, labels, notifications, operations

__all__ = ["home"]

MOST_DRAFTS = 8


@signed_in
def home(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Its queries are as many with one open request as with two hundred."""
    found = gates.pending(actor)
    mine = waiting.of_person(found, actor)
    own = drafts.mine(actor)
    context = {
        "section": "home",
        "heading": waiting.count_of(mine),
        "mine": mine,
        "others": waiting.of_others(found, actor),
        "drafts": waiting.resumable(own[:MOST_DRAFTS]),
        "more_drafts": max(0, len(own) - MOST_DRAFTS),
        "published": labels.published(actor),
        "pending": len(found),
        "emergencies": emergency_notices.notices(actor),
        "troubles": operations.troubles(actor),
        "key_notices": notifications.of_keys(actor),
    }
    frame_of(request).set_counts(open_changes=len(found), waiting=len(mine))
    return show(request, "home.html", context)
