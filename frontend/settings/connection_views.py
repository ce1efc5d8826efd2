"""The pages of a namespace's models: the list with the spending caps, and one connection."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters

from frontend.settings.forms import CapForm, ConnectionForm
from frontend.web.decorators import form_page, signed_in
from frontend.web.findings import translate_finding
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.connections import queries, services, spending
from registry.connections.models import Connection
from registry.core.errors import Conflict, Invalid, TooMany
from registry.core.problem_details import find_status

__all__ = ["manage_connection", "manage_connections"]

_PRICES = ("prompt_price", "completion_price", "currency")
_SHOWN = ("name", "protocol", "base_url", "model", *_PRICES, "timeout", "concurrency", "per_second")


@sensitive_post_parameters("key")
@form_page
@signed_in
def manage_connections(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """All connections, the caps and the month's spending; a POST adds a connection or sets the caps."""
    rows = queries.list_connections(actor, namespace)
    is_cap = request.method == "POST" and request.POST.get("do") == "cap"
    form = ConnectionForm(request.POST if request.method == "POST" and not is_cap else None)
    ids = "id_cap_%s"  # the other form of the page has a currency as well
    values = None if is_cap else _list_cap_values(actor, namespace)
    cap_form = CapForm(request.POST if is_cap else None, initial=values, auto_id=ids)
    status = 200
    if request.method == "POST":
        status = 422
        chosen = cap_form if is_cap else form
        if chosen.is_valid():
            try:
                if is_cap:
                    services.set_caps(actor=actor, namespace=namespace, **cap_form.cleaned_data)
                    messages.success(request, gettext("The spending caps are set. They are checked before each call."))
                    return redirect("connections", namespace)
                row = services.create_connection(actor=actor, namespace=namespace, **form.cleaned_data)
            except (Invalid, Conflict) as error:
                add_errors(chosen, error)
                status = find_status(error)
            else:
                messages.success(
                    request, gettext("{name} is connected. Test it before others use it.").format(name=row.name)
                )
                return redirect("connection", namespace, row.id)
    context = {
        **_build_frame(namespace),
        "rows": rows,
        "form": form,
        "cap_form": cap_form,
        "month": spending.list_spending(actor, namespace),
    }
    return render_page(request, "settings/connections.html", context, status=status)


@sensitive_post_parameters("key")
@form_page
@signed_in
def manage_connection(request: HttpRequest, actor: Actor, namespace: str, connection_id: str) -> HttpResponse:
    """One connection; a POST changes it, or performs the button's action: try or remove."""
    row = queries.find_connection(actor, connection_id, namespace)
    button = request.POST.get("do", "") if request.method == "POST" else ""
    if button == "try":
        _try_connection(request, actor, row)
        return redirect("connection", namespace, connection_id)
    if button == "remove":
        services.remove_connection(actor=actor, connection_id=connection_id)
        messages.success(request, gettext("The connection {name} is removed.").format(name=row.name))
        return redirect("connections", namespace)
    form, status = ConnectionForm(initial={name: getattr(row, name) for name in _SHOWN}), 200
    if request.method == "POST":
        form, status = ConnectionForm(request.POST), 422
        if form.is_valid():
            values = dict(form.cleaned_data)
            if not values["key"]:
                del values["key"]  # the field is never filled in: empty keeps the key
            try:
                services.change_connection(actor=actor, connection_id=connection_id, **values)
            except (Invalid, Conflict) as error:
                add_errors(form, error)
                status = find_status(error)
            else:
                messages.success(request, gettext("The connection is changed."))
                return redirect("connection", namespace, connection_id)
    context = {**_build_frame(namespace), "connection": row, "form": form}
    return render_page(request, "settings/connection.html", context, status=status)


def _try_connection(request: HttpRequest, actor: Actor, row: Connection) -> None:
    try:
        result = services.try_connection(actor=actor, connection_id=row.id)
    except (Conflict, TooMany) as error:
        messages.error(request, translate_finding(error.message))
        return
    seconds = result.milliseconds / 1000
    messages.success(
        request,
        gettext("The model answered “{text}” after {seconds:.1f} s.").format(text=result.text.strip(), seconds=seconds),
    )


def _list_cap_values(actor: Actor, namespace: str) -> dict[str, Any]:
    cap = queries.find_spending_caps(actor, namespace)
    amounts = {"person_day": cap.person_day, "namespace_month": cap.namespace_month}
    values = {name: None if amount is None else spending.format_amount(amount) for name, amount in amounts.items()}
    return {**values, "currency": cap.currency}


def _build_frame(namespace: str) -> dict[str, Any]:
    return {
        "section": "settings",
        "settings_page": "connections",
        "namespace": namespace,
        "may_manage": True,
    }
