"""The page that lists change requests, with whose turn each is."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy, pgettext_lazy

from frontend.changes import presenters
from frontend.web.decorators import signed_in
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.changes import emergencies
from registry.changes import gate as change_gate
from registry.changes import queries as changes_query
from registry.changes.gate import Gate
from registry.namespaces import queries as namespace_queries
from registry.namespaces.permissions import MemberRoles
from registry.namespaces.verbs import Verb

__all__ = ["show_changes"]

PAGE_SIZE = 25  # evaluates the gate of each
STATES = {
    "pending": pgettext_lazy("state of a change", "Open"),
    "published": gettext_lazy("Published"),
    "withdrawn": gettext_lazy("Withdrawn"),
    "all": gettext_lazy("All"),
}


@signed_in
def show_changes(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Requests by state, newest first, with whose turn each is."""
    state = request.GET.get("state", "pending")
    state = state if state in STATES else "pending"
    page = changes_query.list_changes(
        actor,
        state=None if state == "all" else state,
        namespace=request.GET.get("namespace") or None,
        template=request.GET.get("template") or None,
        cursor=request.GET.get("cursor"),
        limit=PAGE_SIZE,
    )
    roles = {space.pk: member_roles for space, member_roles in namespace_queries.list_namespaces(actor)}
    query = {key: request.GET[key] for key in ("namespace", "template") if request.GET.get(key)}
    context = {
        "section": "changes",
        "rows": [_build_row(gate, actor, roles) for gate in change_gate.evaluate_many(page.items, actor)],
        "emergencies": emergencies.find_emergencies(page.items),
        "state": state,
        "tabs": [
            {"word": word, "url": f"?{urlencode({**query, 'state': key})}", "on": key == state}
            for key, word in STATES.items()
        ],
        "filters": query,
        "next_url": f"?{urlencode({**query, 'state': state, 'cursor': page.next})}" if page.next else "",
    }
    return render_page(request, "changes/changes.html", context, regions={"changes": "changes/_changes.html"})


def _build_row(gate: Gate, actor: Actor, roles: Mapping[int, MemberRoles]) -> dict[str, Any]:
    change, blockers = gate.change, gate.blockers
    role = roles.get(change.template.namespace_id)
    may_publish = role is not None and role.allows(Verb.PUBLISH, change.template.path)
    return {
        "change": change,
        "title": presenters.write_title(change),
        "cause": blockers[0].cause if blockers else "",
        "advice": blockers[0].action if blockers else "",
        "more": len(blockers) - 1,
        "turn": presenters.describe_turn(blockers, actor),
        "mine": any(actor.person.username in blocker.waiting_for for blocker in blockers[:1]),
        "ready": change.is_open and not blockers,
        "may_publish": not blockers and may_publish,
    }
