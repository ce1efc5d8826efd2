"""The page that starts a run: a version of a template, rows, a model, metrics and a baseline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from frontend.evaluations.forms import RunForm
from frontend.evaluations.judge_templates import list_judges
from frontend.evaluations.row_comparison import LEADS, shorten_text
from frontend.web.decorators import form_page, signed_in
from frontend.web.findings import translate_finding
from frontend.web.page import build_breadcrumbs, render_page
from promptuary.evaluation.metrics import catalogue
from promptuary.renderer.document.parser import inspect_document
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.core.errors import NotFound, PromptuaryError
from registry.core.names import LATEST
from registry.core.problem_details import find_status
from registry.evaluations import dataset_queries, run_queries
from registry.evaluations import start_runs as services
from registry.evaluations.attachment_queries import list_fitting_datasets
from registry.evaluations.dataset_fit import explain_misfits
from registry.evaluations.dataset_models import Dataset
from registry.evaluations.metric_titles import TITLES
from registry.evaluations.models import Run
from registry.evaluations.run_estimates import RunEstimate, estimate_run, join_estimates
from registry.evaluations.start_together import MAX_COLUMNS, RunColumn, estimate_runs, start_runs_together
from registry.namespaces.queries import choose_live_label
from registry.namespaces.verbs import Verb
from registry.templates import label_queries, search_queries, version_queries
from registry.templates import queries as template_queries
from registry.templates.models import Template

__all__ = ["start_run"]

_USUAL = ("squad_f1", "squad_exact_match", "contains", "rougeL", "bleu", "chrf", "json_schema", "regex")
_DEFAULT = ("squad_f1", "squad_exact_match")
_MAX_BESIDE = MAX_COLUMNS - 1
_LIMIT = 200  # templates and datasets that a select lists


@dataclass(frozen=True)
class _Place:
    """The subject of a form: the template, the versions of its labels, and the live one."""

    template: Template
    label_numbers: dict[str, int]
    live: int | None


@form_page
@signed_in
def start_run(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The form; without a template it asks for one first."""
    name = request.POST.get("template") or request.GET.get("template") or ""
    if not name:
        page = search_queries.search_templates(actor, limit=_LIMIT)
        names = [template.name for template in page.items]
        return render_page(request, "evaluations/run_new.html", {"section": "evaluations", "names": names})
    template = template_queries.find_template(actor, Verb.EVALUATE, name)
    label_numbers = label_queries.read_label_numbers(template)
    place = _Place(template, label_numbers, label_numbers.get(choose_live_label(template.namespace)))
    form = _build_form(request, actor, place)
    estimate = None
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                if request.POST.get("do") != "estimate":
                    return _begin(request, actor, place, form.cleaned_data)
                estimate, status = _estimate(request, actor, place, form.cleaned_data), 200
            except NotFound as error:
                form.add_error(None, error.message)
                status = 404
            except PromptuaryError as error:
                _add_refusal(form, error)
                status = find_status(error)
    context = {
        "section": "evaluations",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "form": form,
        "estimate": estimate,
        "columns": _pad_columns(_read_columns(request)),
        "chosen": form["metrics"].value() or [],
        "usual": [(metric, str(TITLES[metric])) for metric in _USUAL],
        "rare": [(metric, TITLES.get(metric, metric)) for metric in _list_names() if metric not in _USUAL],
        "refs": [(label, number) for label, number in label_numbers.items()],
        "has_rows": bool(form.fields["dataset"].choices),  # type: ignore[attr-defined]  # it is a ChoiceField
        "new_dataset": f"{reverse('new-dataset')}?{urlencode({'in': template.namespace.name, 'for': name})}",
    }
    return render_page(request, "evaluations/run_new.html", context, status=status)


def _build_form(request: HttpRequest, actor: Actor, place: _Place) -> RunForm:
    template = place.template
    fitting = list_fitting_datasets(template.namespace, template.path)
    datasets = dataset_queries.list_datasets(actor, namespace=template.namespace.name, limit=_LIMIT).items
    misfits = _explain_misfits(actor, template, [row for row in datasets if row.pk not in fitting])
    rows = [
        (row.name, _describe_rows(row.name, row.latest.count if row.latest else 0, misfits.get(row.pk, "")))
        for row in sorted(datasets, key=lambda row: (row.pk in misfits, row.pk not in fitting))
    ]
    samples = template.current_samples()
    if samples and samples.samples:
        words = gettext("the template's {count} samples, which expect nothing")
        rows.append(("", words.format(count=len(samples.samples))))
    models = [
        (row.name, row.name if row.kind != "echo" else gettext("echo, which repeats the prompt's last message"))
        for row in connection_queries.list_endpoints(template.namespace.name)
    ]
    inputs = _list_inputs(actor, template)
    against = [("", gettext("nothing, only this version"))]
    if place.live:
        against.insert(0, (str(place.live), f"{choose_live_label(template.namespace)}, v{place.live}"))
    dataset = request.GET.get("dataset")
    first: dict[str, Any] = {
        "ref": request.GET.get("ref") or "latest",
        "dataset": dataset if dataset in dict(rows) else next((name for name, _ in rows), ""),
        "model": request.GET.get("model") if request.GET.get("model") in dict(models) else models[0][0],
        "metrics": list(_DEFAULT),
        "against": against[0][0],
        "judge": "",
        "judge_model": models[0][0],
        "documents": next((name for name, kind in inputs.items() if kind == "array"), ""),
        "question": next((name for name in inputs if name in LEADS), ""),
    }
    return RunForm(
        request.POST or None,
        initial=first,
        datasets=rows,
        models=models,
        metrics=[(name, name) for name in _list_names()],
        against=against,
        judges=list_judges(actor, template.pk),
        inputs=[(name, name) for name in inputs],
    )


def _describe_rows(name: str, count: int, misfit: str) -> str:
    """A dataset as an option for the rows. misfit: why it doesn't fit the template, empty if it does."""
    words = ngettext("{name}, {count} row", "{name}, {count} rows", count)
    described = words.format(name=name, count=number_format(count, force_grouping=True))
    if misfit:
        sentence = gettext("{rows}, which can't be used: {reason}")
        return sentence.format(rows=described, reason=translate_finding(misfit))
    return described


def _explain_misfits(actor: Actor, template: Template, datasets: Sequence[Dataset]) -> dict[int, str]:
    """`explain_misfits` for the latest version; empty if that fails or the text was redacted."""
    try:
        return explain_misfits(version_queries.resolve_version(actor, template.name, LATEST), datasets)
    except PromptuaryError:
        return {}


def _list_inputs(actor: Actor, template: Template) -> dict[str, str]:
    """The names of the latest version's declared inputs, with their types."""
    document, _ = inspect_document(version_queries.resolve_version(actor, template.name, LATEST).document)
    inputs = (document.inputs if document else None) or {}
    return {name: str(schema.get("type", "")) for name, schema in inputs.items()}


def _read_columns(request: HttpRequest) -> list[RunColumn]:
    """The versions and models to run in addition to the first."""
    refs, models = request.POST.getlist("also_ref"), request.POST.getlist("also_model")
    pairs = zip(refs[:_MAX_BESIDE], models[:_MAX_BESIDE], strict=False)
    return [RunColumn(ref.strip(), model) for ref, model in pairs if ref.strip()]


def _pad_columns(columns: list[RunColumn]) -> list[RunColumn]:
    """The chosen columns, padded with empty ones."""
    return columns + [RunColumn("", "")] * (_MAX_BESIDE - len(columns))


def _list_columns(request: HttpRequest, place: _Place, data: dict[str, Any]) -> list[RunColumn]:
    """All columns to run: the first, the baseline if it is another version, and the additional ones."""
    ref, latest = data["ref"].strip() or LATEST, place.template.latest
    numbers = {**place.label_numbers, LATEST: latest.number if latest else None}
    refs = [ref] if data["against"] in ("", str(numbers.get(ref, ref))) else [ref, data["against"]]
    return [*(RunColumn(ref, data["model"]) for ref in refs), *_read_columns(request)]


def _begin_together(
    request: HttpRequest, actor: Actor, columns: list[RunColumn], arguments: dict[str, Any]
) -> HttpResponse:
    first, *others = start_runs_together(actor=actor, columns=columns, **arguments)
    messages.success(request, gettext("{count} runs are on their way.").format(count=len(columns)))
    query = urlencode({"with": [run.number for run in others]}, doseq=True)
    return redirect(f"{reverse('run-matrix', args=[first.number])}?{query}")


def _read_judge(data: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `start_run` for the judge; empty without one."""
    if not data["judge"]:
        return {}
    paths_found = {"documents": data["documents"] or "documents", "question": data["question"] or "question"}
    paths = {name: f"inputs.{place}" for name, place in paths_found.items()}
    return {"judge": data["judge"], "judge_model": data["judge_model"], "judge_paths": paths}


def _begin(request: HttpRequest, actor: Actor, place: _Place, data: dict[str, Any]) -> HttpResponse:
    arguments: dict[str, Any] = {
        "template": place.template.name,
        "dataset": data["dataset"] or None,
        "model": data["model"],
        "metrics": data["metrics"] if data["dataset"] else [],  # samples have no expected output to score against
    }
    judge = _read_judge(data)
    if _read_columns(request):
        del arguments["model"]
        return _begin_together(request, actor, _list_columns(request, place, data), {**arguments, "judge": judge})
    arguments |= judge
    run = services.start_run(actor=actor, ref=data["ref"].strip() or "latest", **arguments)
    rows = shorten_text(data["dataset"], 80).text or gettext("the samples")
    sentence = gettext("Run {number} is on its way over {rows}.").format(number=run.number, rows=rows)
    if data["against"] and int(data["against"]) != run.version.number:
        compared_run = _find_equal_run(run, int(data["against"]))
        if compared_run is None:
            compared_run = services.start_run(actor=actor, ref=data["against"], **arguments)
            beside = gettext("Run {number} asks v{version} the same, to compare.")
            sentence = f"{sentence} {beside.format(number=compared_run.number, version=compared_run.version.number)}"
        messages.success(request, sentence)
        return redirect(f"{reverse('run', args=[run.number])}?against={compared_run.number}")
    messages.success(request, sentence)
    return redirect("run", run.number)


def _estimate(request: HttpRequest, actor: Actor, place: _Place, data: dict[str, Any]) -> RunEstimate:
    if _read_columns(request):
        columns, dataset = _list_columns(request, place, data), data["dataset"] or None
        name, judge = place.template.name, _read_judge(data)
        return join_estimates(estimate_runs(actor=actor, template=name, columns=columns, dataset=dataset, judge=judge))
    return estimate_run(
        actor=actor,
        template=place.template.name,
        ref=data["ref"].strip() or LATEST,
        dataset=data["dataset"] or None,
        model=data["model"],
        **_read_judge(data),
    )


def _find_equal_run(run: Run, number: int) -> Run | None:
    """A finished run of that version over the same rows with the same model, and with all the requested metrics."""
    for row in run_queries.list_comparable_runs(run):
        same = row.template_id == run.template_id and row.version.number == number
        if same and row.model_digest == run.model_digest and set(run.metrics) <= set(row.metrics):
            return row
    return None


def _add_refusal(form: RunForm, error: PromptuaryError) -> None:
    fields = getattr(error, "fields", None) or {}
    for field, sentence in fields.items():
        column = field.split(".")[1] if field.startswith("columns.") else ""
        text = (
            gettext("column {number}: {sentence}").format(number=int(column) + 1, sentence=sentence)
            if column
            else sentence
        )
        form.add_error(field if field in form.fields else None, text[:1].upper() + text[1:])
    if not fields:
        form.add_error(None, error.message)


def _list_names() -> list[str]:
    """The metrics that can score a run without a judge."""
    judged_metrics = {str(metric) for metric in catalogue.metrics_for("judgement")}
    kinds = ("answer", "json", "documents", "extractive_answer")
    names = dict.fromkeys(str(metric) for kind in kinds for metric in catalogue.metrics_for(kind))
    return [name for name in names if name not in judged_metrics]
