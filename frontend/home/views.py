"""The home page: work that waits on the reader or on others, drafts, and what was published last."""

from django.http import HttpRequest, HttpResponse

from frontend.changes import emergency_notices
from frontend.changes.rollout_rows import rollout_rows
from frontend.home import work_items
from frontend.web.decorators import signed_in
from frontend.web.page import frame_of, show
from registry.accounts.actor import Actor
from registry.bookmarks import queries as bookmark_queries
from registry.changes import first_steps, gate
from registry.evaluations import live_failures
from registry.namespaces import permissions, unused_keys
from registry.notifications import queries as notification_queries
from registry.observability import health
from registry.releases import gate as release_gate
from registry.rollouts import queries as rollout_queries
from registry.templates import label_queries
from registry.templates import queries as template_queries

__all__ = ["home"]

MOST_DRAFTS = 8
MOST_ROLLOUTS = 8
MOST_UNUSED_KEYS = 5
MOST_FAVOURITES = 12


@signed_in
def home(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Its queries are as many with one open request as with two hundred."""
    pending = gate.evaluate_pending(actor)
    gates, releases = release_gate.group_pending(pending)
    items = work_items.items_of_person(gates, actor)
    own_releases = [release for release in releases if release.waits_on(actor.person.username)]
    drafts = template_queries.list_drafts(actor)
    rollouts = rollout_queries.list_active(actor)
    idle_keys = unused_keys.list_unused_keys(actor)
    context = {
        "section": "home",
        "heading": work_items.count_sentence(len(items) + len(own_releases)),
        "own_items": items,
        "own_releases": own_releases,
        "other_releases": [release for release in releases if release not in own_releases],
        "username": actor.person.username,
        "items_of_others": work_items.items_of_others(gates, actor),
        "rollouts": rollout_rows(rollouts[:MOST_ROLLOUTS]),
        "more_rollouts": max(0, len(rollouts) - MOST_ROLLOUTS),
        "drafts": work_items.resumable_drafts(drafts[:MOST_DRAFTS]),
        "more_drafts": max(0, len(drafts) - MOST_DRAFTS),
        "favourites": bookmark_queries.list_favourites(actor, MOST_FAVOURITES),
        "published": label_queries.list_published_moves(actor),
        "pending": len(pending),
        "emergencies": emergency_notices.open_notices(actor),
        "live_failures": live_failures.list_live_failures(actor),
        "troubles": health.list_instance_faults(actor),
        "first_steps": first_steps.list_first_steps(actor),
        "unused_keys": idle_keys[:MOST_UNUSED_KEYS],
        "more_unused_keys": max(0, len(idle_keys) - MOST_UNUSED_KEYS),
        "closed_namespaces": permissions.list_namespaces_closed_without_two_step(actor),
        "key_notices": notification_queries.list_key_notifications(actor),
    }
    frame_of(request).set_counts(open_changes=len(pending), waiting=len(items) + len(own_releases))
    return show(request, "home/home.html", context)
