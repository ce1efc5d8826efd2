"""How much a label's move changes: lines of the source, tokens on a sample, and the inputs callers have to send."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from promptuary.renderer.errors import RenderError
from promptuary.renderer.syntax import sequence_diff
from registry.changes.label_preview import LabelPreview
from registry.core.errors import PromptuaryError
from registry.core.renderer_pool import borrow_renderer
from registry.templates import sample_renderings
from registry.templates.models import Version
from registry.templates.sample_renderings import SampleOutcome

__all__ = ["InputChanges", "MoveSize", "find_move_size"]


@dataclass(frozen=True)
class InputChanges:
    """The differences in what callers of the served version have to send to the other one. added: newly required
    inputs. narrowed: inputs whose accepted values shrink, so that a value accepted before may be refused.
    """

    added: tuple[str, ...] = ()
    narrowed: tuple[str, ...] = ()


@dataclass(frozen=True)
class MoveSize:
    """How much a move changes.

    lines: changed lines of the source, the larger of added and removed. sample: the first one whose rendering differs,
    else the first, empty without samples. tokens: the difference on it, all of them if the label is not set, None if a
    side does not render. inputs: None if a version cannot be read.
    """

    lines: int
    sample: str
    tokens: int | None
    inputs: InputChanges | None


def find_move_size(preview: LabelPreview, sample: str = "") -> MoveSize | None:
    """The size of a previewed move; None if the text of a side was redacted. sample: the one to count tokens on."""
    old, new = preview.serves, preview.version
    if new.is_redacted or (old is not None and old.is_redacted):
        return None
    sample, tokens = _count_tokens(preview, sample)
    return MoveSize(_count_lines(old, new), sample, tokens, _compare_inputs(old, new))


def _count_lines(old: Version | None, new: Version) -> int:
    before = old.document.splitlines() if old else []
    steps = [step for step in sequence_diff.find_steps(before, new.document.splitlines()) if step.kind != "equal"]
    added_lines = sum(step.new_end - step.new_start for step in steps)
    return max(added_lines, sum(step.old_end - step.old_start for step in steps))


def _count_tokens(preview: LabelPreview, sample: str) -> tuple[str, int | None]:
    """Return the sample that is counted, and its difference in tokens."""
    sample_set = preview.template.current_samples()
    saved: Mapping[str, Mapping[str, Any]] = sample_set.samples if sample_set else {}
    samples = (
        {sample: saved[sample]} if sample in saved else dict(islice(saved.items(), sample_renderings.MAX_COMPARED))
    )
    if not samples:
        return "", None
    before: Mapping[str, SampleOutcome] = {}
    try:
        if preview.serves:
            before = sample_renderings.render_samples(preview.serves, samples)
        after = sample_renderings.render_samples(preview.version, samples)
    except PromptuaryError:  # the renderer is busy
        return next(iter(samples)), None
    name = sample_renderings.find_differing_sample(before, after)
    new = _read_tokens(after[name])
    old = _read_tokens(before[name]) if preview.serves else 0
    return name, None if new is None or old is None else new - old


def _read_tokens(outcome: SampleOutcome) -> int | None:
    count: int | None = outcome.prompt["token_count"] if outcome.prompt else None
    return count


def _compare_inputs(old: Version | None, new: Version) -> InputChanges | None:
    """The changes in inputs; without an old version every required input is added. None if a version cannot be read."""
    bundle, served = new.unpacked(), old.unpacked() if old else None
    try:
        with borrow_renderer() as bounded:
            breaks: Sequence[str] = ()
            if served is not None:
                changes = bounded.compare(served, bundle)
                breaks = [change["path"] for change in changes if change["breaking"] and change["kind"] == "input"]
                if not breaks:
                    return InputChanges()
            required = [
                bounded.list_required_inputs(**_list_sources(inputs_bundle))
                for inputs_bundle in (bundle, served)
                if inputs_bundle
            ]
    except (PromptuaryError, RenderError):
        return None
    added_names = [name for name in required[0] if served is None or name not in required[1]]
    changed_names = dict.fromkeys(path.replace("[", ".").partition(".")[0] for path in breaks)
    return InputChanges(tuple(added_names), tuple(name for name in changed_names if name not in added_names))


def _list_sources(bundle: Mapping[str, Any]) -> dict[str, Any]:
    return {part: bundle[part] for part in ("document", "fragments", "profile")}
