"""The effect of a proposed change as a plain-text diff for mail: of the rendered prompt, else of the document."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from promptuary.renderer.syntax.sequence_diff import write_unified
from registry.changes import queries as change_queries
from registry.changes.models import ChangeRequest
from registry.core.errors import PromptuaryError
from registry.templates import sample_renderings
from registry.templates.models import Version
from registry.templates.sample_renderings import SampleOutcome

__all__ = ["MAX_LINES", "ProposalDiff", "compare_proposal"]

MAX_LINES = 200  # lines of the diff; the page of the change has the rest
_MAX_CHARACTERS = 500  # characters of a line
_MAX_SAMPLES = 60  # as many as the page compares
_HEAD = 2  # header lines of a unified diff


@dataclass(frozen=True)
class ProposalDiff:
    """The difference that a mail shows.

    heading: the sample or document that was compared. lines: a unified diff, without line ends; `…` replaces omitted
    lines in between. more: how many lines were omitted at the end.
    """

    heading: str
    lines: tuple[str, ...]
    more: int = 0


def compare_proposal(change: ChangeRequest) -> ProposalDiff | None:
    """Compare what the first differing sample renders to with the proposed version and with what the label serves.

    Falls back to the document. None if neither differs or a text was redacted. Renders versions without cached results;
    the caller has checked the right to read both versions.
    """
    old, new = change_queries.find_baseline(change), change.version
    if new.is_redacted or (old is not None and old.is_redacted):
        return None
    if old:
        sides = gettext("v{new} against v{old}, which {label} serves").format(
            new=new.number, old=old.number, label=change.label
        )
    else:
        sides = gettext("v{new}, all new").format(new=new.number)
    try:
        rendered = _compare_samples(old, new)
    except PromptuaryError:  # the renderer is busy: the document shows the change too
        rendered = None
    if rendered is not None:
        sample, before, after = rendered
        return _shorten(
            gettext("What the model reads with the sample {sample}: {sides}").format(sample=sample, sides=sides),
            before,
            after,
        )
    before, after = (old.document.splitlines() if old else []), new.document.splitlines()
    return _shorten(gettext("The document: {sides}").format(sides=sides), before, after)


def _compare_samples(old: Version | None, new: Version) -> tuple[str, list[str], list[str]] | None:
    """The first sample whose renderings differ, with the lines of each side."""
    sample_set = new.template.current_samples()
    samples = dict(list(sample_set.samples.items())[:_MAX_SAMPLES]) if sample_set else {}
    after = sample_renderings.render_samples(new, samples)
    before = sample_renderings.render_samples(old, samples) if old else {}
    for sample in samples:
        old_lines = _read_lines(before[sample]) if old else []
        new_lines = _read_lines(after[sample])
        if old_lines is not None and new_lines is not None and old_lines != new_lines:
            return sample, old_lines, new_lines
    return None


def _read_lines(outcome: SampleOutcome) -> list[str] | None:
    """The prompt as lines, each part under its name and role; None if it does not render."""
    if outcome.prompt is None:
        return None
    lines: list[str] = []
    for part in outcome.prompt["parts"]:
        lines += [f"[{part.get('role') or ''}] {part.get('name') or ''}".rstrip(), *_read_text(part).splitlines(), ""]
    return lines


def _read_text(part: Mapping[str, Any]) -> str:
    content = part["content"]
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)


def _shorten(heading: str, before: Sequence[str], after: Sequence[str]) -> ProposalDiff | None:
    """The changed lines with their context, shortened for a mail; None if there are none."""
    lines = [_clip_line(line) for line in write_unified(before, after, "", "", context=2)][_HEAD:]
    lines = ["…" if line.startswith("@@") else line for line in lines]
    lines = lines[1:] if lines[:1] == ["…"] else lines
    return ProposalDiff(heading, tuple(lines[:MAX_LINES]), max(len(lines) - MAX_LINES, 0)) if lines else None


def _clip_line(line: str) -> str:
    line = line.rstrip("\n")
    return line if len(line) <= _MAX_CHARACTERS else f"{line[: _MAX_CHARACTERS - 1]}…"
