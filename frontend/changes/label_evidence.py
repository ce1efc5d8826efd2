"""The evidence in the panel before a label moves: from and to, the difference, metrics, services, other requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from frontend.diff.versions import diff_context
from frontend.evaluations.score_table import find_best_score, format_change, format_score, to_shares
from frontend.web.forms import read_expected
from promptuary.evaluation import interval_svg
from promptuary.evaluation.gates import parse_gate
from registry.accounts.actor import Actor
from registry.changes import move_sizes, suggested_runs
from registry.changes.label_preview import LabelPreview
from registry.changes.ungated_losses import UngatedLosses
from registry.evaluations.metric_readings import MetricReading, Reading, RunReadings
from registry.evaluations.metric_titles import title_metric
from registry.journal.event import from_microseconds
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import label_queries
from registry.templates.label_models import LabelMove
from registry.templates.label_moves import Approval, approval_of_label

__all__ = ["LossNotice", "MetricRow", "evidence_context", "metric_counts", "metric_rows"]

_READINGS: dict[Reading, tuple[str, str, str]] = {
    "better": (gettext_noop("Better"), "ok", "arrow-up-right"),
    "worse": (gettext_noop("Worse"), "bad", "arrow-down-right"),
    "unclear": (gettext_noop("Unclear"), "aside", "equal"),
}
_VIEWS = {"rendered": gettext_lazy("Rendered"), "source": gettext_lazy("Source")}


_PLOT_WIDTH, _PLOT_MARGIN = 84, 6  # of a drawing without figures
_PLOT_KINDS: dict[Reading, interval_svg.Kind] = {"better": "better", "worse": "worse", "unclear": "same"}


@dataclass(frozen=True)
class MetricRow:
    """A metric as it is shown: its title, figures, and how it reads as word, look and icon. plot: the interval around
    the change, None if nothing is compared."""

    reading: MetricReading
    plot: interval_svg.Drawing | None = None

    @property
    def title(self) -> str:
        name = title_metric(self.reading.metric)
        return (
            name
            if self.reading.target in ("answer", "judgement")
            else gettext("{name} of {target}").format(name=name, target=self.reading.target)
        )

    @property
    def before(self) -> str:
        return format_score(self.reading.before)

    @property
    def after(self) -> str:
        return format_score(self.reading.after)

    @property
    def change(self) -> str:
        return format_change(self.reading.difference)

    @property
    def interval(self) -> str:
        """The 95 % interval around the change, or nothing if the rows allow none."""
        if self.reading.low is None:
            return ""
        return gettext("{low} to {high}").format(
            low=format_change(self.reading.low), high=format_change(self.reading.high)
        )

    @property
    def gate_words(self) -> str:
        """Its threshold: `at least 0.85`, or how far it may be behind what is live: `may drop 0.02`."""
        gate = parse_gate(self.reading.gate)
        if gate.floor is not None:
            return gettext("at least {score}").format(score=number_format(gate.floor))
        return gettext("may drop {score}").format(score=number_format(gate.fall or 0.0))

    @property
    def gate_look(self) -> tuple[str, str]:
        """The look and the icon of its threshold."""
        if self.reading.passes is None:
            return "aside", ""
        return ("ok", "check") if self.reading.passes else ("bad", "x")

    @property
    def look(self) -> tuple[str, str, str]:
        word, look, icon = _READINGS[self.reading.reading]
        return gettext(word), look, icon


@dataclass(frozen=True)
class LossNotice:
    """What is said beside Approve of metrics that get worse without a threshold. path: of the template."""

    path: str
    losses: UngatedLosses

    @property
    def metrics(self) -> list[MetricRow]:
        return [MetricRow(reading) for reading in self.losses.metrics]


def metric_rows(preview: LabelPreview) -> list[MetricRow]:
    """The metrics of the preview's run: worse, better, unclear, their intervals on one axis."""
    readings = preview.evaluation.metrics if preview.evaluation else ()
    changes = [
        to_shares((reading.difference, reading.low, reading.high), find_best_score(reading.metric))
        for reading in readings
    ]
    axis = interval_svg.difference_axis(chain(*changes), width=_PLOT_WIDTH, margin=_PLOT_MARGIN)
    return [
        MetricRow(reading, _draw_change(axis, reading, shares))
        for reading, shares in zip(readings, changes, strict=True)
    ]


def _draw_change(
    axis: interval_svg.Axis, reading: MetricReading, shares: Sequence[float | None]
) -> interval_svg.Drawing | None:
    """shares: the change and the ends of its interval; None if nothing is compared."""
    if reading.difference is None:
        return None
    difference, low, high = shares
    return interval_svg.interval(axis, difference, low, high, _PLOT_KINDS[reading.reading])


def metric_counts(readings: RunReadings | None) -> list[tuple[int, str, str, str]]:
    """How many metrics read so, with the word, the look and the icon; empty if the version was never run."""
    counts = {kind: readings.count(kind) for kind in _READINGS} if readings else {}
    return [(count, gettext(_READINGS[kind][0]), *_READINGS[kind][1:]) for kind, count in counts.items() if count]


def evidence_context(request: HttpRequest, actor: Actor, preview: LabelPreview) -> dict[str, Any]:
    """What `_evidence.html` shows. The view of the difference is the address's, else the rendered one if it differs.

    `nothing_left` says that there is nothing to propose or publish: no form is drawn then.
    """
    preview.version.template = preview.template
    if preview.serves is not None:
        preview.serves.template = preview.template
    changes = _difference(request, preview)
    readings = preview.evaluation
    return {
        "preview": preview,
        "difference": changes,
        "views": _views(request, changes),
        "size": move_sizes.find_move_size(preview, changes["sample"]),
        "turns": _turns(request, changes),
        "metrics": metric_rows(preview),
        "readings": readings,
        "counts": metric_counts(readings),
        "gates_block": preview.is_protected
        and any(check.name == "evaluation" and check.is_required for check in preview.checks),
        "checks": preview.checks,
        "checked_at": _last_checked(preview),
        "suggested_run": suggested_runs.find_suggested_run(actor, preview),
        "gate_metric": _find_gate_metric(actor, preview),
        "moved": _find_moves(request, preview),
        "nothing_left": preview.is_protected and (preview.state == "superseded" or _holds_approved(preview)),
    }


def _last_checked(preview: LabelPreview) -> datetime | None:
    """When the last of its checks was run."""
    moments = [check.at for check in preview.checks if check.at is not None]
    return from_microseconds(max(moments)) if moments else None


def _find_gate_metric(actor: Actor, preview: LabelPreview) -> str:
    """The first metric that gets worse without a threshold, if the reader may set one; else nothing."""
    losses = preview.evaluation.ungated_losses if preview.evaluation else ()
    if not losses or not permissions.is_allowed(actor, Verb.MANAGE, preview.template.namespace):
        return ""
    return losses[0].metric


@dataclass(frozen=True)
class MovedMeanwhile:
    """A label that moved after the panel was drawn. seen: the number that the panel showed, 0 for none; moves: what
    came since, oldest first."""

    seen: int
    moves: list[LabelMove]


def _find_moves(request: HttpRequest, preview: LabelPreview) -> MovedMeanwhile | None:
    """How the label came from what the sent form showed to what it serves now; None if it did not move."""
    seen, serves = read_expected(request.POST), preview.serves.number if preview.serves else 0
    if seen is None or seen == serves:
        return None
    moves = label_queries.list_moves_since(preview.template, preview.label, seen)
    return MovedMeanwhile(seen, moves)


def _holds_approved(preview: LabelPreview) -> bool:
    """Whether the label serves just this and holds it by approval, so that proposing it would change nothing."""
    if preview.state != "equal":
        return False
    return approval_of_label(preview.template, preview.label) == Approval.APPROVED


def _difference(request: HttpRequest, preview: LabelPreview) -> dict[str, Any]:
    sample_set = preview.template.current_samples()
    view = request.GET.get("view") if request.GET.get("view") in _VIEWS else ""
    has_samples = bool(sample_set and sample_set.samples)
    # A text that was redacted can't be shown, yet the label has to move on from it.
    serves = None if preview.serves is None or preview.serves.is_redacted else preview.serves
    shown = diff_context(request, serves, preview.version, view="rendered" if has_samples else "source")
    rendered = shown["rendered"]
    if view == "source" or not has_samples or (not view and rendered is not None and rendered.is_same):
        shown["view"] = "source"
    return shown


@dataclass(frozen=True)
class SampleTurns:
    """Where the shown sample stands among all, and the addresses of those before and after it, empty at the ends."""

    place: int
    count: int
    previous_url: str
    next_url: str


def _turns(request: HttpRequest, changes: dict[str, Any]) -> SampleTurns | None:
    """None where the source is shown, or no other sample exists."""
    names = changes["samples"]
    if changes["view"] != "rendered" or len(names) < 2:
        return None
    query = {name: value for name, value in request.GET.items() if name != "sample"}
    at = names.index(changes["sample"])
    urls = {place: f"{request.path}?{urlencode({**query, 'sample': name})}" for place, name in enumerate(names)}
    return SampleTurns(at + 1, len(names), urls.get(at - 1, ""), urls.get(at + 1, ""))


def _views(request: HttpRequest, changes: dict[str, Any]) -> list[dict[str, Any]]:
    """Links to both views of the difference, at this address."""
    if not changes["samples"]:
        return []
    query = {name: value for name, value in request.GET.items() if name != "view"}
    return [
        {
            "word": word,
            "url": f"{request.path}?{urlencode({**query, 'view': view})}",
            "on": changes["view"] == view,
        }
        for view, word in _VIEWS.items()
    ]
