"""The page that opens a change request."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import LinesField, add_errors, set_choices, version_choices
from frontend.web.page import breadcrumbs, show
from registry.accounts.actor import Actor
from registry.changes import services as change_services
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.problem_details import status_of
from registry.namespaces.permissions import Verb
from registry.namespaces.queries import live_label
from registry.templates import label_queries, version_queries
from registry.templates import queries as template_queries

__all__ = ["propose"]


class ProposeForm(forms.Form):
    """A protected label, a version, and why."""

    label = forms.ChoiceField()
    version = forms.TypedChoiceField(coerce=int)
    message = LinesField(required=False, max_length=10_000)

    def __init__(
        self, *args: Any, labels: Sequence[str], newest: int, standing: Mapping[str, int], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        set_choices(self, "label", [(label, label) for label in labels])
        set_choices(self, "version", version_choices(newest, standing))


@form_page
@signed_in
def propose(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Ask that a protected label move: which, to what, and why."""
    template = template_queries.find_template(actor, Verb.PROPOSE, name)
    protected = template.namespace.protected_labels
    standing = label_queries.label_numbers(template)
    newest = template.latest.number if template.latest else 1
    label = request.GET.get("label", "")
    first = {
        "label": label if label in protected else live_label(template.namespace),
        "version": request.GET.get("version") or newest,
    }
    form = ProposeForm(request.POST or None, initial=first, labels=protected, newest=newest, standing=standing)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                change = change_services.propose_change(actor=actor, name=name, **form.cleaned_data)
            except (Invalid, Conflict, NotAllowed) as error:
                add_errors(form, error)
                status = status_of(error)
            else:
                return redirect("change", change.number)
    recent = version_queries.list_versions(actor, name, limit=20).items
    context = {
        "section": "templates",
        "template": template,
        "crumbs": breadcrumbs(name),
        "form": form,
        "standing": standing,
        "recent": recent,
        "free": not protected,
        "approvals": template.namespace.approvals,
    }
    return show(request, "changes/propose.html", context, status=status)
