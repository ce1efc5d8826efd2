"""The buttons that hide the first steps on the home page, and show them again.

They are in a separate module because the home page itself is read-only.
"""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from frontend.web.decorators import signed_in
from registry.accounts import people
from registry.accounts.actor import Actor
from registry.changes import first_steps

__all__ = ["hide_checklist", "show_checklist"]


@require_POST
@signed_in
def hide_checklist(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Hide the list from the signed-in user, on every device."""
    people.close_checklist(actor=actor)
    return redirect("home")


@require_POST
@signed_in
def show_checklist(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the list to the signed-in user again, or say that no step is left."""
    people.open_checklist(actor=actor)
    if not first_steps.list_first_steps(actor):
        messages.success(request, gettext("There is no first step left to take."))
    return redirect("home")
