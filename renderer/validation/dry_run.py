"""A dry run of a document without data: whether its body can produce parts at all, and how long they can get."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from promptuary.renderer import lower_bound
from promptuary.renderer.errors import DocumentError, RenderError
from promptuary.renderer.formats import Body
from promptuary.renderer.inputs import example_data
from promptuary.renderer.jinja import StandIns
from promptuary.renderer.part import Part
from promptuary.renderer.problems import Problem, Severity
from promptuary.renderer.template import Template
from promptuary.renderer.tokens.base import Tokenizer

__all__ = [
    "Trial",
    "check_least_case",
    "check_worst_case",
    "find_same_names",
    "find_structure_problems",
    "note_same_names",
    "run_trials",
]


@dataclass(frozen=True)
class Trial:
    """What the body gives for generated data: the parts of its prompts, or the error."""

    prompts: Sequence[Sequence[Part]] = ()
    error: RenderError | None = None


def run_trials(template: Template) -> list[Trial]:
    """Render generated data and placeholders. Generated data may be rejected for good reasons."""
    trials: list[Trial] = []
    for data in _generate_data(template):
        try:
            trials.append(Trial(template.body.build_parts(data)))
        except RenderError as error:
            trials.append(Trial(error=error))
    return trials


def find_structure_problems(template: Template, trials: Sequence[Trial]) -> list[Problem]:
    """Find errors in the author's own text that occur with any data.

    A placeholder answers every question alike, as real data might never do, so a problem seen in only one run is a
    warning.
    """
    problems: list[Problem] = []
    for error in (trial.error for trial in trials):
        # Other errors, including an empty result, may be caused by the generated data.
        is_structural = isinstance(error, DocumentError) and error.code.startswith(("PT1", "PT3"))
        if error and is_structural and (error.code != "PT311" or not template.body.list_names()):
            problems.append(error.to_problem())
    needed = 1 if template.document.inputs is not None or not template.body.list_names() else 2
    return [
        problem if number >= needed else replace(problem, severity="warning")
        for problem, number in Counter(problems).items()
    ]


def note_same_names(trials: Sequence[Trial]) -> list[Problem]:
    """Note if two parts that the author wrote have one name; the turns of one loop may share theirs."""
    for trial in trials:
        for parts in trial.prompts:
            written_parts = {(part.name, part.line): part for part in reversed(parts)}
            if problem := find_same_names(sorted(written_parts.values(), key=lambda part: part.line or 0)):
                return problem
    return []


def find_same_names(parts: Sequence[Part], sample: str | None = None) -> list[Problem]:
    """Note the first of the parts that share a name, if any."""
    counts = Counter(part.name for part in parts)
    for part in parts:
        if counts[part.name] > 1:
            message = f"{counts[part.name]} parts are named `{part.name}`; names help most when they differ"
            return [Problem("PT308", "note", message, part.line or 1, sample=sample)]
    return []


def _generate_data(template: Template) -> Iterator[Mapping[str, Any]]:
    inputs = template.document.inputs
    limit = {"token_limit": -1}
    if inputs is None:
        names = frozenset(template.body.list_names())
        for truth, iterates in ((True, True), (False, True), (False, False)):
            yield StandIns(names, truth=truth, iterates=iterates)
    else:
        yield {**{name: example_data.build_full(schema) for name, schema in inputs.items()}, **limit}
        yield {**{name: example_data.build_bare(schema) for name, schema in inputs.items()}, **limit}


def check_least_case(template: Template, tokenizer: Tokenizer) -> Iterator[Problem]:
    """Check whether the smallest prompt of the document exceeds its limit, so that no data can render it."""
    document = template.document
    limit = document.token_limit if document.token_limit is not None else template.context
    room = None if limit is None else limit - document.reserve
    if limit is None or room is None or room < 1:
        return
    tokens = lower_bound.count_least_prompt(template, tokenizer)
    if tokens <= room:
        return
    key = next((key for key in ("token_limit", "profile", "model") if key in document.front), "token_limit")
    place = document.place(key)
    severity: Severity = "error" if tokenizer.exact else "warning"
    message = (
        f"the parts that may not be cut take {tokens:,} tokens at least, markup counted; there is room for {room:,}, "
        f"{tokens - room:,} too few"
    )
    yield Problem("PT603", severity, message, place.line, place.column, place.end_line, place.end_column)


def check_worst_case(template: Template, tokenizer: Tokenizer) -> Iterator[Problem]:
    """Check whether the parts that may not be cut can exceed the limit, with each character of an input as a token."""
    document = template.document
    limit = document.token_limit
    if limit is None or document.inputs is None:
        return
    longest = example_data.Longest()
    data = {name: longest.value(schema, name) for name, schema in document.inputs.items()}
    if longest.size > 4_000_000:
        tokens = longest.size
    else:
        prompts = _render_prompts(template.body, {**data, "token_limit": limit})
        if prompts is None:
            return
        tokens = max((_compute_least_room(parts, tokenizer) for parts in prompts), default=0)
    place = document.place("token_limit")
    room = limit - document.reserve
    if tokens > room:
        message = f"in the worst case the parts that may not be cut take {tokens:,} tokens; there is room for {room:,}"
        yield Problem("PT602", "warning", message, place.line, place.column, place.end_line, place.end_column)
    elif longest.unbounded:
        first = longest.unbounded[0]
        limit_names = "maxItems" if first.endswith("]") else "maxLength or maxItems"
        message = f"`{first}` has no {limit_names}, so the longest prompt is not known"
        where = document.place("inputs", first.split(".")[0].split("[")[0])
        yield Problem("PT611", "note", message, where.line, where.column, variable=first)


def _render_prompts(body: Body, data: Mapping[str, Any]) -> Sequence[Sequence[Part]] | None:
    try:
        return body.build_parts(data)
    except RenderError:
        return None


def _compute_least_room(parts: Sequence[Part], tokenizer: Tokenizer) -> int:
    """The tokens of one prompt's parts that may not be cut."""
    return sum(_estimate_most_tokens(part, tokenizer) for part in parts if part.truncation_priority <= 0)


def _estimate_most_tokens(part: Part, tokenizer: Tokenizer) -> int:
    if not isinstance(part.content, str):
        return 0
    own_tokens, at, printed = [], 0, 0
    for mark in part.marks:
        own_tokens.append(part.content[at : mark.start])
        printed += mark.end - mark.start
        at = mark.end
    own_tokens.append(part.content[at:])
    return printed + sum(tokenizer.count(text) for text in own_tokens if text)
