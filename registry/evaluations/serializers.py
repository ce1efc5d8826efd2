"""Rows about evaluations as the API's JSON."""

from typing import Any

from promptuary.evaluation import Row
from registry.core.timestamps import format_moment
from registry.evaluations.dataset_queries import Difference
from registry.evaluations.model_endpoints import Endpoint
from registry.evaluations.models import Attachment, Dataset, DatasetVersion, Run
from registry.evaluations.run_queries import Compared, Detail

__all__ = [
    "attachment",
    "comparison",
    "dataset",
    "dataset_version",
    "difference",
    "model",
    "placed",
    "run",
    "run_row",
]

_MOST_ROWS = 500  # of a difference or a comparison that are told; the counts are of all


def dataset(row: Dataset) -> dict[str, Any]:
    """A dataset without its rows."""
    latest = row.latest
    return {
        "name": row.name,
        "latest": {"version": latest.number, "digest": latest.digest, "count": latest.count} if latest else None,
        "created_at": format_moment(row.created_at),
        "updated_at": format_moment(row.updated_at),
    }


def dataset_version(name: str, row: DatasetVersion) -> dict[str, Any]:
    """A version of a dataset without its rows."""
    return {
        "name": name,
        "version": row.number,
        "digest": row.digest,
        "count": row.count,
        "base": row.base.number if row.base else None,
        "author": row.author.username,
        "message": row.message,
        "created_at": format_moment(row.created_at),
    }


def placed(index: int, row: Row) -> dict[str, Any]:
    """A row with its place, from 0."""
    return {"index": index, **row.to_dict()}


def difference(before: DatasetVersion, after: DatasetVersion, found: Difference) -> dict[str, Any]:
    """What changed between two versions, at most 500 rows of each kind."""
    return {
        "from": before.number,
        "to": after.number,
        "same": found.same,
        "moved": found.moved,
        "added": [placed(*one) for one in found.added[:_MOST_ROWS]],
        "removed": [placed(*one) for one in found.removed[:_MOST_ROWS]],
        "changed": [
            {"index": index, "before": placed(index, old), "after": placed(index, new)}
            for index, old, new in found.changed[:_MOST_ROWS]
        ],
    }


def run(row: Run) -> dict[str, Any]:
    """A run with its progress and, once it is done, its scores."""
    rows = row.dataset_version
    return {
        "number": row.number,
        "template": row.template.name,
        "version": row.version.number,
        "digest": row.version.digest,
        "dataset": rows.dataset.name if rows else None,
        "dataset_version": rows.number if rows else None,
        "rows_digest": row.rows_digest,
        "model": row.model,
        "metrics": list(row.metrics),
        "judge": f"{row.judge.template.name}@{row.judge.number}" if row.judge else None,
        "judge_model": row.judge_model or None,
        "state": row.state,
        **{name: getattr(row, name) for name in ("total", "done", "failed", "cached")},
        "prompt_tokens": row.prompt_tokens,
        "completion_tokens": row.completion_tokens,
        "cost": str(row.cost) if row.cost is not None else None,
        "currency": row.currency,
        "scores": row.scores,
        "error": row.error,
        "change": row.change.number if row.change else None,
        "person": row.started_by.username,
        "created_at": format_moment(row.created_at),
        "started_at": format_moment(row.started_at),
        "finished_at": format_moment(row.finished_at),
    }


def run_row(detail: Detail) -> dict[str, Any]:
    """A row of a run: what was asked, what came, what it scored."""
    row = detail.row
    about = {"index": detail.index, "id": detail.id, "inputs": detail.inputs, "expected": detail.expected}
    if row is None:
        nothing = dict.fromkeys(("actual", "problem", "judgement", "prompt_tokens", "completion_tokens", "cost"))
        state = {"state": "waiting", "faults": [], "prompts": [], "scores": {}, "cached": False, "milliseconds": 0}
        return {**about, **state, **nothing}
    return {
        **about,
        "state": "failed" if row.is_failed else "done",
        "actual": row.actual,
        "problem": row.problem,
        "faults": row.faults,
        "prompts": row.prompts,
        "scores": row.scores,
        "judgement": row.judgement,
        "prompt_tokens": row.prompt_tokens,
        "completion_tokens": row.completion_tokens,
        "cost": str(row.cost) if row.cost is not None else None,
        "cached": row.is_cached,
        "milliseconds": row.milliseconds,
    }


def comparison(before: Run, after: Run, found: Compared) -> dict[str, Any]:
    """Two runs side by side, the worst regression first; `winner` is the number of a run or null."""
    one = found.comparison
    rows = []
    for index in found.order[:_MOST_ROWS]:
        was, is_now = found.before[index], found.after[index]
        rows.append({"index": index, "before": was, "after": is_now, "difference": (is_now or 0.0) - (was or 0.0)})
    winners = {"first": before.number, "second": after.number}
    return {
        "metric": found.metric,
        "target": found.target,
        "before": before.number,
        "after": after.number,
        **{name: getattr(one, name) for name in ("n", "better", "worse", "same", "difference", "low", "high", "level")},
        "winner": winners[one.winner] if one.winner else None,
        "rows": rows,
    }


def attachment(row: Attachment) -> dict[str, Any]:
    """What templates of a pattern have to reach."""
    return {
        "name": row.name,
        "pattern": row.pattern,
        "dataset": row.dataset.name,
        "dataset_version": row.dataset_version,
        "model": row.model,
        "gates": list(row.gates),
        "metrics": list(row.metrics),
        "person": row.created_by.username,
        "created_at": format_moment(row.created_at),
    }


def model(endpoint: Endpoint) -> dict[str, Any]:
    """A model as authors may know it: neither its address nor its credential."""
    price = endpoint.price
    told = (
        {"prompt": str(price.prompt), "completion": str(price.completion), "currency": price.currency}
        if price
        else None
    )
    return {"name": endpoint.name, "kind": endpoint.kind, "price": told}
