"""The panel that revokes a key: its use, the reason, and when it takes effect; also cancels a scheduled revocation."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import Invalid
from registry.namespaces import key_queries as queries
from registry.namespaces import keys as keys_service
from registry.namespaces import revocations
from registry.people.revocation_effects import describe_effects_of_revocation
from registry.usage import queries as usage_queries

__all__ = ["RevokeForm", "answer_revocation", "cancel_revocation", "show_revocation"]

PANEL = "accounts/_revoke_panel.html"
AFTER = [(0, gettext_lazy("Now")), (1, gettext_lazy("In 1 hour")), (24, gettext_lazy("In 1 day"))]
REASONS = [  # suggestions only: the field accepts any text
    gettext_lazy("Its secret may be known to others"),
    gettext_lazy("The service has another key"),
    gettext_lazy("The service is no longer run"),
]


class RevokeForm(forms.Form):
    """The key to revoke, the hours until it stops working, and the reason."""

    key = forms.CharField(max_length=20)
    after = forms.TypedChoiceField(coerce=int, required=False, choices=AFTER)
    reason = forms.CharField(
        max_length=1000, error_messages={"required": gettext_lazy("Say why: it is recorded in the audit.")}
    )


def show_revocation(request: HttpRequest, keys: Sequence[Key], leave_url: str, section: str) -> HttpResponse | None:
    """Render the panel if the URL names one of the listed active keys, else return None. leave_url: the page of the
    keys, which also handles the form.
    """
    key = _find_valid(keys, request.GET.get("revoke", ""))
    return _show_panel(request, key, RevokeForm(), leave_url, section) if key else None


def answer_revocation(
    request: HttpRequest, actor: Actor, keys: Sequence[Key], leave_url: str, section: str
) -> HttpResponse:
    """Revoke the key that the form names and redirect to `leave_url`; an invalid form is shown again in the key's
    panel.
    """
    form = RevokeForm(request.POST)
    if form.is_valid():
        messages.success(request, _revoke(actor, form.cleaned_data))
        return redirect(leave_url)
    key = _find_valid(keys, request.POST.get("key", ""))
    if key is None:
        raise Invalid(fields={name: " ".join(map(str, sentences)) for name, sentences in form.errors.items()})
    return _show_panel(request, key, form, leave_url, section, status=422)


def cancel_revocation(request: HttpRequest, actor: Actor, leave_url: str) -> HttpResponse:
    """Cancel the scheduled revocation of the key that the form names, and redirect to `leave_url`."""
    key = revocations.keep_key(actor=actor, key_id=request.POST.get("key", ""))
    if key.expires_at is None:
        sentence = gettext("The revocation is cancelled. The key of {key} has no end.").format(key=key.name)
    else:
        until = f"{timezone.localtime(key.expires_at):%Y-%m-%d %H:%M %Z}"
        sentence = gettext("The revocation is cancelled. The key of {key} ends at {until}.").format(
            key=key.name, until=until
        )
    messages.success(request, sentence)
    return redirect(leave_url)


def _find_valid(keys: Sequence[Key], key_id: str) -> Key | None:
    return next((key for key in keys if key.id == key_id and not queries.has_key_ended(key)), None)


def _show_panel(
    request: HttpRequest, key: Key, form: RevokeForm, leave_url: str, section: str, status: int = 200
) -> HttpResponse:
    context = {
        "section": section,
        "panel": f"frontend/{PANEL}",
        "panel_title": gettext("Revoke {name}").format(name=key.name),
        "revoking": key,
        "use": usage_queries.find_use_of_key(key),
        "effects": describe_effects_of_revocation(key),
        "days": usage_queries.DAYS,
        "revoke_form": form,
        "chosen_after": form["after"].value() or "0",
        "reasons": REASONS,
        "leave_url": leave_url,
    }
    return render_page(request, "web/panel.html", context, regions={"panel": PANEL}, status=status)


def _revoke(actor: Actor, data: dict[str, Any]) -> str:
    """Revoke the key, and return the message to show."""
    hours = data["after"] or 0  # nothing chosen: immediately
    keep_until = datetime.now(UTC) + timedelta(hours=hours) if hours else None
    key = keys_service.revoke_key(actor=actor, key_id=data["key"], keep_until=keep_until, reason=data["reason"])
    if key.revoked_at is None and key.expires_at is not None:
        until = timezone.localtime(key.expires_at)
        return gettext("The key of {key} works until {until}.").format(key=key.name, until=f"{until:%H:%M %Z}")
    return gettext("The key of {key} is revoked. It stops working within a second.").format(key=key.name)
