"""The panel that publishes in an emergency, ahead of the approvals, if the namespace allows it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from frontend.changes.actions import read_seen
from frontend.changes.emergency_notices import roll_back_url
from frontend.changes.label_evidence import build_evidence_context
from frontend.changes.presenters import write_title
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.changes import emergencies, gate, label_preview
from registry.changes import queries as change_queries
from registry.changes.models import ChangeRequest
from registry.core.errors import PromptuaryError, ProofRequired
from registry.core.problem_details import find_status
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates.label_ways_back import find_ways_back

__all__ = ["break_glass"]

PANEL = "changes/_emergency_panel.html"


@form_page
@signed_in
def break_glass(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """The missing approvals, the move, and the form with the reason; an old session proves itself next."""
    change = change_queries.find_change(actor, Verb.READ, number)
    refusal: PromptuaryError | None = None
    if request.method == "POST":
        try:
            emergencies.publish_in_emergency(
                actor=actor,
                number=number,
                reason=request.POST.get("reason", ""),
                **read_seen(request.POST),
            )
        except ProofRequired:
            raise  # redirects to reauthentication
        except PromptuaryError as error:
            refusal = error
        else:
            done = gettext("{label} is on v{version}. The review stays open, and red, until it is approved.").format(
                label=change.label, version=change.version.number
            )
            messages.success(request, done, extra_tags=f"{actor.person.username}:emergency:{number}")
            return redirect("change", number)
    back = find_ways_back([change.template_id]).get((change.template_id, change.label))
    state = gate.evaluate(change, actor)
    blockers = state.blockers
    name, version = change.template.name, change.version.number
    preview = label_preview.find_preview(actor, name, change.label, version)
    context = {
        "section": "changes",
        "panel": f"frontend/{PANEL}",
        "panel_title": gettext("Publish v{version} without approval").format(version=version),
        "leave_url": reverse("change", args=[number]),
        "change": change,
        "title": write_title(change),
        "blockers": blockers,
        "freeze": state.facts.freeze if change.is_open else None,
        "fault": _find_fault(actor, change, has_blockers=bool(blockers)),
        "back": back,
        "back_url": roll_back_url(change.template.name, change.label, back) if back else "",
        "needs_proof": bool(actor.find_missing_emergency_proof()),
        "reason": request.POST.get("reason", ""),
        "refusal": refusal,
        **build_evidence_context(request, actor, preview),
    }
    status = find_status(refusal) if refusal else 200
    return render_page(request, "web/panel.html", context, regions={"panel": PANEL}, status=status)


def _find_fault(actor: Actor, change: ChangeRequest, *, has_blockers: bool) -> str:
    """Why there is no form, in a sentence; empty if there is one."""
    space = change.template.namespace
    if not space.break_glass:
        return gettext(
            "{space} does not allow publishing without approval. An admin can allow it among its rules."
        ).format(space=space.name)
    if not permissions.is_allowed(actor, Verb.ROLL_BACK, space, change.template.path):
        return gettext("Publishing without approval needs the reviewer role in {space}. Ask an admin.").format(
            space=space.name
        )
    if not change.is_open:
        late = gettext(", and still has to be approved after the fact") if change.needs_approval else ""
        return gettext("Change {change} is {state}{late}.").format(change=change.number, state=change.state, late=late)
    return "" if has_blockers else gettext("Nothing blocks this change: publish it as usual.")
