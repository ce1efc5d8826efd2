"""The page of a namespace's journal: searched, displayed as sentences, exported and verified."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from frontend.settings.event_titles import find_title
from frontend.web import event_sentences
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import render_page
from frontend.web.refusals import show_refusal
from registry.accounts.actor import Actor
from registry.audit import export
from registry.audit import queries as audit_queries
from registry.audit import services as audit_services
from registry.audit.queries import EventFilter
from registry.core.errors import Invalid
from registry.namespaces import permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces.verbs import Verb

__all__ = ["export_events", "show_audit"]

FORMS = tuple(export.CONTENT_TYPES)


class SoughtForm(forms.Form):
    """The search fields; days are whole days in the reader's time zone, inclusive."""

    kind = forms.ChoiceField(
        choices=[("", gettext_lazy("anything")), *((kind, find_title(kind)) for kind in audit_queries.KINDS)],
        required=False,
    )
    checks = forms.BooleanField(required=False)
    person = forms.CharField(max_length=150, required=False)
    key = forms.CharField(max_length=20, required=False)
    template = forms.CharField(max_length=520, required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def clean_key(self) -> str:
        return str(self.cleaned_data["key"]).removeprefix("pb_").partition("_")[0]


@form_page
@signed_in
def show_audit(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """Events, newest first, without those of the worker unless requested; a POST has the worker verify the chain."""
    space = namespace_queries.get_namespace(actor, namespace)
    if request.method == "POST":
        audit_services.check_chain(actor=actor, namespace=namespace)
        messages.success(
            request, gettext("The worker is checking every event. The result appears here when it is done.")
        )
        return redirect("audit", namespace)
    form = SoughtForm(request.GET or None)
    sought = replace(_read(form) or EventFilter(), by_people="checks" not in request.GET)
    page = audit_queries.read_page(actor, namespace, sought=sought, cursor=request.GET.get("cursor"))
    may_manage = permissions.is_allowed(actor, Verb.MANAGE, space)
    query = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    context = {
        "section": "settings",
        "settings_page": "audit",
        "namespace": namespace,
        "may_manage": may_manage,
        "form": form,
        "lines": [event_sentences.describe_event(event, may_manage=may_manage) for event in page.items],
        "next": urlencode({**query, "cursor": page.next}) if page.next else "",
        "query": urlencode(query),
        "is_filtered": bool(query.keys() - {"checks"}),
        "hides_checks": not query.keys() & {"checks", "kind"},
        "forms": FORMS,
        "chain": audit_queries.read_chain(),
    }
    return render_page(request, "settings/audit.html", context, status=422 if form.errors else 200)


@require_safe
@signed_in
def export_events(
    request: HttpRequest, actor: Actor, namespace: str, form: str
) -> HttpResponse | StreamingHttpResponse:
    """Export the filtered events as a file, oldest first, including results of checks."""
    if form not in FORMS:
        return show_refusal(
            request, Invalid(fields={"form": gettext("one of {names}.").format(names=", ".join(FORMS))})
        )
    sought = _read(SoughtForm(request.GET or None))
    if sought is None:
        return show_refusal(request, Invalid(fields={"filters": gettext("these can't be read.")}))
    answer = StreamingHttpResponse(
        export.write_lines(form, audit_queries.stream_events(actor, namespace, sought)),
        content_type=export.CONTENT_TYPES[form],
    )
    answer["Content-Disposition"] = f'attachment; filename="{namespace}-events.{form}"'
    answer["Cache-Control"] = "private, no-store"
    return answer


def _read(form: SoughtForm) -> EventFilter | None:
    """The parsed form; None if a field is invalid."""
    if not form.is_bound:
        return EventFilter()
    if not form.is_valid():
        return None
    data = form.cleaned_data
    return EventFilter(
        kind=data["kind"],
        person=data["person"],
        key=data["key"],
        template=data["template"],
        since=_read_day(data["since"]) if data["since"] else None,
        until=_read_day(data["until"]) + timedelta(days=1) if data["until"] else None,
    )


def _read_day(day: date) -> datetime:
    return datetime.combine(day, time(), timezone.get_current_timezone())
