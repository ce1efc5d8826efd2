"""Revoking a key on a page: its use is shown first, then it ends at once or after a while."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils import timezone

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import Invalid
from registry.namespaces import key_queries as queries
from registry.namespaces import keys
from registry.usage import queries as usage_queries

__all__ = ["RevokeForm", "revocation_context", "revoke_key"]


class RevokeForm(forms.Form):
    """Which key, and for how many hours it goes on."""

    key = forms.CharField(max_length=20)
    after = forms.TypedChoiceField(coerce=int, required=False, choices=[(0, "ends at once"), (1, "ends in an hour")])


def revocation_context(request: HttpRequest, keys: Sequence[Key], leave_url: str) -> dict[str, Any]:
    """What `_revoke_key.html` needs where the address names one of the keys shown that still holds, else nothing."""
    key_id = request.GET.get("revoke", "")
    key = next((key for key in keys if key.id == key_id and not queries.has_key_ended(key)), None)
    if key is None:
        return {"revoking": None}
    return {
        "revoking": key,
        "use": usage_queries.use_of_key(key),
        "days": usage_queries.DAYS,
        "revoke_form": RevokeForm(),
        "leave_url": leave_url,
    }


def revoke_key(request: HttpRequest, actor: Actor) -> str:
    """Do what the form asks for, and say it in a sentence."""
    form = RevokeForm(request.POST)
    if not form.is_valid():
        raise Invalid(fields={name: " ".join(map(str, sentences)) for name, sentences in form.errors.items()})
    hours = form.cleaned_data["after"] or 0  # nothing chosen: at once
    keep_until = datetime.now(UTC) + timedelta(hours=hours) if hours else None
    key = keys.revoke_key(actor=actor, key_id=form.cleaned_data["key"], keep_until=keep_until)
    if key.revoked_at is None and key.expires_at is not None:
        until = timezone.localtime(key.expires_at)
        return f"The key of {key.name} works until {until:%H:%M %Z}."
    return f"The key of {key.name} is revoked; it holds nowhere any more within a second."
