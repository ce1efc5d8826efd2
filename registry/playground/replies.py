"""Steps of a reply in the database: claimed by one process, counted when sent, stored as it arrives, and ended.

Each is a short operation in its own thread (`registry.core.database_threads`).
"""

import json
import logging
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from promptuary.evaluation.partial_reply import PartialReply
from promptuary.evaluation.streaming_models import StreamingModel, StreamRequest
from promptuary.renderer.errors import RenderError
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.connections import spending
from registry.connections.endpoint import Endpoint
from registry.connections.spending import SpendingAccount
from registry.core.errors import Busy
from registry.core.renderer_pool import borrow_renderer
from registry.journal import log
from registry.playground import queries
from registry.playground.models import PlaygroundColumn
from registry.playground.serializers import describe_column

__all__ = [
    "NO_TEXTS",
    "SILENCE",
    "Outcome",
    "Progress",
    "SentCall",
    "claim_column",
    "end_reply",
    "fail_lost_columns",
    "find_call_endpoint",
    "read_progress",
    "send_call",
    "write_progress",
]

SILENCE = timedelta(seconds=15)  # a running column without an update for this long has lost its process
_LOST = "The server stopped while this was written."
NO_TEXTS = {"bundle": "", "prompt": "", "reply": "", "tool_calls": "[]", "output": ""}
"""The columns that contain texts, with their values after removal."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SentCall:
    """A call that may be sent now; its tokens already count as spent."""

    model: StreamingModel
    request: StreamRequest


@dataclass(frozen=True)
class Outcome:
    """How a reply ended. state: done, stopped or failed.

    is_refused: whether the provider rejected the call, so that nothing was spent. Times are in milliseconds since it
    was sent.
    """

    state: str
    problem: str = ""
    retry_after: float | None = None
    is_refused: bool = False
    milliseconds: int | None = None
    first_token_milliseconds: int | None = None


@dataclass(frozen=True)
class Progress:
    """What another process stored of a reply so far. ended: the column's JSON once it is over."""

    state: str
    text: str
    ended: dict[str, Any] | None = None


def claim_column(actor: Actor, column_id: int) -> bool:
    """Claim the actor's column for this caller. Return whether it is the one that calls the model."""
    column = queries.find_own_column(actor, column_id)
    rows = PlaygroundColumn.objects.filter(pk=column.pk, state=PlaygroundColumn.READY)
    return bool(rows.update(state=PlaygroundColumn.RUNNING, heartbeat_at=log.now()))


def find_call_endpoint(actor: Actor, column_id: int) -> Endpoint:
    """The column's model as it is now. Raises Invalid if it was removed."""
    column = queries.find_own_column(actor, column_id)
    return connection_queries.find_endpoint(column.model, column.run.namespace.name)


def send_call(actor: Actor, column_id: int, endpoint: Endpoint) -> SentCall:
    """Check rights and caps, and count the prompt as spent; the reply is counted at its end.

    Raises TooMany if a cap is reached, Conflict if the price can't be counted against it or a key is missing.
    """
    column = queries.find_own_column(actor, column_id)
    run = column.run
    spending.require_within_caps(run.namespace, run.person, endpoint)
    model = endpoint.open_stream()
    prompt = column.parsed_prompt
    if column.sent_at is None:
        text = json.dumps(prompt["messages"], ensure_ascii=False)
        column.prompt_tokens = spending.count_or_estimate(column.rendered_tokens, text)
        column.sent_at = log.now()
        price = endpoint.price
        column.prompt_price = price.prompt if price else None
        column.completion_price = price.completion if price else None
        column.currency = price.currency if price else ""
        column.is_charged = endpoint.kind == "http"
        fields = ["prompt_tokens", "sent_at", "prompt_price", "completion_price", "currency", "is_charged"]
        with transaction.atomic():
            column.save(update_fields=fields)
            if column.is_charged:
                spending.record_tokens(_find_account(column, column.sent_at), 1, column.prompt_tokens, 0)
    request = StreamRequest(prompt["messages"], prompt["settings"], tuple(prompt["tools"]), prompt["reserve"])
    return SentCall(model, request)


def write_progress(replies: dict[int, PartialReply]) -> set[int]:
    """Store the replies so far, by column, and a sign of life. Return the columns that should stop."""
    rows = PlaygroundColumn.objects.filter(pk__in=list(replies), state=PlaygroundColumn.RUNNING)
    with transaction.atomic():
        rows.update(heartbeat_at=log.now())
        for column_id, reply in replies.items():
            rows.filter(pk=column_id, is_emptied=False).exclude(reply=reply.text).update(reply=reply.text)
    going = set(rows.filter(is_stop_asked=False).values_list("pk", flat=True))
    return set(replies) - going


def read_progress(actor: Actor, column_id: int) -> Progress:
    """The progress stored by the process that asks for the column; a column that lost its process is ended here."""
    fail_lost_columns(Q(pk=column_id))
    column = queries.find_own_column(actor, column_id)
    return Progress(column.state, column.reply, describe_column(column) if column.is_over else None)


def end_reply(column_id: int, reply: PartialReply, outcome: Outcome) -> dict[str, Any]:
    """Store a reply's end: its text, its outputs by the document's rules, and what was spent.

    Returns the column's JSON, with the texts even if the namespace doesn't store any. A column that was ended meanwhile
    is not changed.
    """
    rows = PlaygroundColumn.objects.select_related("run__namespace", "run__person", "version")
    column = rows.get(pk=column_id)
    if column.is_over:
        return describe_column(column)
    column.state, column.problem, column.retry_after = outcome.state, outcome.problem, outcome.retry_after
    column.milliseconds, column.first_token_milliseconds = outcome.milliseconds, outcome.first_token_milliseconds
    column.reply, column.finish_reason = reply.text, (reply.finish_reason or "")[:40]
    column.tool_calls = json.dumps([asdict(call) for call in reply.tool_calls.values()], ensure_ascii=False)
    if outcome.state == PlaygroundColumn.DONE and (reply.text or not reply.tool_calls):
        column.output = json.dumps(_read_output(column, reply.text), ensure_ascii=False)
    charged = column.prompt_tokens
    if column.sent_at is not None:
        column.prompt_tokens, column.completion_tokens = _count_tokens(column, reply, outcome)
    described = describe_column(column)
    _store_end(column, charged)
    return described


def _count_tokens(column: PlaygroundColumn, reply: PartialReply, outcome: Outcome) -> tuple[int, int]:
    """The tokens of prompt and reply: the provider's count, else an estimate of what was received."""
    if outcome.is_refused:
        return 0, 0
    prompt = column.prompt_tokens or 0 if reply.prompt_tokens is None else reply.prompt_tokens
    texts = [reply.thoughts, reply.text, *(call.arguments for call in reply.tool_calls.values())]
    written = "".join(texts)
    is_final = reply.is_complete and reply.completion_tokens is not None
    estimate = spending.count_or_estimate(None, written) if written else 0
    return prompt, reply.completion_tokens or 0 if is_final else max(estimate, reply.completion_tokens or 0)


def _read_output(column: PlaygroundColumn, text: str) -> dict[str, Any]:
    bundle = json.loads(column.bundle)
    try:
        with borrow_renderer() as bounded:
            return bounded.read_fields(
                bundle["document"],
                text,
                json.loads(column.run.inputs),
                fragments=bundle["fragments"],
                profile=bundle["profile"],
            )
    except (RenderError, Busy) as error:
        sentence = f"The reply could not be checked: {error.message}"
        return {"kind": "json", "valid": False, "fields": [], "problem": sentence, "notes": []}


def _store_end(column: PlaygroundColumn, charged: int | None) -> None:
    """Store the row, unless it was ended meanwhile, and correct what was counted when the call was sent."""
    space = column.run.namespace
    with transaction.atomic():
        row = PlaygroundColumn.objects.select_for_update().filter(pk=column.pk).first()
        if row is None or row.is_over:
            return
        space.refresh_from_db(fields=["discard_playground_texts"])
        column.is_emptied = row.is_emptied or space.discard_playground_texts
        if column.is_emptied:
            for field, value in NO_TEXTS.items():
                setattr(column, field, value)
        column.save()
        if column.is_emptied and not column.run.columns.filter(is_emptied=False).exists():
            column.run.inputs = "{}"
            column.run.save(update_fields=["inputs"])
        _correct_spending(column, charged)


def _correct_spending(column: PlaygroundColumn, charged: int | None) -> None:
    if column.sent_at is None or not column.is_charged:
        return
    account = _find_account(column, column.sent_at)
    difference = (column.prompt_tokens or 0) - (charged or 0)
    spending.record_tokens(account, 0, difference, column.completion_tokens or 0)


def _find_account(column: PlaygroundColumn, sent_at: datetime) -> SpendingAccount:
    """The account that the column's tokens are counted in, for the day on which the call was sent."""
    run = column.run
    return SpendingAccount(run.namespace_id, run.person_id, column.model, column.price, sent_at.date())


def fail_lost_columns(condition: Q | None = None) -> int:
    """End running columns whose process is gone, counting the whole estimate. Return how many."""
    silent = PlaygroundColumn.objects.filter(
        condition or Q(), state=PlaygroundColumn.RUNNING, heartbeat_at__lt=log.now() - SILENCE
    )
    lost_ids = list(silent.values_list("pk", flat=True))
    count = 0
    for column_id in lost_ids:
        column = PlaygroundColumn.objects.select_related("run__namespace", "run__person", "version").get(pk=column_id)
        column.state, column.problem = PlaygroundColumn.FAILED, _LOST
        if column.sent_at is not None:
            column.completion_tokens = column.longest_reply
        _store_end(column, column.prompt_tokens)
        logger.warning("%s lost its process", column)
        count += 1
    return count
