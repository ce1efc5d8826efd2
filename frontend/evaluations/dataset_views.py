"""The pages of datasets: the list, one with its rows and versions, the diff of two versions, and saving."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from frontend.evaluations import dataset_grid, row_copies
from frontend.evaluations.forms import FORMS, DatasetForm
from frontend.evaluations.row_comparison import name_row, readable_values, shorten_text
from frontend.web.decorators import form_page, signed_in
from frontend.web.field_labels import capitalise_sentence
from frontend.web.page import breadcrumbs, show
from promptuary.evaluation import Row
from promptuary.renderer.syntax.sequence_diff import diff_words
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotFound, PromptuaryError
from registry.core.problem_details import status_of
from registry.evaluations import dataset_archive, datasets, run_queries
from registry.evaluations import dataset_queries as queries
from registry.evaluations.attachment_queries import list_measured_templates
from registry.evaluations.dataset_models import Dataset
from registry.namespaces import path_permissions, permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces.verbs import Verb

__all__ = ["archive", "compare", "edit", "listing", "new", "restore", "show_dataset"]

_ROWS = 50
_TEXT_IN_FORM = 400_000  # characters of a dataset that a text field still holds well
_SHOWN_CHANGES = 100
_SHOWN_VERSIONS = 200
_FIELDS = {"name": "path"}  # the service's word, the form's word


@signed_in
def listing(request: HttpRequest, actor: Actor) -> HttpResponse:
    """All datasets that may be read, by name."""
    filters = {key: request.GET.get(key, "") for key in ("q", "namespace", "archived")}
    page = queries.list_datasets(
        actor,
        namespace=filters["namespace"] or None,
        q=filters["q"],
        archived=bool(filters["archived"]),
        cursor=request.GET.get("cursor"),
        limit=100,
    )
    query = {key: value for key, value in filters.items() if value}
    context = {
        "section": "evaluations",
        "rows": page.items,
        "filters": filters,
        "may_add": bool(_mine(actor)),
        "next_url": f"?{urlencode({**query, 'cursor': page.next})}" if page.next else "",
    }
    return show(request, "evaluations/datasets.html", context, regions={"datasets": "evaluations/_datasets.html"})


@signed_in
def show_dataset(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """One version of a dataset: its rows, its other versions, its runs."""
    dataset = queries.read_dataset(actor, name)
    number = _number(request.GET.get("version"))
    version = queries.read_dataset_version(actor, name, number)
    tag = request.GET.get("tag", "")
    page = queries.list_dataset_rows(version, tag=tag, cursor=request.GET.get("cursor"), limit=_ROWS)
    tags = queries.list_dataset_tags(version)
    rows = [_row(index, row) for index, row in page.items]
    columns = list(dict.fromkeys(name for _, row in page.items for name in row.inputs))[:4]
    runs = run_queries.list_runs(actor, dataset=name, limit=8).items
    context = {
        **_frame(actor, dataset),
        "version": version,
        "rows": rows,
        "columns": columns,
        "tag": tag,
        "tags": tags,
        "next_url": f"?{urlencode({'version': version.number, 'tag': tag, 'cursor': page.next})}" if page.next else "",
        "versions": queries.list_dataset_versions(actor, name, limit=30).items,
        "runs": runs,
        "new_run_url": _new_run_url(name, request.GET.get("for") or (runs[0].template.name if runs else "")),
    }
    return show(request, "evaluations/dataset.html", context)


@signed_in
def compare(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """What changed between two versions, row by row."""
    dataset = queries.read_dataset(actor, name)
    after = queries.read_dataset_version(actor, name, _number(request.GET.get("to")))
    before = queries.read_dataset_version(actor, name, _number(request.GET.get("from")) or max(1, after.number - 1))
    difference = queries.diff_dataset_versions(before, after)
    context = {
        **_frame(actor, dataset),
        "before": before,
        "after": after,
        "difference": difference,
        "sides": [
            (title, [_row(index, row) for index, row in placed[:_SHOWN_CHANGES]], style, len(placed))
            for title, placed, style in (
                ("Added", difference.added, "diff-added"),
                ("Removed", difference.removed, "diff-removed"),
            )
        ],
        "changed": [_changed(index, was, row) for index, was, row in difference.changed[:_SHOWN_CHANGES]],
        "numbers": _list_numbers(after.dataset),
    }
    return show(request, "evaluations/dataset_diff.html", context)


@signed_in
def archive(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Put the dataset away, or with `do=unarchive` bring it back."""
    if request.POST.get("do") == "unarchive":
        dataset_archive.unarchive_dataset(actor=actor, name=name)
        messages.success(request, gettext("The dataset is restored."))
    else:
        dataset_archive.archive_dataset(actor=actor, name=name, reason=request.POST.get("reason", ""))
        messages.success(request, gettext("The dataset is archived. It is no longer in the lists."))
    return redirect("dataset", name)


@signed_in
def restore(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Save the rows of an older version as the next one. `base`: the digest of the latest version that was shown."""
    version = queries.read_dataset_version(actor, name, _number(request.POST.get("version")))
    result = datasets.save_dataset(
        actor=actor,
        name=name,
        text=version.text,
        form="jsonl",
        message=f"Restore version {version.number}",
        base=request.POST.get("base", ""),
    )
    notice = (
        gettext("Version {number} has the rows of version {restored}.").format(
            number=result.version.number, restored=version.number
        )
        if result.created
        else gettext("Nothing changed: these are its rows already.")
    )
    messages.success(request, notice)
    return redirect("dataset", name)


@form_page
@signed_in
def new(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The first version of a dataset."""
    own_namespaces = _mine(actor)
    if not own_namespaces:
        raise NotFound(gettext("You are not an author in any namespace yet. Ask an admin."))
    space, _, folder = request.GET.get("in", "").partition("/")
    first = {
        "namespace": space if space in own_namespaces else own_namespaces[0],
        "path": folder,
        "template": request.GET.get("for", ""),
    }
    form = DatasetForm(request.POST or None, request.FILES or None, initial=first, namespaces=own_namespaces)
    faults: dict[str, str] = {}
    status = 200
    if request.method == "POST":
        data = form.cleaned_data if form.is_valid() else {}
        name = f"{data.get('namespace', '')}/{data.get('path', '').strip('/ ')}"
        faults, status, answer = _save(request, actor, name, form)
        if answer is not None:
            return answer
    context = {
        "section": "evaluations",
        "form": form,
        "faults": faults,
        "forms": FORMS,
        "declared": dataset_grid.declared_inputs_of_template(actor, form["template"].value() or ""),
        "copy_targets": row_copies.list_copy_targets(actor),
    }
    return show(request, "evaluations/dataset_edit.html", context, status=status)


@form_page
@signed_in
def edit(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The next version: the rows of the latest as text, or a file in their place."""
    version = queries.read_dataset_version(actor, name)
    small = len(version.text) <= _TEXT_IN_FORM
    first = {"text": version.text if small else "", "base": version.digest, "form": "jsonl"}
    form = DatasetForm(request.POST or None, request.FILES or None, initial=first)
    faults: dict[str, str] = {}
    status = 200
    if request.method == "POST":
        faults, status, answer = _save(request, actor, name, form)
        if answer is not None:
            return answer
    context = {
        **_frame(actor, version.dataset),
        "version": version,
        "numbers": _list_numbers(version.dataset),
        "form": form,
        "faults": faults,
        "forms": FORMS,
        "small": small,
        "declared": dataset_grid.declared_inputs_of_dataset(actor, version.dataset),
        "copy_targets": row_copies.list_copy_targets(actor, name),
        "new_run_url": _new_run_url(name, _find_run_template(actor, version.dataset)),
    }
    return show(request, "evaluations/dataset_edit.html", context, status=status)


def _save(
    request: HttpRequest, actor: Actor, name: str, form: DatasetForm
) -> tuple[dict[str, str], int, HttpResponse | None]:
    """Faults by row, the status, and where to go when it was saved."""
    from_grid = dataset_grid.is_from_grid(request)
    if not form.is_valid():
        return {}, 422, dataset_grid.answer_form_errors(form) if from_grid else None
    data = form.cleaned_data
    try:
        result = datasets.save_dataset(
            actor=actor,
            name=name,
            text=data["text"],
            form=data["form"],
            message=data["message"],
            base=data["base"] or None,
            template=data["template"].strip() or None,
        )
    except PromptuaryError as error:
        if from_grid:
            return {}, 422, dataset_grid.answer_refusal(error, name)
        return _tell(form, error)
    notice = (
        gettext("Version {number} is saved.").format(number=result.version.number)
        if result.created
        else gettext("Nothing changed: these are its rows already.")
    )
    messages.success(request, notice)
    for sentence in result.warnings:
        messages.warning(request, sentence)
    if from_grid:
        return {}, 200, dataset_grid.answer_save(result)
    return {}, 302, redirect("dataset", result.dataset.name)


def _tell(form: DatasetForm, error: PromptuaryError) -> tuple[dict[str, str], int, None]:
    """Put the refusal into the form; gives the faults of rows, which have no field, and the status."""
    if isinstance(error, NotFound):
        if not form.cleaned_data["template"]:
            raise error
        form.add_error("template", error.message)
        return {}, 422, None
    fields = error.fields if isinstance(error, Invalid) else {}
    fields = {_FIELDS.get(where, where): message for where, message in fields.items()}
    for field, sentence in fields.items():
        if field in form.fields:
            form.add_error(field, capitalise_sentence(sentence))
    if not fields:
        form.add_error(None, error.message)
    return {where: message for where, message in fields.items() if where not in form.fields}, status_of(error), None


def _frame(actor: Actor, dataset: Dataset) -> dict[str, Any]:
    path = dataset.name.partition("/")[2]
    return {
        "section": "evaluations",
        "dataset": dataset,
        "crumbs": breadcrumbs(dataset.name),
        "may_write": permissions.is_allowed(actor, Verb.SAVE, dataset.namespace, path) and dataset.archived_at is None,
        "may_archive": permissions.is_allowed(actor, Verb.MANAGE, dataset.namespace),
        "may_run": path_permissions.is_allowed_somewhere(actor, Verb.EVALUATE, dataset.namespace),
        "runs_url": f"{reverse('runs')}?{urlencode({'dataset': dataset.name})}",
    }


def _list_numbers(dataset: Dataset) -> list[int]:
    """The numbers of the versions that a page offers, the latest first."""
    latest = dataset.latest.number if dataset.latest else 1
    return list(range(latest, max(0, latest - _SHOWN_VERSIONS), -1))


def _find_run_template(actor: Actor, dataset: Dataset) -> str:
    """The template that a run over the dataset is likely of: that of its newest run, else one that it measures."""
    runs = run_queries.list_runs(actor, dataset=dataset.name, limit=1).items
    measured = [] if runs else list_measured_templates(dataset.namespace, dataset.name)
    return runs[0].template.name if runs else measured[0].name if measured else ""


def _new_run_url(dataset: str, template: str) -> str:
    """The form that starts a run over the dataset: of this template, or if it is empty of one that is chosen."""
    query = {"template": template, "dataset": dataset} if template else {"dataset": dataset}
    return f"{reverse('new-run')}?{urlencode(query)}"


def _mine(actor: Actor) -> list[str]:
    return namespace_queries.list_writable_namespaces(actor)


def _row(index: int, row: Row) -> dict[str, Any]:
    return {
        "index": index,
        "name": name_row(row.id, index),
        "tags": row.tags,
        "inputs": {name: shorten_text(value, 160) for name, value in readable_values(row.inputs)},
        "expected": [(name, shorten_text(value, 200)) for name, value in readable_values(row.expected)],
    }


def _changed(index: int, before: Row, after: Row) -> dict[str, Any]:
    """Each value that differs, both sides with the words that do."""
    fields = []
    for kind, was, now in (("", before.inputs, after.inputs), ("expected ", before.expected, after.expected)):
        old, new = dict(readable_values(was)), dict(readable_values(now))
        for name in dict.fromkeys([*old, *new]):
            if old.get(name) != new.get(name):
                left, right = diff_words(old.get(name, ""), new.get(name, ""))
                fields.append({"name": f"{kind}{name}", "before": left, "after": right})
    if before.tags != after.tags:
        left, right = diff_words(", ".join(before.tags), ", ".join(after.tags))
        fields.append({"name": "tags", "before": left, "after": right})
    return {"index": index, "name": name_row(after.id, index), "fields": fields}


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 10 else None
