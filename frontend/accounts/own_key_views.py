"""The page of a user's own keys: what each may do, who issued it, and how to revoke it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from frontend.accounts import key_revocation
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.namespaces import key_queries as queries
from registry.namespaces import revocations
from registry.namespaces.revocations import LaterRevocation
from registry.namespaces.unused_keys import is_key_unused
from registry.notifications import queries as notices
from registry.notifications import services as notification_services

__all__ = ["Row", "list_own_key_rows", "manage_own_keys"]


@dataclass(frozen=True)
class Row:
    """A key with its permissions in words. revocation: the scheduled one, if any."""

    key: Key
    may: str
    has_ended: bool
    is_unused: bool
    revocation: LaterRevocation | None
    may_cancel: bool


def list_own_key_rows(actor: Actor) -> list[Row]:
    """The keys that act for the user: active ones first, each group newest first."""
    keys = queries.list_own_keys(actor)
    later_revocations = revocations.find_later_revocations(keys)
    rows = [_make_row(actor, key, later_revocations.get(key.id)) for key in keys]
    return sorted(rows, key=lambda row: row.has_ended)


def _make_row(actor: Actor, key: Key, revocation: LaterRevocation | None) -> Row:
    may_cancel = revocation is not None and revocations.may_cancel(actor, key, revocation)
    is_unused = is_key_unused(key, datetime.now(UTC))
    return Row(key, queries.describe_key(key), queries.has_key_ended(key), is_unused, revocation, may_cancel)


@form_page
@signed_in
def manage_own_keys(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The list of keys. A POST revokes a key, cancels a revocation, or marks notices as read; `revoke` in the URL opens
    its panel.
    """
    news = notices.list_key_notifications(actor)
    address = reverse("own-keys")
    if request.POST.get("do") == "revoke":
        listed = queries.list_own_keys(actor)
        return key_revocation.answer_revocation(request, actor, listed, address, "account")
    if request.POST.get("do") == "keep":
        return key_revocation.cancel_revocation(request, actor, address)
    if request.POST.get("do") == "seen":
        notification_services.mark_notifications_read(actor=actor, ids=[notice.pk for notice in news])
        return redirect("own-keys")
    rows = list_own_key_rows(actor)
    if panel := key_revocation.show_revocation(request, [row.key for row in rows], address, "account"):
        return panel
    context = {"section": "account", "own_keys": rows, "notices": news}
    return render_page(request, "accounts/own_keys.html", context)
