"""The panel before an approved change is published; its form posts the action `publish` to the page of the change."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext

from frontend.changes.goes_live import read_goes_live
from frontend.changes.label_evidence import build_evidence_context
from frontend.changes.presenters import find_free_minute, find_permitted_actions, list_blocker_rows, write_title
from frontend.web.decorators import signed_in
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.changes import gate as change_gate
from registry.changes import label_preview
from registry.changes import queries as change_queries
from registry.core.errors import PromptuaryError
from registry.core.problem_details import find_status

__all__ = ["preview_publish", "show_publish_panel"]

PANEL = "changes/_publish_panel.html"


@signed_in
def preview_publish(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """The effects of publishing and the button, or what blocks it."""
    return show_publish_panel(request, actor, number)


def show_publish_panel(
    request: HttpRequest, actor: Actor, number: int, refusal: PromptuaryError | None = None
) -> HttpResponse:
    """The panel; after a refused form also with the reason, the moves made meanwhile, and the user's input."""
    change = change_queries.get_change(actor, number)
    gate = change_gate.evaluate(change, actor)
    act = find_permitted_actions(gate, actor)
    name, version = change.template.name, change.version.number
    preview = label_preview.find_preview(actor, name, change.label, version)
    may_roll_out = gate.facts.holds is not None and gate.facts.holds_digest != change.version.digest
    context = {
        "section": "changes",
        "panel": f"frontend/{PANEL}",
        "panel_title": gettext("Publish v{version} to {label}").format(version=version, label=change.label),
        "leave_url": reverse("change", args=[number]),
        "change": change,
        "title": write_title(change),
        "gate": gate,
        "act": act,
        "slot": find_free_minute(gate.blockers),
        "may_choose": act.publish and act.schedule and change.goes_live_at is None,
        "may_roll_out": may_roll_out,
        "goes_live": read_goes_live(request.POST, change.planned_rollout if may_roll_out else None),
        "expected_states": [preview.serves.number if preview.serves else 0],
        "refusal": refusal,
        "obstacles": list_blocker_rows(change, gate.blockers, act, version),
        **build_evidence_context(request, actor, preview),
        "checks": None,  # the form lists the change's own checks
    }
    status = find_status(refusal) if refusal else 200
    return render_page(request, "web/panel.html", context, regions={"panel": PANEL}, status=status)
