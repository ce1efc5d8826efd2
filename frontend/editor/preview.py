"""The editor's preview: the problems of a text, its rendered prompt and its token budget."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from frontend.diff import rendered
from frontend.diff import text as diff_text
from frontend.editor.example_documents import list_example_values
from frontend.editor.notices import Notices, list_notices
from frontend.editor.sample_edits import list_spent_samples, remove_sample
from frontend.editor.state import STARTER_SAMPLES, EditorState, select_sample
from frontend.editor.token_budget import Budget, build_token_budget
from promptuary.renderer.document import parser as documents
from promptuary.renderer.document.parser import Document
from promptuary.renderer.problems import Problem
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, PromptuaryError
from registry.namespaces.queries import choose_live_label
from registry.templates import document_check, label_queries, preview, version_queries
from registry.templates.document_check import CheckedDocument, PreviewRequest, ReadDocument
from registry.templates.models import Version

__all__ = [
    "ComparedVersion",
    "Preview",
    "build_preview",
    "drop_spent_samples",
    "find_stopping_problem",
    "is_long",
    "start_preview",
]

LONG = 50_000
"""Texts of this many characters or more open before their preview is made."""

_PATH_END = re.compile(r"[.,\[]")


@dataclass(frozen=True)
class ComparedVersion:
    """The version that the text is compared with: the live one, else the one it is based on."""

    version: Version
    words: str


@dataclass(frozen=True)
class Preview:
    """The text checked and rendered.

    `undeclared` are the inputs that the text uses without declaring them, with inferred schemas. `messages` and
    `budget` are None if nothing could be rendered; then `stopped` is the reason. `stand_in` names the version shown
    instead of the text. `changed_lines` counts lines that differ from `against`. `uncounted` says why there is no
    budget, if the server lacks the vocabulary. `placeholders` are the paths of missing values. `spent_samples` are
    samples of the example document that were removed with its inputs. `document` is the parsed text, None if its front
    matter cannot be read. `context` is the model's context size in tokens, None if unknown. `pending`: nothing is
    checked or rendered yet.
    """

    problems: list[Problem]
    document: Document | None
    undeclared: Mapping[str, Any]
    messages: list[rendered.Message] | None = None
    text: str | None = None
    cut: list[Mapping[str, Any]] = field(default_factory=list)
    budget: Budget | None = None
    prompts: int = 1
    stopped: Problem | None = None
    stand_in: str = ""
    against: ComparedVersion | None = None
    changed_lines: int = 0
    uncounted: str = ""
    placeholders: list[str] = field(default_factory=list)
    notices: Notices = field(default_factory=Notices)
    spent_samples: list[str] = field(default_factory=list)
    context: int | None = None
    pending: bool = False

    @property
    def inputs(self) -> Mapping[str, Any] | None:
        """The declared schemas, empty if the document declares none; None if its front matter cannot be read."""
        return (self.document.inputs or {}) if self.document else None

    @property
    def inputs_without_value(self) -> int:
        """How many inputs have a placeholder in the prompt; a group or a list counts once."""
        return len({_PATH_END.split(path, maxsplit=1)[0] for path in self.placeholders})

    @property
    def prompt_numbers(self) -> range:
        """The indices to choose from if the inputs produce several prompts, limited to a usable number."""
        return range(min(self.prompts, 24))

    @property
    def errors(self) -> int:
        """How many problems are errors."""
        return sum(problem.severity == "error" for problem in self.problems)


def is_long(document: str) -> bool:
    """Whether checking and rendering the text takes so long that its page should open first."""
    return len(document) >= LONG


def start_preview(state: EditorState) -> Preview:
    """The declared inputs and settings of a text that is not checked yet; the editor's script asks for the rest."""
    document, _ = documents.inspect_document(state.document)
    return Preview([], document, {}, pending=True)


def build_preview(actor: Actor, state: EditorState) -> Preview:
    """Check and render the text, and compare it with the live version.

    If the text doesn't render, the preview shows the version it is compared with. Samples of an example whose inputs no
    longer exist are removed from the state.
    """
    examined = _check(actor, state)
    spent = drop_spent_samples(state, examined)
    if spent:
        examined = _check(actor, state)
    against = _find_compared_version(actor, state)
    prompt: dict[str, Any] | None = None
    stopped = None
    try:
        prompt = preview.render_examined_document(
            examined=examined, data=state.data, target=state.target, index=state.prompt, with_placeholders=True
        )
    except PromptuaryError as error:
        stopped = find_stopping_problem(error, examined.problems)
    prompts = prompt["prompts"] if prompt else 1
    compared = _render_other(actor, state, against, several=prompts > 1)
    prompt = prompt or compared
    against_words = against.words if against else ""
    return Preview(
        examined.problems,
        examined.document,
        {undeclared.name: undeclared.schema for undeclared in examined.undeclared.inputs},
        messages=_build_messages(prompt),
        text=prompt.get("text") if prompt else None,
        cut=prompt["cut"] if prompt else [],
        budget=build_token_budget(prompt, None if stopped else compared, against_words)
        if prompt and _is_counted(prompt)
        else None,
        uncounted=str(prompt["tokenizer"].get("missing", "")) if prompt else "",
        prompts=prompts,
        stopped=stopped,
        stand_in=against_words if stopped and prompt else "",
        against=against,
        changed_lines=_count_changed_lines(against, state.document),
        placeholders=prompt.get("placeholders", []) if prompt else [],
        notices=list_notices(examined, state.document, state.samples, state.sample, stopped),
        spent_samples=spent,
        context=_find_model_context(examined),
    )


def _check(actor: Actor, state: EditorState) -> CheckedDocument:
    return document_check.check_document(
        actor,
        state.document,
        _select_storable_samples(state),
        name=state.name,
        preview=PreviewRequest(state.data, state.target),
    )


def _find_model_context(examined: CheckedDocument) -> int | None:
    profile = json.loads(examined.bundle)["profile"] if examined.bundle else None
    return profile.get("context") if profile else None


def drop_spent_samples(state: EditorState, examined: ReadDocument) -> list[str]:
    """Remove an example's samples from the state of a never saved template if the text no longer uses their inputs;
    returns their names.
    """
    used = examined.undeclared.used
    if state.latest is not None or used is None:
        return []
    spent = list_spent_samples(state.samples, [*list_example_values(), *STARTER_SAMPLES.values()], used)
    for name in spent:
        state.samples = remove_sample(state.samples, name)
    if spent:
        select_sample(state, state.sample)
    return spent


def _build_messages(prompt: Mapping[str, Any] | None) -> list[rendered.Message] | None:
    if prompt is None:
        return None
    return rendered.build_messages(prompt.get("preview") or prompt["parts"], prompt.get("placeholders", ()))


def _is_counted(prompt: Mapping[str, Any]) -> bool:
    return prompt["token_count"] is not None


def _select_storable_samples(state: EditorState) -> dict[str, dict[str, Any]] | None:
    """The samples, or None if they can't be stored: their problem must not hide those of the text."""
    try:
        document_check.write_samples(state.samples)
    except PromptuaryError:
        return None
    return state.samples


def find_stopping_problem(error: PromptuaryError, problems: list[Problem]) -> Problem:
    """The problem that prevented rendering, with its place if known."""
    if isinstance(error, Invalid) and error.problems:
        return error.problems[0]
    errors = [problem for problem in problems if problem.severity == "error"]
    return errors[0] if errors else Problem("PT206", "error", error.message)


def _find_compared_version(actor: Actor, state: EditorState) -> ComparedVersion | None:
    if state.template is None:
        return None
    live = label_queries.list_labels(state.template).get(choose_live_label(state.namespace))
    if live is not None:
        number = live.version.number
        version = version_queries.resolve_template_version(actor, state.template, str(number))
        return ComparedVersion(version, f"{live.name} v{number}")
    return ComparedVersion(state.base, f"v{state.base.number}") if state.base else None


def _render_other(
    actor: Actor, state: EditorState, against: ComparedVersion | None, *, several: bool
) -> dict[str, Any] | None:
    """Render the other version on the same data; None if it fails."""
    if against is None:
        return None
    try:
        return preview.render_compared_version(
            actor=actor,
            name=state.name,
            number=against.version.number,
            data=state.data,
            index=state.prompt if several else None,
        )
    except PromptuaryError:
        return None


def _count_changed_lines(against: ComparedVersion | None, document: str) -> int:
    if against is None:
        return 0
    _, counts = diff_text.build_folded_diff(against.version.remaining, document)
    return max(counts.added, counts.removed)
