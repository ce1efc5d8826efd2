"""The page of a namespace's freezes: the current and upcoming ones; admins can set and remove them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext

from frontend.settings.freeze_forms import OneFreezeForm, WeeklyFreezeForm
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors, parse_form_number
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid
from registry.core.problem_details import find_status
from registry.freezes import queries as freeze_queries
from registry.freezes import services as freeze_services
from registry.namespaces import granters, permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.releases.stopped_schedules import StoppedSchedule, list_freeze_effects

__all__ = ["manage_freezes"]

_NOT_KEPT = ("csrfmiddlewaretoken", "confirmed")


@form_page
@signed_in
def manage_freezes(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """Freezes that haven't ended; a refused form is shown again with the error."""
    space = namespace_queries.get_namespace(actor, namespace)
    button, status = request.POST.get("do", ""), 200
    stops: list[StoppedSchedule] = []
    zone = timezone.get_current_timezone_name()
    week = {"start_day": "fri", "start_time": "16:00", "end_day": "mon", "end_time": "08:00", "time_zone": zone}
    weekly = WeeklyFreezeForm(request.POST if button == "weekly" else None, initial=week, auto_id="weekly_%s")
    once = OneFreezeForm(request.POST if button == "once" else None, auto_id="once_%s")
    if button == "remove":
        number = parse_form_number(request.POST.get("freeze"))
        freeze_services.remove_freeze(actor=actor, namespace=namespace, number=number)
        messages.success(request, gettext("The freeze is removed."))
        return redirect("freezes", namespace)
    if request.method == "POST":
        form = once if button == "once" else weekly
        permissions.require_verb(actor, Verb.MANAGE, space)
        stops = _list_unconfirmed_stops(form, space, request.POST)
        status = _set_freeze(actor, namespace, form) if not stops else 409
        if status == 200:
            messages.success(request, gettext("The freeze is set."))
            return redirect("freezes", namespace)
    rows = freeze_queries.list_freezes(actor, namespace)
    context = {
        "section": "settings",
        "settings_page": "freezes",
        "namespace": namespace,
        "may_manage": permissions.is_allowed(actor, Verb.MANAGE, space),
        "granters": granters.describe_granters(space),
        "effects": list_freeze_effects(rows),
        "stops": stops,
        "kept": [pair for pair in request.POST.items() if pair[0] not in _NOT_KEPT] if stops else [],
        "standing": freeze_queries.find_standing(rows, timezone.now()),
        "weekly": weekly,
        "once": once,
        "zone": zone,
    }
    return render_page(request, "settings/freezes.html", context, status=status)


def _list_unconfirmed_stops(
    form: OneFreezeForm | WeeklyFreezeForm, space: Namespace, posted: QueryDict
) -> list[StoppedSchedule]:
    """What the freeze would stop, unless `confirmed` lists all of it; empty if the form will be refused anyway."""
    if not form.is_valid():
        return []
    try:
        planned = freeze_services.read_freeze(**form.read_fields())
    except Invalid:
        return []
    planned.namespace = space
    stops = list_freeze_effects([planned])[0].stops
    return stops if {stop.key for stop in stops} - set(posted.getlist("confirmed")) else []


def _set_freeze(actor: Actor, namespace: str, form: OneFreezeForm | WeeklyFreezeForm) -> int:
    """Set the freeze and return 200, or the status of the errors now in the form."""
    if not form.is_valid():
        return 422
    try:
        freeze_services.set_freeze(actor=actor, namespace=namespace, **form.read_fields())
    except (Invalid, Conflict) as error:
        add_errors(form, error)
        return find_status(error)
    return 200
