"""The page that asks a model for a better text: which model, how many failing rows, and the expected cost."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.evaluations.row_comparison import name_row
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import LinesField, add_errors, set_choices
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.connections.endpoint import Endpoint
from registry.core.errors import PromptuaryError
from registry.core.problem_details import find_status
from registry.evaluations import run_queries
from registry.evaluations.models import Run
from registry.improvements import queries, services
from registry.improvements.failing_rows import MAX_SHOWN
from registry.improvements.queries import MAX_GUIDANCE_LENGTH, ImprovementPlan
from registry.namespaces import granters

__all__ = ["ask_for_improvement"]

_USUAL_ROWS = 5


class ImprovementForm(forms.Form):
    """The model, the template that asks it, the number of rows, and the author's guidance."""

    model = forms.ChoiceField()
    prompt = forms.ChoiceField()
    rows = forms.IntegerField(min_value=1, max_value=MAX_SHOWN)
    guidance = LinesField(required=False, max_length=MAX_GUIDANCE_LENGTH)

    def __init__(self, *args: Any, models: list[Endpoint], prompts: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        set_choices(self, "model", [(endpoint.name, _describe_model(endpoint)) for endpoint in models])
        set_choices(self, "prompt", [(address, address) for address, _ in prompts])


@form_page
@signed_in
def ask_for_improvement(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """The form with the expected cost; a POST starts the improvement, or updates the estimate."""
    run = queries.find_improvable_run(actor, number)
    namespace = run.template.namespace
    endpoints = [row for row in connection_queries.list_endpoints(namespace.name) if row.kind == "http"]
    prompts = queries.list_asking_templates(actor, namespace.name)
    first = {
        "model": endpoints[0].name if endpoints else "",
        "prompt": prompts[0][0] if prompts else "",
        "rows": _USUAL_ROWS,
        "guidance": "",
    }
    form = ImprovementForm(request.POST or None, initial=first, models=endpoints, prompts=prompts)
    plan, refused, status = None, "", 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                if request.POST.get("do") != "estimate":
                    return _start(request, actor, number, form.cleaned_data)
                plan, status = queries.plan_improvement(actor=actor, run=number, **form.cleaned_data), 200
            except PromptuaryError as error:
                add_errors(form, error)
                status = find_status(error)
    elif endpoints and prompts:
        plan, refused = _plan_first(actor, number, first)
    context = {
        "section": "evaluations",
        "run": run,
        "template": run.template,
        "crumbs": build_breadcrumbs(run.template.name),
        "form": form,
        "has_models": bool(endpoints),
        "has_prompts": bool(prompts),
        "granters": "" if endpoints else granters.describe_granters(namespace),
        "refused": refused,
        "plan": plan,
        "shown": _list_shown(run, plan) if plan else [],
        "most_rows": MAX_SHOWN,
        "longest_guidance": MAX_GUIDANCE_LENGTH,
        "own": queries.list_own_improvements(actor, number).items,
    }
    return render_page(request, "evaluations/improve.html", context, status=status)


def _start(request: HttpRequest, actor: Actor, number: int, fields: dict[str, Any]) -> HttpResponse:
    improvement = services.start_improvement(actor=actor, run=number, **fields)
    messages.success(request, gettext("The model is asked; the proposal is measured after that."))
    return redirect("improvement", improvement.number)


def _plan_first(actor: Actor, number: int, fields: dict[str, Any]) -> tuple[ImprovementPlan | None, str]:
    """The plan for the form's initial values, or why there isn't one."""
    try:
        return queries.plan_improvement(actor=actor, run=number, **fields), ""
    except PromptuaryError as error:
        return None, error.message


def _list_shown(run: Run, plan: ImprovementPlan) -> list[tuple[int, str]]:
    """Index and name of each row that is included."""
    rows = run_queries.list_rows_of_run(run)
    return [(index, name_row(rows[index].id, index)) for index in plan.shown_rows]


def _describe_model(endpoint: Endpoint) -> str:
    if endpoint.price is None:
        return gettext("{name}, no price").format(name=endpoint.name)
    price = endpoint.price
    return gettext("{name}, {prompt} and {completion} {currency} for a million tokens in and out").format(
        name=endpoint.name, prompt=f"{price.prompt:g}", completion=f"{price.completion:g}", currency=price.currency
    )
