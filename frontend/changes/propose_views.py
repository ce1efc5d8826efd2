"""The panel that proposes a version for a protected label: the effects on the left, the form on the right."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from frontend.changes.emergency_notices import roll_back_url
from frontend.changes.goes_live import PLAN_FIELDS, read_date, read_goes_live, read_plan
from frontend.changes.label_evidence import build_evidence_context
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import LinesField, add_errors, list_version_choices, parse_form_number, set_choices
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.changes import label_preview, review_requests, schedules
from registry.changes.label_preview import LabelPreview
from registry.changes.models import ChangeRequest
from registry.changes.review_requests import ReviewCandidate
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.problem_details import find_status
from registry.namespaces import permissions
from registry.namespaces.queries import choose_live_label
from registry.namespaces.verbs import Verb
from registry.templates import label_queries, version_queries
from registry.templates import queries as template_queries
from registry.templates.label_moves import is_approved_digest
from registry.templates.models import Template

__all__ = ["list_review_candidates", "propose_change"]

PANEL = "changes/_propose_panel.html"
_MAX_TITLE_LENGTH = 200
_FIELDS_OF_TIME = {schedules.FIELD, *PLAN_FIELDS}


class ProposeForm(forms.Form):
    """A protected label, a version, a title, a reason, and reviewers in addition to the owners. `expected` is the
    version that the panel showed as served.

    refusal: the refusal of the date or the rollout, which the panel shows at its fields.
    """

    label = forms.ChoiceField()
    version = forms.TypedChoiceField(coerce=int)
    title = forms.CharField(max_length=_MAX_TITLE_LENGTH)
    why = LinesField(required=False, max_length=9_000)
    reviewers = forms.MultipleChoiceField(required=False)
    expected = forms.IntegerField(required=False, min_value=0)

    def __init__(
        self,
        *args: Any,
        labels: Sequence[str],
        newest: int,
        label_numbers: Mapping[str, int],
        reviewers: Sequence[str],
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.refusal: Invalid | None = None
        set_choices(self, "label", [(label, label) for label in labels])
        set_choices(self, "version", list_version_choices(newest, label_numbers))
        set_choices(self, "reviewers", [(person, person) for person in reviewers])

    @property
    def message(self) -> str:
        """The message of the change, from a valid form: its title, with the reason below."""
        title, why = self.cleaned_data["title"], self.cleaned_data["why"].strip()
        return f"{title}\n\n{why}" if why else title


@form_page
@signed_in
def propose_change(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Propose moving a protected label: to which version, and why."""
    template = template_queries.find_template(actor, Verb.PROPOSE, name)
    if not template.namespace.protected_labels:
        return render_page(request, "changes/propose_unprotected.html", {"section": "templates", "template": template})
    label_numbers = label_queries.read_label_numbers(template)
    newest = template.latest.number if template.latest else 1
    label, version = _read_choice(request, template, label_numbers, newest)
    preview = label_preview.find_preview(actor, name, label, version)
    candidates = list_review_candidates(actor, preview)
    owners = [candidate.person for candidate in candidates if candidate.reason == "owner"]
    others = [candidate for candidate in candidates if candidate.reason != "owner"]
    form = ProposeForm(
        request.POST or None,
        initial={"label": label, "version": version, **_build_first_words(preview)},
        labels=template.namespace.protected_labels,
        newest=newest,
        label_numbers=label_numbers,
        reviewers=[candidate.person for candidate in others],
    )
    keep = f"{actor.person.username}:propose:{name}:{label}:{version}"
    status = 200
    if request.method == "POST":
        change, status = _propose(request, actor, preview, form, owners)
        if change is not None:
            messages.success(request, gettext("Change {number} is open.").format(number=change.number), keep)
            return redirect("change", change.number)
    context = {
        "section": "templates",
        "template": template,
        "panel": f"frontend/{PANEL}",
        "panel_title": gettext("Propose v{version} for {label}").format(version=version, label=label),
        "leave_url": reverse("template", args=[name]),
        "form": form,
        "keep": keep,
        "may_schedule": permissions.is_allowed(actor, Verb.PUBLISH, template.namespace, template.path),
        "may_roll_out": preview.serves is not None and preview.serves.digest != preview.version.digest,
        "goes_live": read_goes_live(request.POST),
        "refusal": form.refusal,
        "back_url": _find_roll_back(actor, preview) if preview.refusal else "",
        "approvals": preview.approvals_needed,
        "included": version_queries.list_save_messages(template, preview.included),
        "owners_asked": owners,
        "candidates": others,
        "asked": form["reviewers"].value() or [],
        **build_evidence_context(request, actor, preview),
    }
    return render_page(request, "web/panel.html", context, regions={"panel": PANEL}, status=status)


def _propose(
    request: HttpRequest, actor: Actor, preview: LabelPreview, form: ProposeForm, owners: Sequence[str]
) -> tuple[ChangeRequest | None, int]:
    """Open the change. Returns it and the status; without a change the errors are in the form."""
    if not form.is_valid():
        return None, 422
    try:
        return _open_change(request, actor, preview.template.name, form, owners), 302
    except (Invalid, Conflict, NotAllowed) as error:
        if isinstance(error, Invalid) and _FIELDS_OF_TIME & set(error.fields):
            form.refusal = error
        elif not preview.refusal:
            add_errors(form, error)
        return None, find_status(error)


def _open_change(
    request: HttpRequest, actor: Actor, name: str, form: ProposeForm, owners: Sequence[str]
) -> ChangeRequest:
    """Open the change that the form requests: scheduled if a date was chosen, with its plan if a rollout was."""
    plan = read_plan(request.POST) if request.POST.get("how") == "gradually" else None
    return schedules.propose_at(
        actor=actor,
        at=read_date(request.POST),
        name=name,
        label=form.cleaned_data["label"],
        version=form.cleaned_data["version"],
        message=form.message,
        expected=form.cleaned_data["expected"],
        reviewers=[*owners, *form.cleaned_data["reviewers"]],
        planned_rollout=plan,
    )


def _read_choice(
    request: HttpRequest, template: Template, label_numbers: Mapping[str, int], newest: int
) -> tuple[str, int]:
    """The label and the version of the submitted form, else of the URL; unknown values are replaced by defaults."""
    fields = request.POST if request.method == "POST" else request.GET
    label, version = fields.get("label", ""), parse_form_number(fields.get("version"))
    numbers = {number for number, _ in list_version_choices(newest, label_numbers)}
    if label not in template.namespace.protected_labels:
        label = choose_live_label(template.namespace)
    return label, version if version in numbers else newest


def _find_roll_back(actor: Actor, preview: LabelPreview) -> str:
    """The URL of the panel that rolls the label back to the version; empty if the actor can't roll it back there."""
    template, label, version = preview.template, preview.label, preview.version
    may_roll_back = permissions.is_allowed(actor, Verb.ROLL_BACK, template.namespace, template.path)
    leads_there = may_roll_back and is_approved_digest(template, label, version.digest)
    if not leads_there or preview.serves is None:
        return ""
    return f"{roll_back_url(template.name, label, version.number)}&from={preview.serves.number}"


def list_review_candidates(actor: Actor, preview: LabelPreview) -> list[ReviewCandidate]:
    """The users whom the proposal can ask for a review."""
    gate = review_requests.find_draft_gate(actor, preview.template, preview.label, preview.version)
    candidates = review_requests.list_candidates(gate)
    return [candidate for candidate in candidates if candidate.person != actor.person.username]


def _build_first_words(preview: LabelPreview) -> dict[str, str]:
    """The initial title and reason, from the version's message; without one the title describes the move."""
    message = preview.version.message.strip()
    title, _, body = message.partition("\n")
    if len(title) > _MAX_TITLE_LENGTH:
        title, body = "", message
    default_title = gettext("Move {label} to v{version}").format(label=preview.label, version=preview.version.number)
    return {"title": title or default_title, "why": body.strip()}
