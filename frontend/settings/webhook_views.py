"""The pages of a namespace's webhooks: the list, and one with its filters and its delivery log."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.debug import sensitive_variables

from frontend.settings.forms import WebhookForm
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid
from registry.core.problem_details import find_status
from registry.webhooks import queries, services
from registry.webhooks.models import Delivery, Webhook

__all__ = ["manage_webhook", "manage_webhooks"]


@sensitive_variables("created")
@form_page
@signed_in
def manage_webhooks(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """All webhooks; a POST creates one, and its response is the only page that shows the signing secret."""
    rows = queries.list_webhooks(actor, namespace)
    form, created, status = WebhookForm(request.POST or None), None, 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                created = services.create_webhook(actor=actor, namespace=namespace, **form.cleaned_data)
            except (Invalid, Conflict) as error:
                add_errors(form, error)
                status = find_status(error)
            else:
                if created.webhook.is_chat:
                    messages.success(
                        request, gettext("The channel receives events from now on. Send a test message to try it.")
                    )
                    return redirect("webhook", namespace, created.webhook.id)
                rows, form, status = queries.list_webhooks(actor, namespace), WebhookForm(), 201
    context = {**_build_frame(namespace), "rows": rows, "form": form, "created": created}
    return render_page(request, "settings/webhooks.html", context, status=status)


@sensitive_variables("rotated")
@form_page
@signed_in
def manage_webhook(request: HttpRequest, actor: Actor, namespace: str, webhook_id: str) -> HttpResponse:
    """One webhook with its log; a POST changes its filters, or performs the button's action."""
    row = queries.find_webhook(actor, webhook_id, namespace)
    form, rotated, status = WebhookForm(webhook=row), None, 200
    button = request.POST.get("do", "") if request.method == "POST" else ""
    if button == "rotate":
        rotated = services.rotate_secret(actor=actor, webhook_id=webhook_id)
    elif work := _BUTTONS.get(button):
        messages.success(request, work(actor, webhook_id, request.POST.get("message") or None))
        return redirect("webhooks", namespace) if button == "remove" else redirect("webhook", namespace, webhook_id)
    elif request.method == "POST":
        form, status = WebhookForm(request.POST, webhook=row), 422
        if form.is_valid():
            try:
                values = {**form.cleaned_data, "url": form.cleaned_data["url"] or None}
                services.change_webhook(actor=actor, webhook_id=webhook_id, **values)
            except Invalid as error:
                add_errors(form, error)
            else:
                messages.success(request, gettext("The events of the webhook are changed."))
                return redirect("webhook", namespace, webhook_id)
    state = request.GET.get("state") or None
    page = queries.list_deliveries(actor, webhook_id, state=state, cursor=request.GET.get("cursor"), limit=30)
    context = {
        **_build_frame(namespace),
        "webhook": row,
        "receiver": _NAMES.get(row.receiver, ""),
        "form": form,
        "created": rotated,
        "page": page,
        "state": state or "",
        "states": Delivery.STATES,
        "older": queries.find_old_secret_end(row, datetime.now(UTC)),
    }
    return render_page(request, "settings/webhook.html", context, status=status)


def _build_frame(namespace: str) -> dict[str, Any]:
    return {
        "section": "settings",
        "settings_page": "webhooks",
        "namespace": namespace,
        "may_manage": True,
    }


def _send_ping(actor: Actor, webhook_id: str, _message: str | None) -> str:
    services.ping_webhook(actor=actor, webhook_id=webhook_id)
    return gettext("A message was sent; the log below shows the result.")


def _pause(actor: Actor, webhook_id: str, _message: str | None) -> str:
    services.change_webhook(actor=actor, webhook_id=webhook_id, paused=True)
    return gettext("The webhook is paused; waiting messages were dropped.")


def _resume(actor: Actor, webhook_id: str, _message: str | None) -> str:
    services.change_webhook(actor=actor, webhook_id=webhook_id, paused=False)
    return gettext("The webhook is resumed with the next event.")


def _replay(actor: Actor, webhook_id: str, message: str | None) -> str:
    count = services.replay_deliveries(actor=actor, webhook_id=webhook_id, message=message)
    return ngettext("{count} message is being sent again.", "{count} messages are being sent again.", count).format(
        count=count
    )


def _remove(actor: Actor, webhook_id: str, _message: str | None) -> str:
    services.remove_webhook(actor=actor, webhook_id=webhook_id)
    return gettext("The webhook is removed.")


_NAMES = {Webhook.SLACK: "Slack", Webhook.TEAMS: "Microsoft Teams"}
_BUTTONS: dict[str, Callable[[Actor, str, str | None], str]] = {
    "ping": _send_ping,
    "pause": _pause,
    "resume": _resume,
    "replay": _replay,
    "remove": _remove,
}
