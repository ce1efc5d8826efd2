"""Asking a model for a better text with a prompt rendered from a template, then sent and counted.

A call counts as spent once it is sent, so that the prompt's tokens stay counted if the worker is killed; the count is
corrected when the reply arrives.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from promptuary.evaluation import ModelError
from promptuary.evaluation.models import Reply
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.errors import InputError, RenderError
from registry.connections import spending
from registry.connections.counted_calls import CountedAmount, CountedCall, ask_with_tries
from registry.connections.endpoint import Endpoint
from registry.connections.reply_limits import find_longest_reply
from registry.core.errors import Invalid, PromptuaryError
from registry.core.renderer_pool import borrow_renderer
from registry.core.sentences import end_sentence
from registry.evaluations.models import Run
from registry.improvements.failing_rows import FailingRow, describe_rows
from registry.improvements.models import Improvement
from registry.templates.models import Version

__all__ = ["INPUTS", "OUTPUTS", "AskedPrompt", "ask_model", "make_inputs", "render_asking", "require_asking_template"]

INPUTS = ("document", "rows", "problems")
"""The inputs that an asking template must declare; `guidance` and `earlier` are passed too."""
OUTPUTS = ("document", "explanation")
"""The outputs that its replies must have."""
_MAX_EARLIER_REPLY = 34_000  # the most characters of a reply that is sent back
_FIELDS = {"document": "run", "rows": "rows", "guidance": "guidance"}


@dataclass(frozen=True)
class AskedPrompt:
    """A prompt for a model. tokens: the registry's count of the prompt; longest_reply: the most tokens of a reply."""

    messages: list[dict[str, Any]]
    settings: Mapping[str, Any]
    tokens: int
    longest_reply: int


def require_asking_template(version: Version) -> None:
    """Raise Invalid for `prompt` if the version can't ask for an improvement because it lacks an input or an output."""
    version.require_text()
    document = parse_document(version.document)
    inputs = document.inputs or {}
    properties = document.output.get("schema", {}).get("properties", {})
    missing = [name for name in INPUTS if name not in inputs]
    missing += [f"output.{name}" for name in OUTPUTS if name not in properties]
    if missing:
        raise Invalid(
            fields={
                "prompt": gettext("{name} can't ask for an improvement: it lacks {missing}.").format(
                    name=version.template.name, missing=", ".join(missing)
                )
            }
        )


def make_inputs(
    run: Run, shown_rows: Sequence[FailingRow], guidance: str, earlier: str = "", problems: Sequence[str] = ()
) -> dict[str, Any]:
    """The inputs of the asking template. earlier, problems: of a reply that could not be used."""
    return {
        "document": run.version.document,
        "rows": describe_rows(run, shown_rows),
        "guidance": guidance,
        "earlier": earlier[:_MAX_EARLIER_REPLY],
        "problems": list(problems),
    }


def render_asking(version: Version, inputs: Mapping[str, Any]) -> AskedPrompt:
    """Render the asking template. Raises Invalid for the field that is too long: `rows`, `guidance`, or else
    `prompt`.
    """
    bundle = version.unpacked()
    try:
        with borrow_renderer() as bounded:
            prompts = bounded.render_all(
                bundle["document"], inputs, fragments=bundle["fragments"], profile=bundle["profile"]
            )
    except RenderError as error:
        first = error.path.partition(".")[0].partition("[")[0] if isinstance(error, InputError) and error.path else ""
        field = _FIELDS.get(first, "prompt")
        sentence = gettext("{name}@{number} can't be rendered for this run: {message}").format(
            name=version.template.name, number=version.number, message=error.message
        )
        raise Invalid(fields={field: end_sentence(sentence)}) from error
    if len(prompts) != 1:
        sentence = gettext("{name} makes {count} prompts for one improvement; it has to make one.")
        raise Invalid(fields={"prompt": sentence.format(name=version.template.name, count=len(prompts))})
    prompt = prompts[0]
    settings = prompt["settings"] or {}
    text = json.dumps(prompt["messages"], ensure_ascii=False)
    tokens = spending.count_or_estimate(prompt["token_count"], text)
    return AskedPrompt(prompt["messages"], settings, tokens, find_longest_reply(settings, prompt["reserve"]))


def ask_model(improvement: Improvement, endpoint: Endpoint, prompt: AskedPrompt) -> Reply:
    """Send the prompt. Its cost is counted for the improvement's person and stored in its row.

    Raises TooMany if a spending cap is reached and Conflict if the price can't be counted against it, before an attempt
    is sent, and ModelError without a reply.
    """
    text = json.dumps(prompt.messages, ensure_ascii=False)
    call = CountedCall(improvement.run.template.namespace, improvement.person, endpoint, text, prompt.tokens)
    model, calls_before = endpoint.open(), improvement.calls

    def settle(replies: Sequence[Reply]) -> None:
        with transaction.atomic():
            _add_counted(improvement, endpoint, call.settle(replies))

    def count_try(spent: Sequence[Reply]) -> None:
        settle(spent)
        with transaction.atomic():
            counted = call.count_try()
            improvement.calls = calls_before + 1  # a step counts as one call regardless of its retries
            _add_counted(improvement, endpoint, counted)

    try:
        reply = ask_with_tries(endpoint, model, prompt, prompt.settings, count_try)
    except (ModelError, PromptuaryError) as error:
        settle(error.spent if isinstance(error, ModelError) else ())
        if isinstance(error.__cause__, PromptuaryError):  # an attempt that is not permitted
            raise error.__cause__ from None
        raise
    settle([*reply.spent, reply])
    return reply


def _add_counted(improvement: Improvement, endpoint: Endpoint, counted: CountedAmount) -> None:
    """Add what was counted to the improvement's row."""
    improvement.add_spent(endpoint.price, counted.prompt_tokens, counted.completion_tokens)
    improvement.save(update_fields=["calls", "prompt_tokens", "completion_tokens", "cost", "currency"])
