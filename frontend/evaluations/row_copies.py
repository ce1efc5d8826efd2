"""Copies ticked rows of a dataset's grid into another dataset."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext

from frontend.evaluations import dataset_grid
from frontend.evaluations.forms import DatasetForm
from frontend.web.decorators import signed_in
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, PromptuaryError
from registry.evaluations import dataset_additions, dataset_queries, datasets
from registry.evaluations.datasets import SavedDataset
from registry.namespaces import queries as namespace_queries

__all__ = ["copy_rows", "list_copy_targets"]


def list_copy_targets(actor: Actor, source: str = "") -> list[str]:
    """The datasets that rows can be copied to, except the rows' own."""
    names = dataset_queries.list_dataset_names(actor, namespaces=namespace_queries.list_writable_namespaces(actor))
    return [name for name in names if name != source]


@signed_in
def copy_rows(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Add the rows of `file` to the dataset `dataset`, as its next version.

    Columns that it lacks are only reported at first: nothing is saved until the request is repeated with
    `accepts_columns`.
    """
    form = DatasetForm(request.POST, request.FILES)
    if not form.is_valid():
        return dataset_grid.answer_form_errors(form)
    name, source = request.POST.get("dataset", "").strip(), request.POST.get("source", "")
    try:
        if not name or name == source:
            raise Invalid(fields={"dataset": gettext("choose another dataset.")})
        rows = datasets.read_dataset_rows(form.cleaned_data["text"], "jsonl", name).rows
        new_columns = dataset_additions.list_new_columns(actor, name, rows)
        if new_columns and not request.POST.get("accepts_columns"):
            return JsonResponse({"newColumns": new_columns})
        saved = dataset_additions.add_dataset_rows(
            actor=actor,
            name=name,
            rows=[row.to_dict() for row in rows],
            message=_describe_copy(len(rows), name, source),
            limit=datasets.MAX_ROWS,
        )
    except PromptuaryError as error:
        return dataset_grid.answer_refusal(error, name)
    return JsonResponse(_describe_result(saved))


def _describe_copy(count: int, name: str, source: str) -> str:
    """The message of the new version. It doesn't name datasets of other namespaces, which its readers may not see."""
    is_near = source.partition("/")[0] == name.partition("/")[0]
    return f"Copy {count} row{'' if count == 1 else 's'}{f' of {source}' if is_near else ''}"  # no text: stored


def _describe_result(saved: SavedDataset) -> dict[str, Any]:
    base = saved.version.base
    return {
        "url": f"{reverse('dataset', args=[saved.dataset.name])}?version={saved.version.number}",
        "dataset": saved.dataset.name,
        "number": saved.version.number,
        "added": saved.version.count - (base.count if base else 0) if saved.created else 0,
        "warnings": list(saved.warnings),
    }
