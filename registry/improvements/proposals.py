"""Proposals: strict parsing of a model's reply, and checks of its text as for a save and by additional rules.

Only the body and the description may change, and inputs if the reply says how. Marks of untrusted data and fragments
must stay the same, so that an injected text in the rows can neither unlock a value nor fetch a fragment.
"""

# no texts here: problems are told to the model, and stored

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from promptuary.renderer.document.parser import Document, parse_document
from promptuary.renderer.errors import RenderError
from promptuary.renderer.problems import Problem, select_errors
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, TooLarge
from registry.core.input_checks import DOCUMENT_BYTES, check_text
from registry.core.renderer_pool import borrow_renderer, list_sources
from registry.core.sentences import end_sentence
from registry.improvements.model_asking import OUTPUTS
from registry.templates import document_check
from registry.templates.document_check import CheckedDocument
from registry.templates.models import Version

__all__ = ["Proposal", "ProposalRefused", "check_proposal", "read_proposal"]

_MAX_PROBLEMS = 10
_MAX_PROBLEM_LENGTH = 500
_MAX_EXPLANATION_LENGTH = 2000
_FREE = ("description", "inputs")  # keys of the front matter that may change, the second one if the reply says so


class ProposalRefused(Exception):
    """A reply that can't be used. problems: the reasons, one sentence each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = [problem[:_MAX_PROBLEM_LENGTH] for problem in problems[:_MAX_PROBLEMS]]


@dataclass(frozen=True)
class Proposal:
    """What a reply proposes: the whole text, a short explanation, and how the inputs change, one sentence each."""

    document: str
    explanation: str
    input_changes: tuple[str, ...]


def read_proposal(bundle: Mapping[str, Any], inputs: Mapping[str, Any], reply: str) -> Proposal:
    """Parse the reply by the asking template's output rules and the requirements of every improvement.

    bundle: of that template; inputs: those it was rendered with. Raises ProposalRefused.
    """
    try:
        with borrow_renderer() as bounded:
            outputs = bounded.read(bundle["document"], reply, inputs, **list_sources(bundle))
    except RenderError as error:
        raise ProposalRefused([end_sentence(error.message)]) from error
    results = outputs.get("results")
    value = results[0] if isinstance(results, list) and len(results) == 1 else outputs
    if not isinstance(value, Mapping):
        raise ProposalRefused(["The reply has to be one JSON object with document and explanation."])
    return _require_form(value)


def _require_form(fields: Mapping[str, Any]) -> Proposal:
    document, explanation = fields.get("document"), fields.get("explanation")
    changes = fields.get("input_changes") or []
    problems = [f"The reply has to have the text {name}." for name in OUTPUTS if not _is_text(fields.get(name))]
    if not isinstance(changes, list) or not all(_is_text(change) for change in changes):
        problems.append("input_changes has to be a list of sentences.")
    if problems:
        raise ProposalRefused(problems)
    text = str(document).replace("\r\n", "\n")
    shortened = tuple(str(change).strip()[:_MAX_PROBLEM_LENGTH] for change in changes[:_MAX_PROBLEMS])
    return Proposal(text, str(explanation).strip()[:_MAX_EXPLANATION_LENGTH], shortened)


def check_proposal(actor: Actor, base: Version, proposal: Proposal) -> CheckedDocument:
    """Check that the proposed text could be saved. base: the version to improve.

    Raises ProposalRefused with all problems, Gone if the version was redacted, and DocumentError if the version's text
    can't be parsed for comparison.
    """
    before = parse_document(base.document)
    try:
        check_text("document", proposal.document, DOCUMENT_BYTES)
        samples = base.template.current_samples()
        checked = document_check.check_document(
            actor, proposal.document, samples.samples if samples else None, name=base.template.name
        )
    except (Invalid, TooLarge) as error:
        raise ProposalRefused([error.message]) from error
    problems = [_describe_problem(problem) for problem in select_errors(checked.problems)]
    if checked.document is None or not checked.bundle:
        raise ProposalRefused(problems or ["The text can't be read as a template."])
    problems = [*_find_rule_breaks(base, before, checked.document, checked, proposal), *problems]
    if problems:
        raise ProposalRefused(problems)
    return checked


def _find_rule_breaks(
    base: Version, before: Document, after: Document, checked: CheckedDocument, proposal: Proposal
) -> Iterator[str]:
    """Forbidden changes in the text, one sentence each. before, after: both texts, parsed."""
    bundle = base.unpacked()
    if checked.digest == base.digest:
        yield "The text is the same as before: nothing is improved."
    yield from _compare_settings(before, after)
    added_fragments = sorted(set(checked.fragment_texts) - set(bundle["fragments"]))
    if added_fragments:
        yield f"The text uses a fragment that the template did not use: {', '.join(added_fragments)}."
    yield from _compare_inputs(bundle, before, after, checked, proposal)


def _compare_settings(before: Document, after: Document) -> Iterator[str]:
    names = {**before.front, **after.front}
    changed_names = [name for name in names if name not in _FREE and before.front.get(name) != after.front.get(name)]
    if changed_names:
        yield f"Settings may not change; these did: {', '.join(sorted(changed_names))}. Only the description may."


def _compare_inputs(
    bundle: Mapping[str, Any], before: Document, after: Document, checked: CheckedDocument, proposal: Proposal
) -> Iterator[str]:
    was, now = before.inputs or {}, after.inputs or {}
    if lost := sorted(_list_untrusted(was) - _list_untrusted(now)):
        yield f"What is marked as untrusted stays marked; these are not any more: {', '.join(lost)}."
    if (before.inputs is None) != (after.inputs is None):
        yield "Inputs that are declared stay declared, and none are declared where none were."
        return
    if proposal.input_changes:
        return
    if was != now:
        yield "The inputs differ, and input_changes does not say how: say it, or give them back as they were."
        return
    try:
        with borrow_renderer() as bounded:
            changes = bounded.compare(bundle, json.loads(checked.bundle))
    except RenderError as error:
        yield end_sentence(error.message)
        return
    for change in changes:
        if change["breaking"]:
            yield f"Callers would break, and input_changes does not say so: {change['message']}."


def _list_untrusted(inputs: Mapping[str, Any]) -> set[str]:
    """The paths of inputs and nested values that are marked as untrusted."""
    return {path for name, schema in inputs.items() for path in _walk_marks(schema, name)}


def _walk_marks(schema: Any, path: str) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if schema.get("untrusted"):
            yield path
        for name, value in schema.items():
            yield from _walk_marks(value, f"{path}.{name}")
    elif isinstance(schema, list):
        for place, value in enumerate(schema):
            yield from _walk_marks(value, f"{path}.{place}")


def _describe_problem(problem: Problem) -> str:
    where = f" of the sample {problem.sample}" if problem.sample else ""
    return f"Line {problem.line}{where}, {problem.code}: {end_sentence(problem.message)}"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
