"""The page of a namespace's keys: issue (showing the secret once), rotate and revoke them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_variables

from frontend.accounts import key_revocation
from frontend.settings import key_panel
from frontend.settings.key_forms import KeyForm, RotateForm
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.problem_details import find_status
from registry.namespaces import key_queries as keys_query
from registry.namespaces import key_rights, revocations, verbs
from registry.namespaces import keys as keys_service
from registry.namespaces import queries as namespace_queries
from registry.namespaces.unused_keys import is_key_unused
from registry.namespaces.verbs import KEY_VERBS, Verb
from registry.usage import queries as usage_queries

__all__ = ["manage_keys"]


@sensitive_variables("issued")
@form_page
@signed_in
def manage_keys(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """All keys; a POST issues, rotates, revokes, keeps or limits one. Only issuing and rotating show a secret."""
    listed_keys = keys_query.list_keys(actor, namespace)  # checks permissions before reading the form
    do = request.POST.get("do", "") if request.method == "POST" else "look"
    address = reverse("keys", args=[namespace])
    if do == "revoke":
        return key_revocation.answer_revocation(request, actor, listed_keys, address, "templates")
    if do == "keep":
        return key_revocation.cancel_revocation(request, actor, address)
    addresses_form, status = None, 200
    if do == "addresses":
        addresses_form, status = key_panel.set_addresses(request, actor)
        if addresses_form.is_valid():
            messages.success(request, gettext("The network addresses of the key are set. They apply within a second."))
            return redirect(f"{address}?can={addresses_form.cleaned_data['key']}#can")
    if do == "look" and (panel := key_revocation.show_revocation(request, listed_keys, address, "templates")):
        return panel
    people = [member.person.username for member in namespace_queries.list_members(actor, namespace)]
    start = {
        "person": actor.person.username,
        "scope": Key.CHOSEN,
        "verbs": [Verb.FETCH.value],
        "days": keys_service.DEFAULT_DAYS,
    }
    form = KeyForm(request.POST if do == "" else None, people=people, initial=start)
    rotate_form = RotateForm(request.POST if do == "rotate" else None, initial={"key": request.GET.get("rotate", "")})
    issued = None
    if do not in ("look", "addresses"):
        active_form, work = (rotate_form, _rotate) if do == "rotate" else (form, _issue)
        issued, status = _try(actor, namespace, active_form, work)
    if issued:
        form, rotate_form = KeyForm(people=people, initial=start), RotateForm()
    context = {
        **_describe_keys(keys_query.list_keys(actor, namespace) if issued else listed_keys),
        "section": "settings",
        "settings_page": "keys",
        "namespace": namespace,
        "may_manage": True,
        "form": form,
        "rotate_form": rotate_form,
        "verbs": [(verb.value, keys_query.describe_verb(verb)) for verb in KEY_VERBS],
        "issued": issued,
    }
    is_panel = do == "look" or addresses_form is not None
    context |= key_panel.make_panel_context(request, actor, addresses_form) if is_panel else {"panel_key": None}
    context["rotating"] = next((key for key in context["rows"] if key.id == rotate_form["key"].value()), None)
    return render_page(request, "settings/keys.html", context, status=status)


def _describe_keys(rows: Sequence[Key]) -> dict[str, Any]:
    """The keys, with the permissions of each in plain words, and which of them have ended."""
    now = datetime.now(UTC)
    return {
        "rows": rows,
        "now": now,
        "used": usage_queries.describe_use_of_keys(rows),
        "may": {key.id: keys_query.describe_rights(key) for key in rows},
        "limited": {key.id for key in rows if not key_rights.list_key_verbs(key) - verbs.SCOPES[Key.READ]},
        "ended_keys": {key.id for key in rows if key.revoked_at or (key.expires_at and key.expires_at <= now)},
        "later_revocations": revocations.find_later_revocations(rows),
        "unused_keys": {key.id for key in rows if is_key_unused(key, now)},
        "successors": {key.replaces_id: key.id for key in rows if key.replaces_id},
    }


def _try(
    actor: Actor, namespace: str, form: KeyForm | RotateForm, work: Any
) -> tuple[keys_service.IssuedKey | None, int]:
    """The issued key, or None with the errors in the form, and the status."""
    if not form.is_valid():
        return None, 422
    try:
        return work(actor, namespace, form.cleaned_data), 201
    except (Invalid, Conflict, NotAllowed) as error:
        add_errors(form, error)
        return None, find_status(error)


def _issue(actor: Actor, namespace: str, data: dict[str, Any]) -> keys_service.IssuedKey:
    is_limited = data["scope"] == Key.CHOSEN
    return keys_service.issue_key(
        actor=actor,
        namespace=namespace,
        name=data["name"],
        scope=data["scope"],
        verbs=data["verbs"] if is_limited else (),
        labels=data["labels"],
        addresses=data["addresses"],
        person=data["person"],
        expires_at=datetime.now(UTC) + timedelta(days=data["days"]) if data["days"] else None,
        approved_only=data["versions"],
    )


def _rotate(actor: Actor, _namespace: str, data: dict[str, Any]) -> keys_service.IssuedKey:
    keep = datetime.now(UTC) + timedelta(hours=data["hours"]) if data["hours"] else None
    return keys_service.rotate_key(actor=actor, key_id=data["key"], keep_until=keep)
