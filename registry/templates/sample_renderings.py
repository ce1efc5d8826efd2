"""Renderings of samples: each pair of digests is rendered once, for all pages and checks."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from promptuary.renderer.errors import LimitError, RenderError
from promptuary.renderer.problems import Problem
from registry.core.renderer_pool import borrow_renderer, list_sources
from registry.journal import log
from registry.journal.event import compute_digest, format_canonical_json
from registry.templates.models import Rendering, Version

__all__ = ["MAX_COMPARED", "SampleOutcome", "find_differing_sample", "render_samples"]

MAX_COMPARED = 60
"""A comparison shows at most this many samples; the checks cover all of them."""


@dataclass(frozen=True)
class SampleOutcome:
    """The rendering of a version with a sample: the renderer's dict for messages, or the problem that stopped it.

    Each part has `source_lines`: for each of its lines, the lines of the document that it comes from.
    """

    prompt: dict[str, Any] | None
    problem: Problem | None


def render_samples(version: Version, samples: Mapping[str, Mapping[str, Any]]) -> dict[str, SampleOutcome]:
    """Render a version with every sample, in the samples' order; one query, plus a child process for what is not
    cached.

    The caller has checked the right to read the version.
    """
    data = {name: compute_digest(format_canonical_json(values)) for name, values in samples.items()}
    rows = Rendering.objects.filter(digest=version.digest, data__in=set(data.values()))
    outcomes = {row.data: outcome for row in rows if _is_traced(outcome := _build_outcome(row))}
    missing = {name: values for name, values in samples.items() if data[name] not in outcomes}
    fresh = _render(version, missing) if missing else {}
    _keep(version, {data[name]: outcome for name, outcome in fresh.items()})
    return {name: outcomes.get(data[name]) or fresh[name] for name in samples}


def find_differing_sample(before: Mapping[str, SampleOutcome], after: Mapping[str, SampleOutcome]) -> str:
    """The first sample whose prompt differs between before and after; the first sample if none differs."""
    differing = (name for name in after if name not in before or _read(before[name]) != _read(after[name]))
    return next(differing, next(iter(after), ""))


def _read(outcome: SampleOutcome) -> Any:
    """The part of an outcome that a model sees, or the problem."""
    if outcome.prompt is None:
        return outcome.problem.message if outcome.problem else ""
    return [(part.get("name"), part.get("role"), part.get("content")) for part in outcome.prompt["parts"]]


def _render(version: Version, samples: Mapping[str, Mapping[str, Any]]) -> dict[str, SampleOutcome]:
    bundle = version.unpacked()
    try:
        with borrow_renderer() as bounded:
            renderings = bounded.render_samples(bundle["document"], samples, **list_sources(bundle), traced=True)
    except RenderError as error:
        return dict.fromkeys(samples, SampleOutcome(None, error.to_problem()))
    return {
        name: SampleOutcome(None, rendering.to_problem())
        if isinstance(rendering, RenderError)
        else SampleOutcome(rendering, None)
        for name, rendering in renderings.items()
    }


def _keep(version: Version, outcomes: Mapping[str, SampleOutcome]) -> None:
    at = log.now()
    rows = [
        Rendering(
            digest=version.digest,
            data=data,
            text=json.dumps(outcome.prompt or (outcome.problem.to_dict() if outcome.problem else {})),
            is_problem=outcome.problem is not None,
            created_at=at,
        )
        for data, outcome in outcomes.items()
        if outcome.problem is None or outcome.problem.code not in _PASSING
    ]
    if rows:
        with transaction.atomic():
            Rendering.objects.bulk_create(
                rows,
                update_conflicts=True,
                unique_fields=["digest", "data"],
                update_fields=["text", "is_problem", "created_at"],
            )


def _build_outcome(row: Rendering) -> SampleOutcome:
    return SampleOutcome(None, Problem.from_dict(row.value)) if row.is_problem else SampleOutcome(row.value, None)


def _is_traced(outcome: SampleOutcome) -> bool:
    """Whether a cached rendering has source lines; those of earlier releases are rendered again."""
    return outcome.prompt is None or all("source_lines" in part for part in outcome.prompt["parts"])


_PASSING = {LimitError.default_code, "PT701", "PT703"}  # limits of time and memory: another attempt may succeed
