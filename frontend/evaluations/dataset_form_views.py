"""The pages that save a dataset: its first version and later ones, from a grid, a text or a file."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.evaluations import dataset_grid, row_copies
from frontend.evaluations.dataset_frame import (
    build_dataset_frame,
    find_run_template,
    list_version_numbers,
    write_new_run_address,
)
from frontend.evaluations.forms import FORMS, DatasetForm
from frontend.web.decorators import form_page, signed_in
from frontend.web.field_labels import capitalise_sentence
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotFound, PromptuaryError
from registry.core.problem_details import find_status
from registry.evaluations import dataset_queries as queries
from registry.evaluations import datasets
from registry.namespaces import queries as namespace_queries

__all__ = ["create_dataset", "edit_dataset"]

_TEXT_IN_FORM = 400_000  # characters of a dataset that a text field can still handle
_FIELDS = {"name": "path"}  # the service's name to the form's name


@form_page
@signed_in
def create_dataset(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The first version of a dataset."""
    own_namespaces = namespace_queries.require_writable_namespaces(actor)
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
        "most_rows": datasets.MAX_ROWS,
        "declared": dataset_grid.list_inputs_of_template(actor, form["template"].value() or ""),
        "copy_targets": row_copies.list_copy_targets(actor),
    }
    return render_page(request, "evaluations/dataset_edit.html", context, status=status)


@form_page
@signed_in
def edit_dataset(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The next version: the rows of the latest one as text, or a file that replaces them."""
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
        **build_dataset_frame(actor, version.dataset),
        "version": version,
        "numbers": list_version_numbers(version.dataset),
        "form": form,
        "faults": faults,
        "forms": FORMS,
        "small": small,
        "most_rows": datasets.MAX_ROWS,
        "declared": dataset_grid.list_inputs_of_dataset(actor, version.dataset),
        "copy_targets": row_copies.list_copy_targets(actor, name),
        "new_run_url": write_new_run_address(name, find_run_template(actor, version.dataset)),
    }
    return render_page(request, "evaluations/dataset_edit.html", context, status=status)


def _save(
    request: HttpRequest, actor: Actor, name: str, form: DatasetForm
) -> tuple[dict[str, str], int, HttpResponse | None]:
    """Save the rows; returns the errors by row, the status, and the response if it was saved."""
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
        return _add_refusal(form, error)
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


def _add_refusal(form: DatasetForm, error: PromptuaryError) -> tuple[dict[str, str], int, None]:
    """Add the refusal to the form; returns the errors of rows, which have no field, and the status."""
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
    return {where: message for where, message in fields.items() if where not in form.fields}, find_status(error), None
