"""Versions rendered on samples: one version, or two compared on every sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext

from frontend.diff import rendered
from frontend.diff.part_diffs import read_text
from registry.accounts.actor import Actor
from registry.core.errors import Busy, Invalid, PromptuaryError
from registry.templates import preview, sample_renderings
from registry.templates.models import Version
from registry.templates.sample_renderings import SampleOutcome

__all__ = [
    "LIMIT",
    "RenderFailure",
    "RenderedSample",
    "SampleComparison",
    "compare_samples",
    "preview_of_outcome",
    "render_sample",
]


@dataclass(frozen=True)
class RenderFailure:
    """Why nothing could be rendered: a code, a sentence, the line of the document."""

    code: str
    message: str
    line: int | None = None


@dataclass(frozen=True)
class RenderedSample:
    """A rendered prompt, or the failure to render it. `parts` are as returned by the renderer, with spans.

    `ignored` names the data that the document doesn't declare.
    """

    parts: Sequence[Mapping[str, Any]] = ()
    cut: Sequence[Mapping[str, Any]] = ()
    ignored: Sequence[str] = ()
    token_count: int | None = None
    limit: int | None = None
    exact: bool = True
    failure: RenderFailure | None = None

    @property
    def messages(self) -> list[rendered.Message]:
        return rendered.build_messages(self.parts)

    @property
    def summary(self) -> str:
        """`2,430 of 5,200 tokens, nothing cut`"""
        if self.token_count is None:
            return ""
        if self.limit:
            words = (
                gettext("{count} of {limit} tokens")
                if self.exact
                else gettext("{count} of {limit} tokens, an estimate")
            )
        else:
            words = gettext("{count} tokens") if self.exact else gettext("{count} tokens, an estimate")
        words = words.format(count=_group(self.token_count), limit=_group(self.limit or 0))
        cut_tokens = sum(int(entry.get("tokens") or 0) for entry in self.cut)
        if self.cut:
            return gettext("{tokens}, {cut} cut").format(tokens=words, cut=_group(cut_tokens))
        return gettext("{tokens}, nothing cut").format(tokens=words)


def _group(number: int) -> str:
    return number_format(number, force_grouping=True)


def render_sample(actor: Actor, name: str, number: int, data: Mapping[str, Any]) -> RenderedSample:
    """Render the version on this data; errors are returned as a failure, never raised."""
    try:
        result = preview.render_prompt(actor=actor, name=name, ref=str(number), data=dict(data), target="messages")
    except Invalid as error:
        return RenderedSample(failure=_describe_failure(error))
    except Busy as error:
        return RenderedSample(failure=RenderFailure("", f"{error.message} {gettext('Reload to try again.')}"))
    except PromptuaryError as error:
        return RenderedSample(failure=RenderFailure("", error.message))
    return _read_prompt(result)


def preview_of_outcome(outcome: SampleOutcome) -> RenderedSample:
    """The rendering of a sample that is already stored, or its failure."""
    if outcome.prompt is not None:
        return _read_prompt(outcome.prompt)
    problem = outcome.problem
    return RenderedSample(
        failure=RenderFailure(problem.code, problem.message, problem.line) if problem else RenderFailure("", "")
    )


def _read_prompt(result: Mapping[str, Any]) -> RenderedSample:
    limit = result.get("token_limit")
    return RenderedSample(
        parts=result.get("parts") or (),
        cut=result.get("cut") or (),
        ignored=result.get("ignored") or (),
        token_count=result.get("token_count"),
        limit=limit - (result.get("reserve") or 0) if limit else None,
        exact=bool((result.get("tokenizer") or {}).get("exact", True)),
    )


def _describe_failure(error: Invalid) -> RenderFailure:
    if not error.problems:
        return RenderFailure("", error.message)
    problem = error.problems[0]
    return RenderFailure(problem.code, problem.message, problem.line)


LIMIT = sample_renderings.MAX_COMPARED


@dataclass(frozen=True)
class SampleComparison:
    """One sample on both sides; an empty preview for a side that doesn't exist."""

    name: str
    old: RenderedSample
    new: RenderedSample

    @property
    def differs(self) -> bool:
        """Whether the rendered text differs, or one side fails to render."""
        return _read(self.old) != _read(self.new)

    @property
    def newly_cut(self) -> list[str]:
        """Parts that are cut now and weren't before, each once."""
        before = {str(entry.get("name")) for entry in self.old.cut}
        return [name for name in dict.fromkeys(str(entry.get("name")) for entry in self.new.cut) if name not in before]


def compare_samples(
    old: Version | None, new: Version, samples: Mapping[str, Mapping[str, Any]]
) -> list[SampleComparison]:
    """Compare the samples in order; two queries, and renders only what isn't stored yet."""
    before = _render_previews(old, samples) if old else {}
    after = _render_previews(new, samples)
    return [SampleComparison(name, before.get(name, RenderedSample()), after[name]) for name in samples]


def _render_previews(version: Version, samples: Mapping[str, Mapping[str, Any]]) -> dict[str, RenderedSample]:
    try:
        outcomes = sample_renderings.render_samples(version, samples)
    except PromptuaryError as error:
        failure = RenderFailure("", f"{error.message} {gettext('Reload to try again.')}")
        return dict.fromkeys(samples, RenderedSample(failure=failure))
    return {name: preview_of_outcome(outcome) for name, outcome in outcomes.items()}


def _read(preview: RenderedSample) -> list[tuple[str, str, str]] | str:
    if preview.failure:
        return preview.failure.message
    return [(str(part.get("name")), str(part.get("role")), read_text(part)) for part in preview.parts]
