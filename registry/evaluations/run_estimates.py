"""Estimates of a run's cost before anything is asked, from a sample of its prompts and from earlier replies."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext

from promptuary.evaluation import Row
from promptuary.renderer.errors import RenderError
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.connections.endpoint import ECHO, Endpoint
from registry.connections.reply_limits import find_longest_reply
from registry.connections.spending import count_or_estimate
from registry.evaluations.judge_choice import find_judge
from registry.evaluations.judge_estimates import JudgeEstimate, estimate_judge
from registry.evaluations.models import Run
from registry.evaluations.row_fit import render_rows, require_some_row_fits
from registry.evaluations.start_runs import find_row_source, require_settings_taken, require_spending_left
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates import version_queries
from registry.templates.models import Template

__all__ = ["RunEstimate", "estimate_run", "join_estimates"]

_SAMPLE = 20  # the most rows rendered for an estimate
_USUAL_REPLY = 800  # tokens, if neither the settings nor the budget set a limit


@dataclass(frozen=True)
class RunEstimate:
    """Tokens of all rows together. is_from_replies: whether the replies' length is taken from an earlier run; else it
    is the maximum. cost: including the judge's calls; None if a model has no price, or if the currencies differ.
    misfits: sampled rows that don't render. seconds: the duration at the pace of that earlier run; None without one.
    """

    rows: int
    prompt_tokens: int
    completion_tokens: int
    is_from_replies: bool
    cost: Decimal | None
    currency: str
    sampled: int
    misfits: int
    seconds: float | None = None
    judge_prompt_tokens: int = 0
    judge_completion_tokens: int = 0


def estimate_run(  # noqa: PLR0913  # what a person chooses
    *,
    actor: Actor,
    template: str,
    ref: str = "latest",
    dataset: str | None = None,
    dataset_version: int | None = None,
    model: str = ECHO,
    judge: str | None = None,
    judge_model: str | None = None,
    judge_paths: Mapping[str, str] | None = None,
) -> RunEstimate:
    """Estimate what such a run costs, without asking or writing anything. Raises the same errors as `start_run`.

    Cached replies are counted as if they were requested.
    """
    template_row = template_queries.find_template(actor, Verb.EVALUATE, template)
    version = version_queries.resolve_version(actor, template, ref)
    endpoint = connection_queries.find_endpoint(model, template_row.namespace.name)
    rows = find_row_source(actor, template_row, dataset, dataset_version).rows
    choice = find_judge(actor, template_row.namespace.name, judge, judge_model, judge_paths or {})
    require_spending_left(template_row.namespace, actor.person, endpoint.name, *((choice.model,) if choice else ()))
    require_settings_taken(version, endpoint)
    require_some_row_fits(rows, version, dataset or gettext("the samples"))
    sample = _select_spread_rows(rows, _SAMPLE)
    outcomes = render_rows(version.unpacked(), sample)
    prompts = [outcome for outcome in outcomes if not isinstance(outcome, RenderError)]
    prompt_tokens = round(_compute_mean([_count(prompt) for prompt in prompts]) * len(rows))
    earlier = _find_earlier_run(template_row, endpoint)
    mean_reply = earlier.completion_tokens / (earlier.done - earlier.failed) if earlier else None
    seconds = _compute_row_seconds(earlier)
    reply = mean_reply if mean_reply is not None else _compute_mean([_find_longest_reply(prompt) for prompt in prompts])
    completion_tokens = round(reply * len(rows))
    judging = estimate_judge(choice, template_row.namespace.name, sample, len(rows), reply) if choice else None
    cost, currency = _compute_cost(endpoint, prompt_tokens, completion_tokens, judging)
    return RunEstimate(
        rows=len(rows),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        is_from_replies=mean_reply is not None,
        cost=cost,
        currency=currency,
        sampled=len(sample),
        misfits=len(sample) - len(prompts),
        seconds=None if seconds is None else seconds * len(rows),
        judge_prompt_tokens=judging.prompt_tokens if judging else 0,
        judge_completion_tokens=judging.completion_tokens if judging else 0,
    )


def _compute_cost(
    endpoint: Endpoint, prompt_tokens: int, completion_tokens: int, judging: JudgeEstimate | None
) -> tuple[Decimal | None, str]:
    """The cost of the model's calls and the judge's, with its currency; None and "" if there is no common price."""
    price = endpoint.price
    if price is None:
        return None, ""
    cost = price.compute_cost(prompt_tokens, completion_tokens)
    if judging is None:
        return cost, price.currency
    if judging.cost is None or judging.currency != price.currency:
        return None, ""
    return cost + judging.cost, price.currency


def join_estimates(estimates: Sequence[RunEstimate]) -> RunEstimate:
    """The total estimate for several runs; cost is None if one is unknown or currencies differ."""
    costs = [estimate.cost for estimate in estimates if estimate.cost is not None]
    currencies = {estimate.currency for estimate in estimates}
    is_known = len(costs) == len(estimates) and len(currencies) == 1
    times = [estimate.seconds for estimate in estimates if estimate.seconds is not None]
    return RunEstimate(
        rows=sum(estimate.rows for estimate in estimates),
        prompt_tokens=sum(estimate.prompt_tokens for estimate in estimates),
        completion_tokens=sum(estimate.completion_tokens for estimate in estimates),
        is_from_replies=all(estimate.is_from_replies for estimate in estimates),
        cost=sum(costs, Decimal(0)) if is_known else None,
        currency=currencies.pop() if is_known else "",
        sampled=sum(estimate.sampled for estimate in estimates),
        misfits=sum(estimate.misfits for estimate in estimates),
        seconds=sum(times) if len(times) == len(estimates) else None,
        judge_prompt_tokens=sum(estimate.judge_prompt_tokens for estimate in estimates),
        judge_completion_tokens=sum(estimate.judge_completion_tokens for estimate in estimates),
    )


def _select_spread_rows(rows: Sequence[Row], count: int) -> list[Row]:
    """`count` rows, spread evenly from the first to the last."""
    if len(rows) <= count:
        return list(rows)
    return [rows[index * (len(rows) - 1) // (count - 1)] for index in range(count)]


def _compute_mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _count(prompt: Mapping[str, Any]) -> int:
    return count_or_estimate(prompt["token_count"], json.dumps(prompt["messages"], ensure_ascii=False))


def _find_longest_reply(prompt: Mapping[str, Any]) -> int:
    return find_longest_reply(prompt["settings"], prompt["reserve"], otherwise=_USUAL_REPLY)


def _find_earlier_run(template: Template, endpoint: Endpoint) -> Run | None:
    """The template's newest run with this model that has replies, or None."""
    runs = Run.objects.filter(template=template, model_digest=endpoint.digest, state=Run.DONE, judge=None)
    run = runs.filter(completion_tokens__gt=0).order_by("-pk").first()
    return None if run is None or run.done == run.failed else run


def _compute_row_seconds(run: Run | None) -> float | None:
    """The mean seconds per row that the model was asked about; None without a run, or if all replies were cached."""
    if run is None or run.started_at is None or run.finished_at is None or run.done <= run.cached:
        return None
    return (run.finished_at - run.started_at).total_seconds() / (run.done - run.cached)
