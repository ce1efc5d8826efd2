"""The server side of the grid of a dataset's rows: the declared inputs, the rows, and the responses to a save."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext

from frontend.evaluations.forms import DatasetForm
from frontend.web.decorators import signed_in
from frontend.web.findings import translate_fields, translate_finding
from promptuary.renderer.document.parser import inspect_document
from registry.accounts.actor import Actor
from registry.core.errors import Gone, Invalid, NotFound, PromptuaryError
from registry.core.problem_details import find_status
from registry.evaluations import dataset_files, dataset_queries
from registry.evaluations.attachment_queries import list_measured_templates
from registry.evaluations.dataset_models import Dataset
from registry.evaluations.datasets import SavedDataset
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.models import Template

__all__ = [
    "answer_form_errors",
    "answer_refusal",
    "answer_save",
    "is_from_grid",
    "list_inputs_of_dataset",
    "list_inputs_of_template",
    "show_rows",
]

_KINDS = {"string": "text", "number": "number", "integer": "number", "boolean": "boolean"}


@signed_in
def show_rows(request: HttpRequest, actor: Actor, name: str, form: str) -> HttpResponse:
    """The rows of a version as a file, of the latest without `version`. form: jsonl or csv."""
    number = request.GET.get("version", "")
    is_number = number.isdecimal() and len(number) < 10
    version = dataset_queries.read_dataset_version(actor, name, int(number) if is_number else None)
    if form not in dataset_files.CONTENT_TYPES:
        raise Invalid(fields={"form": gettext("one of {names}.").format(names=", ".join(dataset_files.CONTENT_TYPES))})
    text = dataset_files.write_dataset_file(version, form)
    response = HttpResponse(text, content_type=dataset_files.CONTENT_TYPES[form])
    file = f"{name.rpartition('/')[2]}-v{version.number}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{file}"'
    response["Cache-Control"] = "private, no-store"
    return response


def is_from_grid(request: HttpRequest) -> bool:
    """Whether the page's script sent the form, and reads the response as JSON."""
    return request.headers.get("Accept", "") == "application/json"


def list_inputs_of_dataset(actor: Actor, dataset: Dataset) -> list[dict[str, Any]]:
    """The inputs of the first template that the dataset measures; see `list_inputs_of_template`."""
    measured = list_measured_templates(dataset.namespace, dataset.name)
    return _list_declared_inputs(actor, measured[0]) if measured else []


def list_inputs_of_template(actor: Actor, name: str) -> list[dict[str, Any]]:
    """The inputs of a template's latest version: {name, kind, choices, choicesUrl, schema}. kind is text, number,
    boolean or json; choicesUrl the URL of the editor, if the user may save the template; schema that of a list or a
    group. Empty if there is no such template.
    """
    try:
        return _list_declared_inputs(actor, template_queries.get_template(actor, name)) if name else []
    except (NotFound, Invalid):
        return []


def _list_declared_inputs(actor: Actor, template: Template) -> list[dict[str, Any]]:
    if template.latest is None:
        return []
    try:
        document, _ = inspect_document(template.latest.document)
    except Gone:  # the version's text was redacted
        return []
    declared = []
    for name, schema in ((document.inputs if document else None) or {}).items():
        kind = _KINDS.get(str(schema.get("type", "")), "json")
        entry: dict[str, Any] = {"name": name, "kind": kind}
        if schema.get("type") in ("array", "object"):
            entry["schema"] = schema
        choices = schema.get("enum")
        if kind == "text" and isinstance(choices, list) and all(isinstance(choice, str) for choice in choices):
            entry["choices"] = choices
            if permissions.is_allowed(actor, Verb.SAVE, template.namespace, template.path):
                entry["choicesUrl"] = reverse("edit", args=[template.name])
        declared.append(entry)
    return declared


def answer_save(result: SavedDataset) -> HttpResponse:
    """The URL that the grid opens after its rows are saved."""
    return JsonResponse({"url": reverse("dataset", args=[result.dataset.name])})


def answer_form_errors(form: DatasetForm) -> HttpResponse:
    """The form's errors, one sentence per field."""
    fields = {field: str(sentences[0]) for field, sentences in form.errors.items()}
    return JsonResponse({"detail": gettext("Nothing is saved."), "fields": fields}, status=422)


def answer_refusal(error: PromptuaryError, name: str) -> HttpResponse:
    """Why the rows weren't saved: a message, messages by row and field, and the version saved meanwhile."""
    fields = translate_fields(error.fields) if isinstance(error, Invalid) else {}
    answer: dict[str, Any] = {"detail": translate_finding(error.message), "fields": fields}
    latest = error.facts.get("latest")
    if isinstance(latest, int):
        query = urlencode({"from": max(1, latest - 1), "to": latest})
        sentence = gettext(
            "Version {number} was saved meanwhile. Nothing is overwritten: your rows stay here, unsaved."
        )
        answer["detail"] = sentence.format(number=latest)
        answer |= {"latest": latest, "diffUrl": f"{reverse('dataset-diff', args=[name])}?{query}"}
    return JsonResponse(answer, status=find_status(error))
