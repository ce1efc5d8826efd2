"""The services of a namespace: their keys, shown once at birth, and revoked here."""

from datetime import UTC, datetime, timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from frontend.forms import KeyForm, add_errors
from frontend.htmx import show
from frontend.pages import signed_in, status_of
from registry.access import Actor
from registry.errors import Conflict, Invalid, NotAllowed
from registry.queries import keys as keys_query
from registry.queries import namespaces
from registry.services import keys as keys_service

__all__ = ["keys"]


@sensitive_variables("issued")
@require_http_methods(["GET", "POST"])
@signed_in
def keys(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """All keys; a POST issues one (the answer is the only page that ever shows it) or revokes one."""
    listed = keys_query.listing(actor, namespace)
    people = [member.person.username for member in namespaces.members(actor, namespace)]
    if request.method == "POST" and request.POST.get("do") == "revoke":
        key = keys_service.revoke(actor=actor, key_id=request.POST.get("key", ""))
        messages.success(request, f"The key of {key.name} is revoked; it holds nowhere any more within a second.")
        return redirect("keys", namespace)
    form = KeyForm(request.POST or None, people=people, initial={"person": actor.person.username})
    issued = None
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                issued = _issue(actor, namespace, form)
                status = 201
            except (Invalid, Conflict, NotAllowed) as error:
                add_errors(form, error)
                status = status_of(error)
    if issued:
        listed = keys_query.listing(actor, namespace)
        form = KeyForm(people=people, initial={"person": actor.person.username})
    context = {
        "section": "templates",
        "namespace": namespace,
        "rows": listed,
        "form": form,
        "issued": issued,
        "now": datetime.now(UTC),
    }
    return show(request, "keys.html", context, status=status)


def _issue(actor: Actor, namespace: str, form: KeyForm) -> keys_service.Issued:
    asked = form.cleaned_data
    return keys_service.issue(
        actor=actor,
        namespace=namespace,
        name=asked["name"],
        scope=asked["scope"],
        person=asked["person"],
        expires_at=datetime.now(UTC) + timedelta(days=asked["days"]) if asked["days"] else None,
    )
