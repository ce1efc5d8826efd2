"""One look at the text on the desk: what is wrong with it, what the model would read, and how many tokens that takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from frontend.browse.label_status import live_label
from frontend.diff import rendered
from frontend.diff import text as diff_text
from frontend.editor.state import EditorState
from frontend.editor.token_budget import Budget, token_budget
from promptuary.renderer.problems import Problem
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, PromptuaryError
from registry.templates import document_check, label_queries, preview, version_queries
from registry.templates.models import Version

__all__ = ["ComparedVersion", "Preview", "SampleResult", "build_preview", "render_samples"]

# A list this long is not compared by eye; each costs a rendering.
MOST_SAMPLES = 40


@dataclass(frozen=True)
class ComparedVersion:
    """The version the text is measured by: what production serves, else the one it was made from."""

    version: Version
    words: str


@dataclass(frozen=True)
class Preview:
    """What was found. `inputs` are the declared schemas, None where the front matter cannot be read.

    `names` are variables that an undeclared text is known to use. `messages` and `budget` are None where nothing could be rendered;
    then `stopped` is the problem that stopped it. `stand_in` names the version shown instead of the text. `changed_lines` counts against `against`.
    `uncounted` says why there is no budget, where the prompt fits and the server lacks the vocabulary.
    """

    problems: list[Problem]
    inputs: Mapping[str, Any] | None
    names: list[str]
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

    @property
    def prompt_numbers(self) -> range:
        """Indices to choose from where the inputs give several prompts; a long run is cut to what can be picked."""
        return range(min(self.prompts, 24))

    @property
    def errors(self) -> int:
        return sum(problem.severity == "error" for problem in self.problems)


def build_preview(actor: Actor, desk: EditorState) -> Preview:
    """Check and render what is on the desk, and set it against production.

    A text that does not render is stood in for by the version it is set against, so that there is something to read.
    """
    examined = document_check.examine(actor, desk.document, _sound_samples(desk))
    against = _against(actor, desk)
    shown: dict[str, Any] | None = None
    stopped = None
    try:
        shown = preview.render_examined(examined=examined, data=desk.data, target=desk.target, index=desk.prompt)
    except PromptuaryError as error:
        stopped = _reason(error, examined.problems)
    prompts = shown["prompts"] if shown else 1
    other = _render_other(actor, desk, against, several=prompts > 1)
    shown = shown or other
    against_words = against.words if against else ""
    return Preview(
        examined.problems,
        examined.document.inputs if examined.document else None,
        _names(desk, stopped),
        messages=rendered.messages(shown.get("preview") or shown["parts"]) if shown else None,
        text=shown.get("text") if shown else None,
        cut=shown["cut"] if shown else [],
        budget=token_budget(shown, None if stopped else other, against_words) if shown and _is_counted(shown) else None,
        uncounted=str(shown["tokenizer"].get("missing", "")) if shown else "",
        prompts=prompts,
        stopped=stopped,
        stand_in=against_words if stopped and shown else "",
        against=against,
        changed_lines=_changed_lines(against, desk.document),
    )


def _is_counted(shown: Mapping[str, Any]) -> bool:
    return shown["token_count"] is not None


@dataclass(frozen=True)
class SampleResult:
    """The text rendered on one sample: how many tokens, or what stopped it. `worst` marks the largest."""

    name: str
    tokens: int | None
    cut: int = 0
    stopped: str = ""
    worst: bool = False


def render_samples(actor: Actor, desk: EditorState) -> list[SampleResult]:
    """The text on every sample, in their order (the first forty)."""
    examined = document_check.examine(actor, desk.document)
    tried: list[SampleResult] = []
    for name, data in list(desk.samples.items())[:MOST_SAMPLES]:
        try:
            shown = preview.render_examined(examined=examined, data=data)
        except PromptuaryError as error:
            tried.append(SampleResult(name, None, stopped=_reason(error, examined.problems).message))
        else:
            tried.append(SampleResult(name, shown["token_count"], len(shown["cut"])))
    most = max((each.tokens or 0 for each in tried), default=0)
    return [replace(each, worst=len(tried) > 1 and each.tokens == most) for each in tried]


def _names(desk: EditorState, stopped: Problem | None) -> list[str]:
    """Variables that an undeclared text is known to use: those it was given, and the one it misses."""
    missing = [stopped.variable] if stopped and stopped.variable else []
    return [*desk.data, *missing]


def _sound_samples(desk: EditorState) -> dict[str, dict[str, Any]] | None:
    """Samples that cannot be kept at all must not hide what is wrong with the text."""
    try:
        document_check.write_samples(desk.samples)
    except PromptuaryError:
        return None
    return desk.samples


def _reason(error: PromptuaryError, problems: list[Problem]) -> Problem:
    """The problem that stopped the rendering, with its place where one is known."""
    if isinstance(error, Invalid) and error.problems:
        return error.problems[0]
    found = [problem for problem in problems if problem.severity == "error"]
    return found[0] if found else Problem("PT206", "error", error.message)


def _against(actor: Actor, desk: EditorState) -> ComparedVersion | None:
    if desk.template is None:
        return None
    live = label_queries.of(desk.template).get(live_label(desk.namespace))
    if live is not None:
        return ComparedVersion(
            version_queries.get(actor, desk.name, live.version.number), f"{live.name} v{live.version.number}"
        )
    return ComparedVersion(desk.base, f"v{desk.base.number}") if desk.base else None


def _render_other(
    actor: Actor, desk: EditorState, against: ComparedVersion | None, *, several: bool
) -> dict[str, Any] | None:
    """The other version on the same data; None where it cannot take them."""
    if against is None:
        return None
    try:
        return preview.render(
            actor=actor,
            name=desk.name,
            ref=str(against.version.number),
            data=desk.data,
            target="messages",
            index=desk.prompt if several else None,
        )
    except PromptuaryError:
        return None


def _changed_lines(against: ComparedVersion | None, document: str) -> int:
    if against is None:
        return 0
    _, counts = diff_text.folded_diff(against.version.remaining, document)
    return max(counts.added, counts.removed)
