"""The home page: what waits for the reader or for others, failures, rollouts, drafts, and recent changes."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from frontend.changes import emergency_notices
from frontend.changes.failure_rows import build_failure_rows
from frontend.changes.rollout_rows import build_rollout_rows
from frontend.home import label_lines, production_rows, work_items
from frontend.web.decorators import signed_in
from frontend.web.page import build_frame, render_page
from registry.accounts.actor import Actor
from registry.audit import owned_events
from registry.bookmarks import queries as bookmark_queries
from registry.changes import first_steps, gate
from registry.changes.queries import list_stopped_changes
from registry.evaluations import live_failures, nightly_overview
from registry.namespaces import queries as namespace_queries
from registry.namespaces import unused_keys
from registry.namespaces.permissions import MemberRoles
from registry.notifications import queries as notification_queries
from registry.notifications import two_step_reminders
from registry.observability import health
from registry.releases import gate as release_gate
from registry.rollouts import queries as rollout_queries
from registry.templates import label_queries
from registry.templates import queries as template_queries

__all__ = ["show_home"]

MAX_DRAFTS = 8
MAX_FAILURES = 5
MAX_ROLLOUTS = 8
MAX_UNUSED_KEYS = 5
MAX_FAVOURITES = 12


@signed_in
def show_home(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The home page. Its number of queries doesn't depend on the number of open requests."""
    roles = {space.pk: member_roles for space, member_roles in namespace_queries.list_namespaces(actor)}
    pending = gate.evaluate_pending(actor)
    gates, releases = release_gate.group_pending(pending)
    emergencies = emergency_notices.open_notices(actor)
    rows = work_items.list_rows_of_person(gates, releases, actor, emergencies)
    own_emergencies = {row.notice.emergency.change.number for row in rows if row.notice}
    steps = first_steps.list_first_steps(actor)
    context = {
        "section": "home",
        "has_access": bool(roles),
        "has_namespaces": bool(roles) or namespace_queries.has_namespaces(),
        "admins": [] if roles else namespace_queries.list_admins_to_ask(),
        "heading": work_items.count_sentence(len(rows)),
        "urgency": work_items.describe_urgency(rows),
        "oldest": min((row.since for row in rows), default=None),
        "own_rows": rows,
        "other_releases": [release for release in releases if not release.waits_on(actor.person.username)],
        "stopped_rollouts": list_stopped_changes([pending_change.change for pending_change in pending]),
        "username": actor.person.username,
        "items_of_others": work_items.list_items_of_others(gates, actor),
        "pending": len(pending),
        "first_steps": steps,
        "steps_done": sum(step.is_done for step in steps),
        "favourites": bookmark_queries.list_favourites(actor, MAX_FAVOURITES),
        "emergencies": [
            notice for notice in emergencies if notice.emergency.change.number not in own_emergencies
        ],  # the others are shown in their rows
        **_read_notices(actor),
        **_read_drafts_and_keys(actor),
        **_read_production(actor, roles),
    }
    build_frame(request).set_counts(open_changes=len(pending), waiting=len(rows))
    return render_page(request, "home/home.html", context)


def _read_notices(actor: Actor) -> dict[str, Any]:
    """Notices at the top of the page."""
    closed = namespace_queries.list_namespaces_closed_without_two_step(actor)
    return {
        "troubles": health.list_instance_faults(actor),
        "closed_namespaces": closed,
        "two_step_reminder": two_step_reminders.find_two_step_reminder(actor) if closed else None,
        "key_notices": notification_queries.list_key_notifications(actor),
    }


def _read_drafts_and_keys(actor: Actor) -> dict[str, Any]:
    drafts = template_queries.list_drafts(actor)
    idle_keys = unused_keys.list_unused_keys(actor)
    return {
        "drafts": work_items.list_resumable_drafts(drafts[:MAX_DRAFTS]),
        "more_drafts": max(0, len(drafts) - MAX_DRAFTS),
        "unused_keys": idle_keys[:MAX_UNUSED_KEYS],
        "more_unused_keys": max(0, len(idle_keys) - MAX_UNUSED_KEYS),
    }


def _read_production(actor: Actor, roles: Mapping[int, MemberRoles]) -> dict[str, Any]:
    """The live state: failures, rollouts, figures, and recent changes. roles: by namespace id."""
    failures = live_failures.list_live_failures(actor)
    rollouts = rollout_queries.list_active(actor)
    events = label_lines.list_event_lines(owned_events.list_owned_events(actor))
    return {
        "failures": build_failure_rows(failures[:MAX_FAILURES], roles),
        "failing_count": len(failures),
        "more_failures": max(0, len(failures) - MAX_FAILURES),
        "plots": production_rows.build_plot_rows(actor, failures),
        "nights": nightly_overview.NIGHTS,
        "rollouts": build_rollout_rows(rollouts[:MAX_ROLLOUTS], roles),
        "more_rollouts": max(0, len(rollouts) - MAX_ROLLOUTS),
        "owned_events": events,
        "published": [] if events else label_lines.list_published_lines(label_queries.list_published_moves(actor)),
    }
