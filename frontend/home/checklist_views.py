"""The button that closes the first steps on the home page.

It is a separate module because the home page itself is read-only.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from frontend.web.decorators import signed_in
from registry.accounts import people
from registry.accounts.actor import Actor

__all__ = ["close"]


@require_POST
@signed_in
def close(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Close the list for the signed-in user, on every device."""
    people.close_checklist(actor=actor)
    return redirect("home")
