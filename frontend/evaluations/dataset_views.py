"""Dataset pages: the list, one with its rows and versions, the diff of two, archiving and restoring."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.evaluations.dataset_frame import build_dataset_frame, list_version_numbers, write_new_run_address
from frontend.evaluations.row_comparison import list_readable_values, name_row, shorten_text
from frontend.web.decorators import signed_in
from frontend.web.page import render_page
from promptuary.evaluation import Row
from promptuary.renderer.syntax.sequence_diff import diff_words
from registry.accounts.actor import Actor
from registry.core.errors import Conflict
from registry.evaluations import dataset_archive, datasets, run_queries
from registry.evaluations import dataset_queries as queries
from registry.evaluations.dataset_difference import diff_dataset_versions
from registry.namespaces import queries as namespace_queries

__all__ = ["archive_dataset", "compare_versions", "restore_dataset_version", "show_dataset", "show_datasets"]

_ROWS = 50
_SHOWN_INPUTS = 4
_SHOWN_CHANGES = 100


@signed_in
def show_datasets(request: HttpRequest, actor: Actor) -> HttpResponse:
    """All datasets that the user may read, by name."""
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
        "may_add": bool(namespace_queries.list_writable_namespaces(actor)),
        "next_url": f"?{urlencode({**query, 'cursor': page.next})}" if page.next else "",
    }
    return render_page(
        request, "evaluations/datasets.html", context, regions={"datasets": "evaluations/_datasets.html"}
    )


@signed_in
def show_dataset(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """One version of a dataset: its rows, its other versions, its runs."""
    dataset = queries.read_dataset(actor, name)
    number = _read_number(request.GET.get("version"))
    version = queries.read_dataset_version(actor, name, number)
    tag = request.GET.get("tag", "")
    page = queries.list_dataset_rows(version, tag=tag, cursor=request.GET.get("cursor"), limit=_ROWS)
    tags = queries.list_dataset_tags(version)
    rows = [_build_row(index, row) for index, row in page.items]
    inputs = list(dict.fromkeys(name for _, row in page.items for name in row.inputs))
    runs = run_queries.list_runs(actor, dataset=name, limit=8).items
    context = {
        **build_dataset_frame(actor, dataset),
        "version": version,
        "rows": rows,
        "columns": inputs[:_SHOWN_INPUTS],
        "input_count": len(inputs),
        "tag": tag,
        "tags": tags,
        "next_url": f"?{urlencode({'version': version.number, 'tag': tag, 'cursor': page.next})}" if page.next else "",
        "versions": queries.list_dataset_versions(actor, name, limit=30).items,
        "runs": runs,
        "new_run_url": write_new_run_address(name, request.GET.get("for") or (runs[0].template.name if runs else "")),
    }
    return render_page(request, "evaluations/dataset.html", context)


@signed_in
def compare_versions(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """What changed between two versions, row by row."""
    dataset = queries.read_dataset(actor, name)
    after = queries.read_dataset_version(actor, name, _read_number(request.GET.get("to")))
    before = queries.read_dataset_version(
        actor, name, _read_number(request.GET.get("from")) or max(1, after.number - 1)
    )
    difference = diff_dataset_versions(before, after)
    context = {
        **build_dataset_frame(actor, dataset),
        "before": before,
        "after": after,
        "difference": difference,
        "sides": [
            (title, [_build_row(index, row) for index, row in placed[:_SHOWN_CHANGES]], style, len(placed))
            for title, placed, style in (
                ("Added", difference.added, "diff-added"),
                ("Removed", difference.removed, "diff-removed"),
            )
        ],
        "changed": [_build_changed_row(index, was, row) for index, was, row in difference.changed[:_SHOWN_CHANGES]],
        "numbers": list_version_numbers(after.dataset),
    }
    return render_page(request, "evaluations/dataset_diff.html", context)


@signed_in
def archive_dataset(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Archive the dataset, or restore it with `do=unarchive`; its page then shows a refusal."""
    try:
        if request.POST.get("do") == "unarchive":
            dataset_archive.unarchive_dataset(actor=actor, name=name)
            messages.success(request, gettext("The dataset is restored."))
        else:
            dataset_archive.archive_dataset(actor=actor, name=name, reason=request.POST.get("reason", ""))
            messages.success(request, gettext("The dataset is archived. It is no longer in the lists."))
    except Conflict as error:
        messages.error(request, error.message)
    return redirect("dataset", name)


@signed_in
def restore_dataset_version(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Save the rows of an older version as the next one. `base`: the digest of the latest version
    that the page showed.
    """
    version = queries.read_dataset_version(actor, name, _read_number(request.POST.get("version")))
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


def _build_row(index: int, row: Row) -> dict[str, Any]:
    return {
        "index": index,
        "name": name_row(row.id, index),
        "tags": row.tags,
        "inputs": {name: shorten_text(value, 160) for name, value in list_readable_values(row.inputs)},
        "expected": [(name, shorten_text(value, 200)) for name, value in list_readable_values(row.expected)],
    }


def _build_changed_row(index: int, before: Row, after: Row) -> dict[str, Any]:
    """Each value that differs, with the changed words of both sides."""
    fields = []
    for kind, was, now in (("", before.inputs, after.inputs), ("expected ", before.expected, after.expected)):
        old, new = dict(list_readable_values(was)), dict(list_readable_values(now))
        for name in dict.fromkeys([*old, *new]):
            if old.get(name) != new.get(name):
                left, right = diff_words(old.get(name, ""), new.get(name, ""))
                fields.append({"name": f"{kind}{name}", "before": left, "after": right})
    if before.tags != after.tags:
        left, right = diff_words(", ".join(before.tags), ", ".join(after.tags))
        fields.append({"name": "tags", "before": left, "after": right})
    return {"index": index, "name": name_row(after.id, index), "fields": fields}


def _read_number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 10 else None
