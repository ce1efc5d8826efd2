"""The page that moves an unprotected label, rolls back a protected one, and lists earlier moves."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from frontend.browse.label_status import label_statuses
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import LinesField, add_errors, set_choices, version_choices
from frontend.web.page import breadcrumbs, show
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.problem_details import status_of
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.templates import label_queries as labels_query
from registry.templates import labels
from registry.templates import queries as template_queries
from registry.templates.label_models import LabelMove
from registry.templates.labels import approved_digests
from registry.templates.models import Template
from registry.usage import queries as usage_queries

__all__ = ["move"]


class LabelForm(forms.Form):
    """Where an unprotected label goes, or a protected one goes back to. `expected` is what the page showed."""

    label = forms.CharField(max_length=36)
    version = forms.TypedChoiceField(coerce=int)
    expected = forms.IntegerField(required=False, widget=forms.HiddenInput)
    reason = LinesField(required=False, max_length=10_000)

    def __init__(self, *args: Any, newest: int, standing: Mapping[str, int], **options: Any) -> None:
        super().__init__(*args, **options)
        set_choices(self, "version", version_choices(newest, standing))


@form_page
@signed_in
def move(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The form for one label; `do` says whether a POST moves, rolls back or takes the label off."""
    template = template_queries.get_template(actor, name)
    standing = labels_query.label_numbers(template)
    newest = template.latest.number if template.latest else 1
    label = request.POST.get("label") or request.GET.get("label", "")
    first = {"label": label, "version": request.GET.get("version") or newest, "expected": standing.get(label)}
    form = LabelForm(request.POST or None, initial=first, newest=newest, standing=standing)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                sentence = _act(actor, name, request.POST.get("do", "move"), form.cleaned_data)
            except (Invalid, Conflict, NotAllowed) as error:
                add_errors(form, error)
                status = status_of(error)
            else:
                messages.success(request, sentence)
                return redirect("template", name)
    moves = labels_query.list_label_moves(actor, name, label or None, limit=100).items
    context = {
        "section": "templates",
        "template": template,
        "crumbs": breadcrumbs(name),
        "form": form,
        "label": label,
        "protected_labels": template.namespace.protected_labels,
        "protected": label in template.namespace.protected_labels,
        "holds": standing.get(label),
        "asked_for": usage_queries.describe_yesterday(template, label) if label else "",
        "standing": standing,
        "marks": label_statuses(actor, template, standing, moves),
        "moves": moves,
        "held_before": _held_before(template, label, standing, moves),
        "may_move": permissions.is_allowed(actor, Verb.MOVE, template.namespace),
        "may_roll_back": permissions.is_allowed(actor, Verb.ROLL_BACK, template.namespace),
    }
    return show(request, "browse/labels.html", context, status=status)


def _act(actor: Actor, name: str, do: str, asked: dict[str, Any]) -> str:
    label, version = asked["label"], asked["version"]
    if do == "roll_back":
        labels.roll_back_label(actor=actor, name=name, label=label, version=version, reason=asked["reason"])
        return f"Rolled {label} back to v{version}."
    if do == "remove":
        labels.remove_label(actor=actor, name=name, label=label, expected=asked["expected"] or 0)
        return f"Took {label} off v{asked['expected']}."
    labels.move_label(actor=actor, name=name, label=label, version=version, expected=asked["expected"])
    return f"Moved {label} to v{version}."


def _held_before(template: Template, label: str, standing: dict[str, int], moves: list[LabelMove]) -> list[int]:
    """Where the label may go back to, what it held last first: a protected one only to what it held by approval."""
    versions = [move.after for move in moves if move.label == label and move.after]
    if label in template.namespace.protected_labels:
        approved = approved_digests([template.pk])[template.pk, label]
        versions = [version for version in versions if version.digest in approved]
    return [number for number in dict.fromkeys(version.number for version in versions) if number != standing.get(label)]
