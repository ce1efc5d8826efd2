"""Model calls for the rows of a run: render in the bounded child, ask the model once for all runs, parse the reply."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction

from promptuary.evaluation import EvaluationError, ModelError
from promptuary.evaluation.json_values import require_json
from promptuary.evaluation.models import Model
from promptuary.evaluation.models import Reply as Answer
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.errors import RenderError
from registry.connections.endpoint import Endpoint
from registry.core.renderer_pool import borrow_renderer, list_sources
from registry.evaluations.call_pool import CallPool
from registry.evaluations.models import Reply, Run
from registry.evaluations.row_calls import RowCall
from registry.journal import log
from registry.journal.event import compute_digest, format_canonical_json
from registry.templates.models import Redaction

__all__ = [
    "ask_model",
    "compute_reply_key",
    "is_run_redacted",
    "lock_run",
]


def ask_model(run: Run, bundle: Mapping[str, Any], endpoint: Endpoint, model: Model, batch: Sequence[RowCall]) -> None:
    """Render, ask and parse. Replies are cached as soon as a batch is complete, so that nothing is paid for twice.
    Nightly runs don't use the cache, as they measure the model as it is now.

    Nothing is cached if the run's version or its judge was redacted meanwhile. Raises TooMany if a spending cap is
    reached and Conflict if the price can't be counted against it, after caching the replies received until then.
    """
    _render_batch(bundle, batch)
    keys = {key for call in batch for key in _compute_keys(call, endpoint)}
    known_replies = Reply.objects.filter(key__in=keys) if run.night is None else ()
    answers = {row.key: _build_answer(row) for row in known_replies}
    try:
        CallPool(run, endpoint, model, lambda prompt: answers.get(_compute_key(prompt, endpoint))).ask(batch)
    finally:
        _keep_replies(run, endpoint, batch)
    if parse_document(bundle["document"]).output:
        _read_replies(bundle, batch)


def _render_batch(bundle: Mapping[str, Any], batch: Sequence[RowCall]) -> None:
    samples = {str(call.index): call.row.inputs for call in batch}
    try:
        with borrow_renderer() as bounded:
            outcomes = bounded.render_samples(bundle["document"], samples, **list_sources(bundle))
    except RenderError as error:  # one of them may use up all the time
        outcomes = dict.fromkeys(samples, error)
    for call in batch:
        outcome = outcomes[str(call.index)]
        if isinstance(outcome, RenderError):
            _render_one(bundle, call, outcome if len(batch) == 1 else None)
        else:
            call.prompts = [outcome]


def _render_one(bundle: Mapping[str, Any], call: RowCall, final: RenderError | None) -> None:
    """Render a row alone: it makes several prompts, or it is the one that failed the batch."""
    try:
        with borrow_renderer() as bounded:
            call.prompts = bounded.render_all(bundle["document"], call.row.inputs, **list_sources(bundle))
    except RenderError as error:
        call.stop("render", final or error)
    else:
        if not call.prompts:
            call.stop("render", ModelError("with these inputs the document makes no prompt"))


def _read_replies(bundle: Mapping[str, Any], batch: Sequence[RowCall]) -> None:
    """Parse the replies as the document's `output` declares, in addition to keeping the replies."""
    calls_by_name = {str(call.index): call for call in batch if not call.problem}
    rows = {name: ([reply.text for reply in call.replies], call.row.inputs) for name, call in calls_by_name.items()}
    try:
        with borrow_renderer() as bounded:
            outcomes = bounded.read_many(bundle["document"], rows, **list_sources(bundle))
    except RenderError as error:
        if len(batch) > 1:  # one of them uses up all the time
            for call in calls_by_name.values():
                _read_replies(bundle, [call])
            return
        outcomes = dict.fromkeys(rows, error)
    for name, call in calls_by_name.items():
        outcome = outcomes[name]
        if isinstance(outcome, RenderError):
            call.stop("read", outcome)
        else:
            _take_outputs(call, outcome)


def _take_outputs(call: RowCall, outputs: dict[str, Any]) -> None:
    """Keep the parsed outputs; a value that isn't JSON, such as NaN, fails only this row."""
    try:
        require_json(outputs, "outputs")
    except EvaluationError as error:
        call.stop("read", error)
    else:
        call.outputs = outputs


def compute_reply_key(messages: Any, model: str, settings: Any) -> str:
    """The cache key of a prompt's reply; `model` is the endpoint's digest."""
    return compute_digest(format_canonical_json({"messages": messages, "model": model, "settings": settings or {}}))


def _compute_keys(call: RowCall, endpoint: Endpoint) -> list[str]:
    """The cache key of each prompt's reply."""
    return [_compute_key(prompt, endpoint) for prompt in call.prompts]


def _compute_key(prompt: Mapping[str, Any], endpoint: Endpoint) -> str:
    return compute_reply_key(prompt["messages"], endpoint.digest, prompt["settings"])


def _build_answer(row: Reply) -> Answer:
    return Answer(**row.value, cached=True)


def _keep_replies(run: Run, endpoint: Endpoint, batch: Sequence[RowCall]) -> None:
    at = log.now()
    new_replies = [
        Reply(key=key, text=_write_reply(reply), created_at=at)
        for call in batch
        for key, reply in zip(_compute_keys(call, endpoint), call.replies, strict=False)
        if not reply.cached
    ]
    if new_replies:
        with transaction.atomic():
            if not is_run_redacted(run):
                Reply.objects.bulk_create(new_replies, ignore_conflicts=True)


def is_run_redacted(run: Run) -> bool:
    """Whether the run's text was redacted; a concurrent redaction waits until this transaction ends."""
    lock_run(run)
    return Redaction.objects.filter(version__in=[pk for pk in (run.version_id, run.judge_id) if pk]).exists()


def lock_run(run: Run) -> None:
    """Lock the run until the transaction ends. All writers of its rows take this lock first."""
    Run.everything.select_for_update().filter(pk=run.pk).values_list("pk").first()


def _write_reply(reply: Answer) -> str:
    fields = {name: value for name, value in asdict(reply).items() if name not in ("cached", "faults", "spent")}
    return json.dumps(fields)
