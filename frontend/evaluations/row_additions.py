"""The page that adds a row of a run to another dataset, with a run's reply as the expected output."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.evaluations import row_comparison
from frontend.evaluations.run_titles import write_version_title
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import parse_form_number
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotAllowed, PromptuaryError, Stale
from registry.core.problem_details import find_status
from registry.evaluations import dataset_additions, dataset_queries, run_queries
from registry.evaluations.models import Run
from registry.evaluations.run_queries import RunRowDetail
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["add_run_row"]

_MAX_DATASETS = 200


@form_page
@signed_in
def add_run_row(request: HttpRequest, actor: Actor, number: int, index: int) -> HttpResponse:
    """GET shows a form for the dataset and the expected output; POST adds the row. `with` names other
    runs of the row.
    """
    run = run_queries.read_run(actor, number)
    others = [parse_form_number(value) for value in request.GET.getlist("with")]
    runs = [run, *(run_queries.read_run(actor, other) for other in others if other)]
    detail = run_queries.read_run_row(run, index)
    choices = _list_expectations(runs, detail)
    refusal: PromptuaryError | None = None
    if request.method == "POST":
        run_queries.find_run(actor, Verb.SAVE, number)
        try:
            return _add(request, actor, run, detail, {choice["value"]: choice["expected"] for choice in choices})
        except (Invalid, Conflict, NotAllowed, Stale) as error:
            refusal = error
    names = _list_datasets(actor, run)
    context = {
        "section": "evaluations",
        "run": run,
        "index": index,
        "name": row_comparison.name_row(detail.id, index),
        "inputs": row_comparison.list_readable_values(detail.inputs),
        "choices": choices,
        "chosen": request.POST.get("expected") or choices[0]["value"],
        "datasets": names,
        "dataset": request.POST.get("dataset", ""),
        "row_name": request.POST.get("name", detail.id or ""),
        "may_save": permissions.is_allowed(actor, Verb.SAVE, run.template.namespace),
        "query": request.META.get("QUERY_STRING", ""),
        "refusal": refusal,
    }
    status = find_status(refusal) if refusal else 200
    return render_page(request, "evaluations/row_addition.html", context, status=status)


def _add(
    request: HttpRequest, actor: Actor, run: Run, detail: RunRowDetail, expectations: dict[str, Any]
) -> HttpResponse:
    chosen, dataset = request.POST.get("expected", ""), request.POST.get("dataset", "")
    if chosen not in expectations:
        raise Invalid(fields={"expected": gettext("choose what is expected.")})
    if not dataset:
        raise Invalid(fields={"dataset": gettext("choose a dataset.")})
    row: dict[str, Any] = {"inputs": detail.inputs}
    if name := request.POST.get("name", "").strip():
        row["id"] = name
    if expectations[chosen] is not None:
        row["expected"] = expectations[chosen]
    saved = dataset_additions.add_dataset_rows(
        actor=actor,
        name=dataset,
        rows=[row],
        message=f"Add a row of run {run.number}",  # no text: stored
        template=run.template.name,
    )
    if saved.created:
        notice = gettext("Added to {dataset}, version {number}.")
    else:
        notice = gettext("{dataset} has this row already.")
    messages.success(request, notice.format(dataset=saved.dataset.path, number=saved.version.number))
    return redirect("dataset", saved.dataset.name)


def _list_expectations(runs: Sequence[Run], detail: RunRowDetail) -> list[dict[str, Any]]:
    """The options for the new row's expected output: that of this row, the reply of each run, or none."""
    choices: list[dict[str, Any]] = []
    if detail.expected:
        text = row_comparison.answer_text(detail.expected)
        words = gettext("As this row expects")
        choices.append({"value": "row", "words": words, "text": text, "expected": detail.expected})
    for run in runs:
        row = run_queries.read_run_row(run, detail.index).row
        if row is None or row.is_failed or not row.actual:
            continue
        words = gettext("The reply of {version}, {model}").format(version=write_version_title(run), model=run.model)
        text = row_comparison.answer_text(row.actual)
        expected = {"answer": text}
        choices.append({"value": f"run-{run.number}", "words": words, "text": text, "expected": expected})
    choices.append({"value": "none", "words": gettext("Nothing yet"), "text": "", "expected": None})
    return choices


def _list_datasets(actor: Actor, run: Run) -> list[str]:
    """The datasets of the namespace that accept rows, except the one of the run."""
    page = dataset_queries.list_datasets(actor, namespace=run.template.namespace.name, limit=_MAX_DATASETS)
    own = run.dataset_version.dataset.name if run.dataset_version else ""
    return [dataset.name for dataset in page.items if dataset.name != own]
