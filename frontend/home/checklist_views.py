"""The button that closes the first steps on the home page.

A module of its own: the home page is a read, and this is the one write that belongs to it.
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
    """Close the list for the person who is signed in, on every device."""
    people.close_checklist(actor=actor)
    return redirect("home")
