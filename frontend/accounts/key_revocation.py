"""The panel before a key is revoked: what it fetches, then it ends at once or after a while."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from frontend.web.page import show
from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import Invalid
from registry.namespaces import key_queries as queries
from registry.namespaces import keys
from registry.usage import queries as usage_queries

__all__ = ["RevokeForm", "revoke_key", "show_revocation"]

PANEL = "accounts/_revoke_panel.html"
AFTER = [(0, gettext_lazy("ends at once")), (1, gettext_lazy("ends in an hour")), (24, gettext_lazy("ends in a day"))]


class RevokeForm(forms.Form):
    """Which key, and for how many hours it goes on."""

    key = forms.CharField(max_length=20)
    after = forms.TypedChoiceField(coerce=int, required=False, choices=AFTER)


def show_revocation(request: HttpRequest, keys: Sequence[Key], leave_url: str, section: str) -> HttpResponse | None:
    """The panel where the address names one of the keys shown that still holds, else None. leave_url: the page of the
    keys, which also takes the form."""
    key_id = request.GET.get("revoke", "")
    key = next((key for key in keys if key.id == key_id and not queries.has_key_ended(key)), None)
    if key is None:
        return None
    context = {
        "section": section,
        "panel": f"frontend/{PANEL}",
        "panel_title": gettext("Revoke {name}").format(name=key.name),
        "revoking": key,
        "use": usage_queries.use_of_key(key),
        "days": usage_queries.DAYS,
        "revoke_form": RevokeForm(),
        "leave_url": leave_url,
    }
    return show(request, "web/panel.html", context, regions={"panel": PANEL})


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
        return gettext("The key of {key} works until {until}.").format(key=key.name, until=f"{until:%H:%M %Z}")
    return gettext("The key of {key} is revoked; it holds nowhere any more within a second.").format(key=key.name)
