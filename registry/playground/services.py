"""Services of the playground: starting and stopping runs, and using their results. Nothing goes into the journal."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.connections import spending
from registry.connections.endpoint import Endpoint
from registry.core.errors import Conflict, Invalid, PreconditionRequired
from registry.core.input_checks import check_text
from registry.evaluations import dataset_additions, dataset_queries, datasets
from registry.evaluations.datasets import SavedDataset
from registry.journal import log
from registry.namespaces.verbs import Verb
from registry.playground import queries, row_plans
from registry.playground.models import PlaygroundColumn, PlaygroundRun
from registry.playground.rendering import (
    ColumnRequest,
    RenderedColumn,
    find_endpoints,
    read_columns,
    render_columns,
    require_settings_taken,
)
from registry.templates import document_check, drafts
from registry.templates import queries as template_queries
from registry.templates.models import Draft

__all__ = [
    "KEPT",
    "add_reply_as_row",
    "delete_old_runs",
    "restore_draft_of_run",
    "save_inputs_as_sample",
    "start_playground_run",
    "stop_column",
]

KEPT = timedelta(days=30)
"""How long a person sees their runs."""
_MAX_RUNS = 500  # per person; the oldest are deleted first
_MAX_ROW_RUNS = 200  # per person, over rows of a dataset; counted separately from the others
_FORGOTTEN = timedelta(hours=1)  # until the texts of a run that was never requested are removed, if none are stored
_MAX_NAME_LENGTH = 60


def start_playground_run(
    *,
    actor: Actor,
    name: str,
    columns: Sequence[Any],
    inputs: Mapping[str, Any],
    sample: str = "",
    dataset: str = "",
) -> PlaygroundRun:
    """Render every column and store the run; no model is called yet, `streams.stream_column` does that.

    name: of a template, which need not be saved yet. columns: 1 to 4 mappings as `rendering.ColumnRequest`. dataset:
    the one whose row the inputs are, or empty; sample is then the row's name. Raises Invalid with each field at fault
    (`inputs.order_id`, `columns.0.model`), TooMany if a spending cap is reached, Conflict if the price of a model can't
    be counted against it.
    """
    namespace, _ = queries.find_place(actor, name)
    check_text("sample", sample, 200)
    if dataset:
        row_plans.find_own_dataset(actor, namespace, dataset)
    requests = read_columns(columns)
    inputs = _check_inputs(inputs)
    endpoints = find_endpoints(namespace, requests)
    for endpoint in endpoints:
        spending.require_within_caps(namespace, actor.person, endpoint)
    rendered_columns = render_columns(actor, name, requests, inputs)
    require_settings_taken(endpoints, [column.prompt["settings"] for column in rendered_columns])
    with transaction.atomic():
        run = PlaygroundRun.objects.create(
            person=actor.person,
            namespace=namespace,
            name=name,
            sample=sample,
            dataset=dataset,
            inputs=json.dumps(inputs, ensure_ascii=False),
            created_at=log.now(),
        )
        parts = zip(requests, endpoints, rendered_columns, strict=True)
        PlaygroundColumn.objects.bulk_create(
            [_make_column(run, position, *part) for position, part in enumerate(parts)]
        )
        _delete_surplus(run)
    return run


def _check_inputs(inputs: Any) -> dict[str, Any]:
    if not isinstance(inputs, Mapping):
        raise Invalid(fields={"inputs": gettext("inputs are an object: a value for each name.")})
    try:
        document_check.write_samples({"inputs": inputs})
    except Invalid as error:
        raise Invalid(fields={"inputs": "; ".join(error.fields.values())}) from error
    return dict(inputs)


def _make_column(
    run: PlaygroundRun, position: int, request: ColumnRequest, endpoint: Endpoint, rendered: RenderedColumn
) -> PlaygroundColumn:
    price = endpoint.price
    return PlaygroundColumn(
        run=run,
        position=position,
        source=request.source,
        version=rendered.version,
        bundle=rendered.bundle,
        model=endpoint.name,
        settings=dict(request.settings or {}),
        prompt=json.dumps(rendered.prompt, ensure_ascii=False),
        rendered_tokens=rendered.tokens,
        longest_reply=rendered.longest_reply,
        prompt_price=price.prompt if price else None,
        completion_price=price.completion if price else None,
        currency=price.currency if price else "",
    )


def _delete_surplus(run: PlaygroundRun) -> None:
    """Keep only a person's newest runs."""
    rows = PlaygroundRun.objects.filter(person=run.person)
    rows, limit = (rows.exclude(dataset=""), _MAX_ROW_RUNS) if run.dataset else (rows.filter(dataset=""), _MAX_RUNS)
    if surplus := list(rows.order_by("-pk").values_list("pk", flat=True)[limit : limit + 100]):
        PlaygroundRun.objects.filter(pk__in=surplus).delete()


def stop_column(*, actor: Actor, column_id: int) -> PlaygroundColumn:
    """Stop the reply within about a second, whichever process receives it; the text so far is kept.

    Does nothing if it is already over.
    """
    column = queries.find_own_column(actor, column_id)
    rows = PlaygroundColumn.objects.filter(pk=column.pk)
    if not rows.filter(state=PlaygroundColumn.READY).update(state=PlaygroundColumn.STOPPED):
        rows.filter(state=PlaygroundColumn.RUNNING).update(is_stop_asked=True)
    return queries.find_own_column(actor, column_id)


def save_inputs_as_sample(*, actor: Actor, column_id: int, sample: str, draft_name: str = "") -> Draft:
    """Add the inputs of a column's run to the samples of the actor's draft, which is created if needed.

    draft_name: which of the actor's drafts, empty for the first one. Raises Invalid if the sample's name is taken or
    invalid, Conflict if the inputs are not stored.
    """
    run = _require_stored(queries.find_own_column(actor, column_id)).run
    sample = check_text("name", sample, 4 * _MAX_NAME_LENGTH).strip()
    if not sample or not sample.isprintable() or len(sample) > _MAX_NAME_LENGTH:
        sentence = gettext("a name of 1 to {longest_name} characters, in one line.").format(
            longest_name=_MAX_NAME_LENGTH
        )
        raise Invalid(fields={"name": sentence})
    with transaction.atomic():
        base = _find_draft_base(actor, run, draft_name)
        samples = base["samples"]
        if sample in samples:
            raise Invalid(fields={"name": gettext("There is already a sample called {sample}.").format(sample=sample)})
        samples = {**samples, sample: json.loads(run.inputs)}
        document_check.write_samples(samples)
        return _save_draft(actor, run, draft_name, {**base, "samples": samples})


def restore_draft_of_run(*, actor: Actor, run_id: int, draft_name: str = "") -> Draft:
    """Replace the actor's draft by the text of a run's draft column; the replaced draft can be restored.

    draft_name: which of the actor's drafts, empty for the first one. Raises Conflict if the run had no draft, or its
    text is not stored.
    """
    run = queries.find_own_run(actor, run_id)
    column = run.columns.filter(source=PlaygroundColumn.DRAFT).order_by("position").first()
    if column is None:
        raise Conflict(gettext("This run had no draft."))
    document = json.loads(_require_stored(column).bundle)["document"]
    with transaction.atomic():
        base = _find_draft_base(actor, run, draft_name)
        path = run.name.partition("/")[2]
        current = template_queries.find_draft(actor, run.name, draft_name)
        if current is not None and current.document != document:
            drafts.discard_draft(actor=actor, namespace=run.namespace.name, path=path, name=draft_name)
        draft = _save_draft(actor, run, draft_name, {**base, "document": document})
        if current is not None and draft.pk != current.pk:
            draft.revision = current.revision + 1  # so that a tab that shows the old draft notices
            draft.save(update_fields=["revision"])
    return draft


def _find_draft_base(actor: Actor, run: PlaygroundRun, draft_name: str) -> dict[str, Any]:
    """The content to start from: the actor's draft, else the newest version, else the draft that the run was of."""
    _, template = queries.find_place(actor, run.name)
    draft = template_queries.find_draft(actor, run.name, draft_name)
    latest = template.latest if template else None
    sample_set = template.current_samples() if template else None
    stored = sample_set.samples if sample_set else {}
    if draft is not None:
        base = draft.base.number if draft.base else None
        return {"document": draft.document, "samples": _read_samples(draft.samples, stored), "base": base}
    if latest is not None:
        return {"document": latest.document, "samples": stored, "base": latest.number}
    column = run.columns.filter(source=PlaygroundColumn.DRAFT).order_by("position").first()
    document = json.loads(column.bundle)["document"] if column is not None and column.bundle else ""
    return {"document": document, "samples": stored, "base": None}


def _read_samples(text: str, stored: Mapping[str, Any]) -> dict[str, Any]:
    """A draft's samples, or the stored ones if the draft's are not well-formed."""
    try:
        samples = json.loads(text) if text.strip() else stored
    except ValueError:
        samples = stored
    return dict(samples) if isinstance(samples, Mapping) else dict(stored)


def _save_draft(actor: Actor, run: PlaygroundRun, draft_name: str, parts: Mapping[str, Any]) -> Draft:
    return drafts.save_draft(
        actor=actor,
        namespace=run.namespace.name,
        path=run.name.partition("/")[2],
        document=parts["document"],
        samples=json.dumps(parts["samples"], ensure_ascii=False),
        base=parts["base"],
        name=draft_name,
    )


def add_reply_as_row(  # what a row is made of
    *,
    actor: Actor,
    column_id: int,
    dataset: str = "",
    new_dataset: str = "",
    row_name: str = "",
    expected: Any = None,
    tags: Sequence[str] = (),
) -> SavedDataset:
    """Add one row to the dataset: the run's inputs and the expected outputs.

    expected: outputs by name, or a text, which becomes the expected `answer`; None uses the reply itself. new_dataset:
    the path in the run's namespace of a dataset to create from the row, instead of `dataset`. Raises what
    `add_dataset_rows` and `save_dataset` raise, Conflict if the inputs are not stored.
    """
    column = _require_stored(queries.find_own_column(actor, column_id))
    run = column.run
    expectation = column.reply if expected is None else expected
    if isinstance(expectation, str):
        expectation = {"answer": expectation}
    if not isinstance(expectation, Mapping):
        raise Invalid(fields={"expected": gettext("a text, or an object of expected outputs.")})
    row_name = check_text("name", row_name, 200).strip()
    row = {"id": row_name, "inputs": json.loads(run.inputs), "expected": dict(expectation)}
    if tags:
        row["tags"] = list(tags)
    _, template = queries.find_place(actor, run.name)
    template_name = template.name if template else None
    message = f"Add a reply from the playground of {run.name}"  # no text: stored
    if new_dataset:
        new_name = f"{run.namespace.name}/{new_dataset.strip().strip('/')}"
        return _make_dataset(actor, new_name, row, message, template_name)
    row_plans.find_own_dataset(actor, run.namespace, dataset, Verb.SAVE)
    version = dataset_queries.read_dataset_version(actor, dataset)
    if row_name and any(known_row.id == row_name for known_row in version.rows()):
        raise Invalid(fields={"name": gettext("There is already a row called {row_name}.").format(row_name=row_name)})
    return dataset_additions.add_dataset_rows(
        actor=actor, name=dataset, rows=[row], message=message, template=template_name
    )


def _make_dataset(actor: Actor, name: str, row: Mapping[str, Any], message: str, template: str | None) -> SavedDataset:
    """Create a dataset with this row alone. Raises Invalid if the name is taken."""
    try:
        return datasets.save_dataset(actor=actor, name=name, text=json.dumps(row), message=message, template=template)
    except PreconditionRequired as error:
        sentence = gettext("There is already a dataset called {name}.").format(name=name)
        raise Invalid(fields={"new_dataset": sentence}) from error


def _require_stored(column: PlaygroundColumn) -> PlaygroundColumn:
    if column.is_emptied:
        raise Conflict(gettext("The texts of this run are not stored any more."))
    return column


def delete_old_runs() -> int:
    """Delete expired runs, and empty those of namespaces that don't store any. Return the number deleted."""
    now = log.now()
    unstored = Q(run__namespace__discard_playground_texts=True, is_emptied=False)
    is_forgotten = Q(state=PlaygroundColumn.READY, run__created_at__lte=now - _FORGOTTEN)
    is_over = Q(state__in=(PlaygroundColumn.DONE, PlaygroundColumn.STOPPED, PlaygroundColumn.FAILED))
    columns = PlaygroundColumn.objects.filter(unstored & (is_forgotten | is_over))
    PlaygroundRun.objects.filter(pk__in=list(columns.values_list("run_id", flat=True))).delete()
    return PlaygroundRun.objects.filter(created_at__lte=now - KEPT).delete()[0]
