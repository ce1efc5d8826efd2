"""Places in a change: lines of a version's document, or of one part of a rendered sample."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes.line_anchors import take_lines
from registry.changes.models import ChangeRequest
from registry.changes.thread_models import Thread
from registry.core.errors import Conflict, Invalid
from registry.templates import sample_renderings, version_queries
from registry.templates.models import Version

__all__ = ["Place", "quote_lines", "read_sample", "refuse_lines", "refuse_unrendered"]


@dataclass(frozen=True)
class Place:
    """A range of lines in a version, 1-based and inclusive: of its document, or of one part of a rendered sample."""

    version: int
    line: int
    end_line: int | None = None
    side: str = Thread.SOURCE
    sample: str = ""
    part: int = 0

    @property
    def last_line(self) -> int:
        """The last line of the range."""
        return self.end_line if self.end_line is not None else self.line


def quote_lines(actor: Actor, change: ChangeRequest, place: Place) -> tuple[Version, str]:
    """Return the version of a place and its lines there. Raises Invalid if it has no such lines. May render, so call it
    before a transaction.
    """
    version = version_queries.get_version(actor, change.template.name, place.version)
    text = version.document if place.side == Thread.SOURCE else _render_part(change, version, place)
    lines = take_lines(text, place.line, place.last_line)
    if lines is None:
        raise refuse_lines(place)
    return version, lines


def read_sample(change: ChangeRequest, place: Place) -> Mapping[str, Any]:
    """The data of a place's sample. Raises Invalid if there is no such sample."""
    sample_set = change.template.current_samples()
    samples = sample_set.samples if sample_set else {}
    if place.sample not in samples:
        raise Invalid(fields={"sample": gettext("there is no sample {value}.").format(value=f"{place.sample[:80]!r}")})
    sample: Mapping[str, Any] = samples[place.sample]
    return sample


def refuse_lines(place: Place) -> Invalid:
    """The error for lines that don't exist."""
    return Invalid(
        fields={
            "line": gettext("there are no lines {line} to {last_line} in version {version}.").format(
                line=place.line, last_line=place.last_line, version=place.version
            )
        }
    )


def refuse_unrendered(version: Version, place: Place) -> Conflict:
    """The error for a place in a rendering that fails."""
    return Conflict(
        gettext("Version {version} does not render with the sample {sample}.").format(
            version=version.number, sample=place.sample
        )
    )


def _render_part(change: ChangeRequest, version: Version, place: Place) -> str:
    data = read_sample(change, place)
    outcome = sample_renderings.render_samples(version, {place.sample: data})[place.sample]
    if outcome.prompt is None:
        raise refuse_unrendered(version, place)
    parts = outcome.prompt["parts"]
    if not 0 <= place.part < len(parts) or not isinstance(parts[place.part]["content"], str):
        raise Invalid(fields={"part": gettext("there is no part {part} with text in it.").format(part=place.part)})
    return str(parts[place.part]["content"])
