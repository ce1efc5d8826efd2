"""The page of a namespace's evaluations: what change requests have to reach; admins can edit and try them."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext

from frontend.evaluations.judge_templates import list_judges
from frontend.settings import evaluation_forms
from frontend.settings.evaluation_forms import EvaluationForm, GateRow
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.core.errors import Invalid, NotFound
from registry.core.problem_details import find_status
from registry.evaluations import attachment_queries, attachments, dataset_queries, gate_trials
from registry.evaluations.gate_trials import GateTrial
from registry.evaluations.metric_titles import TITLES
from registry.evaluations.models import Attachment
from registry.namespaces import granters, permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb

__all__ = ["manage_evaluations"]

_MAX_DATASETS = 200
_MAX_FAULTS = 3  # rows named if more don't fit


@form_page
@signed_in
def manage_evaluations(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """The evaluations by name. An admin can try one on the last runs, save it or remove it.

    The query fills the form: `name` with a saved evaluation, else `pattern`, `dataset` and `model`; `metric` starts a
    threshold.
    """
    space = namespace_queries.get_namespace(actor, namespace)
    button, status = request.POST.get("do", ""), 200
    if request.method == "POST":
        permissions.require_verb(actor, Verb.MANAGE, space)
    if button == "remove":
        attachments.detach_evaluation(actor=actor, namespace=namespace, name=request.POST.get("name", ""))
        messages.success(request, gettext("The evaluation is removed."))
        return redirect("evaluations", namespace)
    listed = attachment_queries.list_attachments(actor, namespace)
    chosen = next((row for row in listed if row.name == request.GET.get("name")), None)
    rows = evaluation_forms.list_gate_rows(chosen, request.GET.get("metric", ""))
    form = _build_form(request, actor, namespace, chosen)
    trials: list[GateTrial] | None = None
    if request.method == "POST":
        rows = evaluation_forms.read_gate_rows(request.POST)
        if form.is_valid() and any(row.problem for row in rows):
            form.add_error(None, gettext("A threshold can't be read: it is marked below."))
        try:
            if form.is_valid() and button == "try":
                trials = _try_gates(actor, namespace, form, rows)
            elif form.is_valid():
                _attach(actor, namespace, form, rows, listed)
                messages.success(
                    request, gettext("Saved. Open changes of these templates are measured by it from now on.")
                )
                return redirect("evaluations", namespace)
        except (Invalid, NotFound) as error:
            _place_errors(form, error)
            status = find_status(error)
        status = 422 if form.errors and status == 200 else status
    context = {
        **_build_context(actor, space, listed),
        "form": form,
        "gate_rows": rows,
        "marks_rows": request.method == "POST",
        "metrics": [(name, TITLES.get(name, "")) for name in evaluation_forms.list_gate_metrics(rows)],
        "trials": trials,
    }
    return render_page(request, "settings/evaluations.html", context, status=status)


def _build_context(actor: Actor, space: Namespace, listed: Sequence[Attachment]) -> dict[str, Any]:
    """The evaluations of the namespace, and who may change them."""
    return {
        "section": "settings",
        "settings_page": "evaluations",
        "namespace": space.name,
        "may_manage": permissions.is_allowed(actor, Verb.MANAGE, space),
        "granters": granters.describe_granters(space),
        "required": "evaluation" in space.required_checks,
        "attachments": listed,
    }


def _build_form(request: HttpRequest, actor: Actor, namespace: str, chosen: Attachment | None) -> EvaluationForm:
    datasets = dataset_queries.list_datasets(actor, namespace=namespace, limit=_MAX_DATASETS).items
    names = [dataset.name for dataset in datasets]
    models = [endpoint.name for endpoint in connection_queries.list_endpoints(namespace)]
    judges = list_judges(actor)
    parameters = {field: request.GET.get(field, "") for field in ("pattern", "dataset", "model")}
    initial: dict[str, Any] = {"pattern": "*"} | {field: value for field, value in parameters.items() if value}
    if chosen is not None:
        fields = ("name", "pattern", "dataset_version", "model", "scores_needed", "nightly")
        initial = {field: getattr(chosen, field) for field in fields} | {"dataset": chosen.dataset.name}
        initial |= {"judge": chosen.judge_address or "", "judge_model": chosen.judge_model or chosen.model}
        initial |= {f"judge_{name}": path for name, path in chosen.judge_paths.items()}
        names = list(dict.fromkeys([*names, chosen.dataset.name]))
        models = list(dict.fromkeys([*models, chosen.model]))
        if chosen.judge is not None:
            judges = [
                *judges,
                (
                    str(chosen.judge_address),
                    gettext("{template} v{number}, as now").format(
                        template=chosen.judge.template.name, number=chosen.judge.number
                    ),
                ),
            ]
    posted = request.POST if request.method == "POST" else None
    return EvaluationForm(posted, initial=initial, datasets=names, models=models, judges=judges)


def _try_gates(actor: Actor, namespace: str, form: EvaluationForm, rows: Sequence[GateRow]) -> list[GateTrial]:
    fields = ("pattern", "dataset", "dataset_version", "model")
    return gate_trials.try_gates(
        actor=actor,
        namespace=namespace,
        gates=_list_texts(rows),
        **{field: form.cleaned_data[field] for field in fields},
    )


def _attach(
    actor: Actor, namespace: str, form: EvaluationForm, rows: Sequence[GateRow], listed: Sequence[Attachment]
) -> None:
    """Attach it; an existing one keeps the metrics that are shown in addition to its thresholds."""
    previous = next((row for row in listed if row.name == form.cleaned_data["name"]), None)
    attachments.attach_evaluation(
        actor=actor,
        namespace=namespace,
        gates=_list_texts(rows),
        metrics=previous.metrics if previous else (),
        **form.evaluation,
    )


def _place_errors(form: EvaluationForm, error: Invalid | NotFound) -> None:
    """Put a refusal at its field: errors of rows at the dataset, errors of thresholds above the form."""
    sentences = error.fields if isinstance(error, Invalid) else {}
    faults = [f"{place}: {text}" for place, text in sentences.items() if place not in {*form.fields, "gates"}]
    if not faults:
        add_errors(form, error)
    for fault in faults[:_MAX_FAULTS]:
        form.add_error("dataset", fault)
    if len(faults) > _MAX_FAULTS:
        count = len(faults) - _MAX_FAULTS
        text = ngettext("{count} more row does not fit.", "{count} more rows do not fit.", count)
        form.add_error("dataset", text.format(count=count))


def _list_texts(rows: Sequence[GateRow]) -> list[str]:
    return [row.text for row in rows if not row.is_empty]
