"""The panel that opens a release: from label to label, for a namespace or folder, with the templates to choose from."""

from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from frontend.releases.planned_members import MemberRow, read_member_rows
from frontend.releases.proposal_forms import ProposalForm
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import set_choices
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.core.names import LATEST
from registry.namespaces import path_permissions
from registry.namespaces.models import Namespace
from registry.namespaces.queries import choose_live_label
from registry.namespaces.verbs import Verb
from registry.releases import plans
from registry.releases.plans import ReleasePlan, ReleaseSelection
from registry.templates.label_models import Label

__all__ = ["propose_release"]

PANEL = "releases/_propose_panel.html"


class ReleaseForm(ProposalForm):
    """The labels to promote from and to, and the fields of a proposal."""

    from_label = forms.ChoiceField()
    label = forms.ChoiceField()

    def __init__(self, *args: Any, sources: list[str], targets: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        set_choices(self, "from_label", [(label, label) for label in sources])
        set_choices(self, "label", [(label, label) for label in targets])


@form_page
@signed_in
def propose_release(request: HttpRequest, actor: Actor, folder: str) -> HttpResponse:
    """GET shows the proposal for the labels in the URL; POST proposes the ticked templates."""
    name, _, path = folder.partition("/")
    space = path_permissions.find_namespace_for_draft(actor, Verb.PROPOSE, name, f"{path}/" if path else "")
    if not space.protected_labels:
        return render_page(request, "releases/new_unprotected.html", {"section": "templates", "folder": folder})
    form = _build_form(request, space)
    # Stored input is keyed by the URL, because it belongs to these labels and initially ticked templates.
    keep = request.POST.get("form") or f"{actor.person.username}:promote:{request.get_full_path()}"
    status, chosen = 200, request.POST.getlist("template")
    labels = {name: form[name].value() for name in ("from_label", "label")}
    plan, fault = _plan(actor, space, folder, labels)
    rows = read_member_rows(plan, labels["label"] or "") if plan else []
    form.offer_reviewers(actor, rows)
    if request.method == "POST":
        number, status = _propose(request, actor, space, form, chosen)
        if number is not None:
            done = gettext("Release {number} is open.").format(number=number)
            messages.success(request, done, extra_tags=keep)
            return redirect("release", number)
    elif plan is not None:
        chosen = _list_first_choice(request, plan)
        ticked = [row for row in rows if row.member.template.name in chosen]
        form.suggest_title(ticked, labels["from_label"] or LATEST, labels["label"] or "")
    context = {
        "section": "templates",
        "panel": f"frontend/{PANEL}",
        "panel_title": ngettext(
            "Promote {count} template to {label}", "Promote {count} templates to {label}", len(chosen)
        ).format(count=len(chosen), label=labels["label"]),
        "leave_url": reverse("environments"),
        "folder": folder,
        **form.context(request),
        "plan": plan,
        "fault": fault,
        "labels": labels,
        "keep": keep,
        "chosen": chosen,
        **_build_rows_context(space, rows),
    }
    return render_page(request, "web/panel.html", context, regions={"panel": PANEL}, status=status)


def _build_form(request: HttpRequest, space: Namespace) -> ReleaseForm:
    """The submitted form, or one with the labels of the URL; unknown ones are replaced by defaults."""
    sources, targets = _list_sources(space), list(space.protected_labels)
    first = {
        "from_label": request.GET.get("from") if request.GET.get("from") in sources else sources[0],
        "label": request.GET.get("to") if request.GET.get("to") in targets else choose_live_label(space),
    }
    posted = request.POST if request.method == "POST" else None
    return ReleaseForm(posted, initial=first, sources=sources, targets=targets)


def _propose(
    request: HttpRequest, actor: Actor, space: Namespace, form: ReleaseForm, chosen: list[str]
) -> tuple[int | None, int]:
    """Open the release. Returns its number and the status; without a number the errors are in the form."""
    if not chosen:
        form.add_error(None, gettext("Choose at least one template."))
    if not form.is_valid():
        return None, 422
    selection = ReleaseSelection(from_label=form.cleaned_data["from_label"], templates=chosen)
    place = {"label": form.cleaned_data["label"], "selections": {space.name: selection}}
    numbers, status = form.propose(request, actor, chosen, **place)
    return next(iter(numbers), None), status


def _build_rows_context(space: Namespace, rows: list[MemberRow]) -> dict[str, Any]:
    """The rows, and what applies to them together: the approvals they need, and who fetches them."""
    return {
        "rows": rows,
        "approvals": max([space.approvals, *(row.preview.approvals_needed for row in rows)]),
        "groups": sorted({title for row in rows for title in row.preview.groups}),
        "services": len({name for row in rows for name in row.service_names}),
        "fetches": sum(row.preview.fetches_moving for row in rows),
    }


def _list_first_choice(request: HttpRequest, plan: ReleasePlan) -> list[str]:
    """The templates named in the URL that can be promoted; without any, all that can."""
    names = _list_names(plan)
    chosen_names = [name for name in request.GET.getlist("template") if name in names]
    return chosen_names or names


def _list_names(plan: ReleasePlan) -> list[str]:
    return [member.template.name for member in plan.members]


def _list_sources(space: Namespace) -> list[str]:
    """Labels to promote from: unprotected ones first, then `latest`, then protected ones."""
    names = set(Label.objects.filter(template__namespace=space).values_list("name", flat=True))
    free = sorted(names - set(space.protected_labels))
    return [*free, LATEST, *sorted(names & set(space.protected_labels))]


def _plan(actor: Actor, space: Namespace, folder: str, labels: dict[str, str]) -> tuple[ReleasePlan | None, str]:
    """The proposal, or why there can't be one. Templates without the source label are omitted."""
    selection = ReleaseSelection(from_label=labels["from_label"] or LATEST, folder=folder)
    try:
        plan = plans.plan_release(actor, space.name, labels["label"] or "", selection)
    except Invalid as error:
        return None, error.message
    return replace(plan, left_out=tuple(omission for omission in plan.left_out if omission.code != "unset")), ""
