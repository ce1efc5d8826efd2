"""JSON of the playground: runs, columns and choices, as pages and streams send them."""

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext

from registry.connections.endpoint import Price
from registry.core.timestamps import format_moment
from registry.playground.models import PlaygroundColumn, PlaygroundRun
from registry.playground.queries import RunChoices
from registry.playground.row_plans import RowPlan

__all__ = [
    "describe_choices",
    "describe_column",
    "describe_row_plan",
    "describe_run",
    "title_column",
    "translate_faults",
]

_MAX_DOCUMENT_LENGTH = 50_000  # the most characters of a draft in a list of runs


def describe_run(run: PlaygroundRun) -> dict[str, Any]:
    """{id, at, sample, inputs, document, columns}. document: the draft that was tried; null without one, if it is not
    stored, or if it has more than `_MAX_DOCUMENT_LENGTH` characters.
    """
    columns = sorted(run.columns.all(), key=lambda column: column.position)
    return {
        "id": run.pk,
        "at": format_moment(run.created_at),
        "sample": run.sample,
        "inputs": json.loads(run.inputs),
        "document": _find_document(columns),
        "columns": [describe_column(column) for column in columns],
    }


def _find_document(columns: Sequence[PlaygroundColumn]) -> str | None:
    drafts = (column for column in columns if column.source == PlaygroundColumn.DRAFT and column.bundle)
    document = next((str(json.loads(column.bundle)["document"]) for column in drafts), "")
    return document if 0 < len(document) <= _MAX_DOCUMENT_LENGTH else None


def describe_column(column: PlaygroundColumn) -> dict[str, Any]:
    """The column as pages show it; texts are empty and `prompt` is null if the namespace doesn't store any."""
    number = column.version.number if column.version else None
    longest = column.price.compute_cost(column.rendered_tokens or 0, column.longest_reply) if column.price else None
    tokens = {"prompt": column.prompt_tokens, "completion": column.completion_tokens}
    problem = {"detail": column.problem, "retry_after": column.retry_after} if column.problem else None
    return {
        "id": column.pk,
        "source": column.source,
        "title": title_column(column.source, number),
        "number": number,
        "model": column.model,
        "settings": column.settings,
        "state": column.state,
        "text": column.reply,
        "tools": json.loads(column.tool_calls or "[]"),
        "prompt": _describe_prompt(column),
        "tokens": tokens if column.prompt_tokens is not None else None,
        "cost": _describe_amount(column.cost, column.currency),
        "estimate": _describe_amount(longest, column.currency),
        "milliseconds": column.milliseconds,
        "first_token_milliseconds": column.first_token_milliseconds,
        "finish_reason": column.finish_reason or None,
        "longest_reply": column.longest_reply,
        "output": json.loads(column.output) if column.output else None,
        "problem": problem,
        "is_stored": not column.is_emptied,
    }


def translate_faults(column: Mapping[str, Any], translate: Callable[[str], str]) -> dict[str, Any]:
    """The column's JSON with its error and the findings of its output rules passed through `translate`.

    Both are stored in English. The model's own words are not translated.
    """
    translated = dict(column)
    if column.get("problem"):
        translated["problem"] = {**column["problem"], "detail": translate(column["problem"]["detail"])}
    if output := column.get("output"):
        fields = [{**field, "problem": _translate_or_none(field["problem"], translate)} for field in output["fields"]]
        notes = [translate(note) for note in output["notes"]]
        problem = _translate_or_none(output["problem"], translate)
        translated["output"] = {**output, "fields": fields, "problem": problem, "notes": notes}
    return translated


def _translate_or_none(sentence: str | None, translate: Callable[[str], str]) -> str | None:
    return translate(sentence) if sentence else sentence


def title_column(source: str, number: int | None) -> str:
    """A column's title on a page: `source` is the draft, a label or a number."""
    if source == PlaygroundColumn.DRAFT:
        return gettext("This draft")
    return f"v{number}" if source == str(number) else source


def _describe_prompt(column: PlaygroundColumn) -> dict[str, Any] | None:
    prompt = column.parsed_prompt
    if not prompt:
        return None
    contents = [_format_content(message["content"]) for message in prompt["messages"]]
    return {
        "messages": prompt["messages"],
        "text": "\n\n".join(contents),
        "tokens": column.rendered_tokens,
        "digest": prompt["digest"],
    }


def _format_content(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def describe_choices(choices: RunChoices) -> dict[str, Any]:
    """The choices for a run, without the URL for connecting models, which the page adds."""
    models = [
        {
            "name": endpoint.name,
            "model": endpoint.model,
            "price": _describe_price(endpoint.price),
            "is_connection": endpoint.name in choices.connections,
            "why_not": choices.refusals.get(endpoint.name),
        }
        for endpoint in choices.endpoints
    ]
    sources = [{"value": source.value, "title": source.title, "number": source.number} for source in choices.sources]
    cap = None if choices.cap is None else _format_amount(choices.cap)
    return {
        "models": models,
        "sources": sources,
        "spent": {"today": _format_amount(choices.spent_today), "cap": cap, "currency": choices.currency},
        "can_run": choices.why_not is None,
        "why_not": choices.why_not,
        "can_connect": choices.can_connect,
        "is_stored": choices.is_stored,
        "datasets": [
            {"name": row.name, "title": row.path, "fits": row.pk in choices.fitting} for row in choices.datasets
        ],
    }


def describe_row_plan(plan: RowPlan) -> dict[str, Any]:
    """{dataset, version, total, tags, rows: [{name, inputs, expected, problem}], calls, estimate}."""
    rows = [
        {
            "name": planned.name,
            "inputs": planned.row.inputs,
            "expected": planned.row.expected,
            "problem": planned.problem or None,
        }
        for planned in plan.rows
    ]
    return {
        "dataset": plan.dataset,
        "version": plan.version,
        "total": plan.total,
        "tags": plan.tags,
        "rows": rows,
        "calls": plan.calls,
        "estimate": _describe_amount(plan.estimate, plan.currency),
    }


def _describe_price(price: Price | None) -> dict[str, str] | None:
    if price is None:
        return None
    amounts = {"prompt": _format_amount(price.prompt), "completion": _format_amount(price.completion)}
    return {**amounts, "currency": price.currency}


def _describe_amount(amount: Decimal | None, currency: str) -> dict[str, str] | None:
    return None if amount is None else {"amount": _format_amount(amount), "currency": currency}


def _format_amount(amount: Decimal) -> str:
    """A sum of money as a plain decimal number, to a millionth, without zeros at its end."""
    text = format(amount.quantize(Decimal("0.000001")), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
