"""Estimates of the tokens and cost of a run's judge calls, before anything is sent."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from promptuary.evaluation import EvaluationError, Row
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.errors import RenderError
from registry.connections import queries as connection_queries
from registry.connections.reply_limits import find_longest_reply
from registry.connections.spending import count_or_estimate
from registry.evaluations import judge_calls
from registry.evaluations.judge_choice import JudgeChoice
from registry.evaluations.row_fit import render_rows

__all__ = ["JudgeEstimate", "estimate_judge"]

_USUAL_JUDGEMENT = 800  # tokens, if neither the judge's settings nor its budget set a limit
_MAX_RESPONSE_LENGTH = 20_000  # words of the sample reply used in the estimate


@dataclass(frozen=True)
class JudgeEstimate:
    """Tokens of all the judge's calls, with replies of the maximum length; cost is None without a price."""

    prompt_tokens: int
    completion_tokens: int
    cost: Decimal | None
    currency: str


def estimate_judge(
    choice: JudgeChoice, namespace: str, sample: Sequence[Row], rows: int, reply_tokens: float
) -> JudgeEstimate:
    """Estimate by rendering the judge's template on the sampled rows with a reply of the given number of tokens. rows:
    the total number. Rows that lack what the judge reads are not counted.
    """
    endpoint = connection_queries.find_endpoint(choice.model, namespace)
    bundle = choice.version.unpacked()
    declared = parse_document(bundle["document"]).inputs
    response = "word " * min(_MAX_RESPONSE_LENGTH, max(1, round(reply_tokens)))
    questions = [Row(inputs) for row in sample if (inputs := _find_inputs(choice, declared, row, response)) is not None]
    prompt, reply = 0, 0
    for question, outcome in zip(questions, render_rows(bundle, questions), strict=True):
        if isinstance(outcome, RenderError):
            prompt += count_or_estimate(None, f"{bundle['document']}{json.dumps(question.inputs, ensure_ascii=False)}")
            reply += _USUAL_JUDGEMENT
        else:
            text = json.dumps(outcome["messages"], ensure_ascii=False)
            prompt += count_or_estimate(outcome["token_count"], text)
            reply += find_longest_reply(outcome["settings"], outcome["reserve"], otherwise=_USUAL_JUDGEMENT)
    prompt_tokens, completion_tokens = (round(tokens * rows / max(1, len(sample))) for tokens in (prompt, reply))
    price = endpoint.price
    return JudgeEstimate(
        prompt_tokens,
        completion_tokens,
        price.compute_cost(prompt_tokens, completion_tokens) if price else None,
        price.currency if price else "",
    )


def _find_inputs(
    choice: JudgeChoice, declared: Mapping[str, Any] | None, row: Row, response: str
) -> dict[str, Any] | None:
    """The inputs of the judge's template for the row with the reply `response`; None if the row lacks them."""
    places = judge_calls.find_places(choice.paths)
    actual: Any = response
    for step in reversed(places.response.split(".")[1:]):
        actual = {step: actual}
    try:
        values = places.find({"inputs": row.inputs, "expected": row.expected, "actual": actual})
    except EvaluationError:
        return None
    return judge_calls.pick_inputs(values, declared)
