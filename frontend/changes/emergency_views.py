"""The page that publishes in an emergency, before the approvals, where a namespace allows it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from frontend.accounts import reauthentication
from frontend.changes.emergency_notices import roll_back_url
from frontend.changes.presenters import change_title
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import show
from registry.accounts.actor import Actor
from registry.changes import emergencies, gate
from registry.changes import queries as change_queries
from registry.core.errors import Invalid, PromptuaryError, ProofRequired
from registry.core.problem_details import status_of
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.templates import label_queries

__all__ = ["break_glass"]


@form_page
@signed_in
def break_glass(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """What is still missing, what it would move, and the form: a reason, and the password once more."""
    change = change_queries.find_change(actor, Verb.READ, number)
    refusal: PromptuaryError | None = None
    if request.method == "POST":
        try:
            if fault := reauthentication.proof_problem(request, actor):
                raise Invalid(fields={"password": fault})
            emergencies.publish_in_emergency(actor=actor, number=number, reason=request.POST.get("reason", ""))
        except ProofRequired:
            raise  # leads to the page where it is given
        except PromptuaryError as error:
            refusal = error
        else:
            done = (
                f"{change.label} is on v{change.version.number}. The review stays open, and red, until it is approved."
            )
            messages.success(request, done, extra_tags=f"{actor.person.username}:emergency:{number}")
            return redirect("change", number)
    back = emergencies.last_approved_version(change)
    context = {
        "section": "changes",
        "change": change,
        "title": change_title(change),
        "blockers": gate.evaluate(change, actor).blockers,
        "holds": label_queries.label_numbers(change.template).get(change.label),
        "allowed": change.template.namespace.break_glass,
        "may": permissions.is_allowed(actor, Verb.ROLL_BACK, change.template.namespace),
        "back": back,
        "back_url": roll_back_url(change.template.name, change.label, back) if back else "",
        "wants_password": reauthentication.wants_password(request),
        "reason": request.POST.get("reason", ""),
        "refusal": refusal,
    }
    return show(request, "changes/emergency.html", context, status=status_of(refusal) if refusal else 200)
