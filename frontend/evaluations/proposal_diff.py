"""The proposed text compared with the version's on one row: the prompts before and after."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from frontend.diff import part_diffs, samples
from frontend.diff.samples import RenderedSample, SampleComparison
from frontend.diff.versions import RenderedDiff, TokenRow
from frontend.evaluations.row_comparison import name_row
from promptuary.evaluation import Row
from promptuary.renderer.errors import RenderError
from registry.core.errors import Busy
from registry.evaluations import run_queries
from registry.evaluations.row_fit import render_rows
from registry.improvements.failing_rows import describe_rows, list_failing_rows
from registry.improvements.models import Improvement
from registry.templates.sample_renderings import SampleOutcome

__all__ = ["compare_on_row", "find_repeated_lines"]

_TELLING = 24  # shared lines of this length are unlikely to be a coincidence


def compare_on_row(improvement: Improvement) -> dict[str, Any]:
    """`rendered`, a diff of both prompts on the first row that the model saw, and `row_name`; empty if the renderer is
    busy.
    """
    if not improvement.bundle or not improvement.shown_rows:
        return {}
    index = improvement.shown_rows[0]
    row = run_queries.list_rows_of_run(improvement.run)[index]
    try:
        before = _render(improvement.run.version.unpacked(), row)
        after = _render(json.loads(improvement.bundle), row)
    except Busy:
        return {}
    comparison = SampleComparison(row.id, before, after)
    parts = part_diffs.compare_parts(before.parts, after.parts)
    tokens = [TokenRow(part.name or gettext("(no name)"), part.old_tokens, part.new_tokens) for part in parts]
    return {
        "rendered": RenderedDiff(before, after, parts, tokens, (), comparison.newly_cut),
        "row_name": name_row(row.id, index),
    }


def _render(bundle: Mapping[str, Any], row: Row) -> RenderedSample:
    (outcome,) = render_rows(bundle, [row])
    if isinstance(outcome, RenderError):
        return samples.preview_of_outcome(SampleOutcome(None, outcome.to_problem()))
    return samples.preview_of_outcome(SampleOutcome(outcome, None))


def find_repeated_lines(improvement: Improvement) -> list[str]:
    """Lines of the rows that the model saw which the proposed text contains and the version doesn't: the text may be
    overfitted to these rows, or repeat user data.
    """
    before = improvement.run.version.document
    lines: dict[str, None] = {}
    rows = list_failing_rows(improvement.run, improvement.shown_rows)
    for row in describe_rows(improvement.run, rows):
        for name in ("inputs", "expected"):
            for line in row[name].split("\n"):
                words = line.partition(": ")[2].strip() or line.strip()
                if len(words) >= _TELLING and words in improvement.document and words not in before:
                    lines[words] = None
    return list(lines)
