"""The evidence in the panel of a label move: both versions, their difference, metrics, services, other requests."""

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
from frontend.web.forms import parse_form_number
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
from registry.templates.label_moves import Approval, find_approval_of_label

__all__ = ["LossNotice", "MetricRow", "build_evidence_context", "build_metric_rows", "count_metrics"]

_READINGS: dict[Reading, tuple[str, str, str]] = {
    "better": (gettext_noop("Better"), "ok", "arrow-up-right"),
    "worse": (gettext_noop("Worse"), "bad", "arrow-down-right"),
    "unclear": (gettext_noop("Unclear"), "aside", "equal"),
}
_VIEWS = {"rendered": gettext_lazy("Rendered"), "source": gettext_lazy("Source")}


_PLOT_WIDTH, _PLOT_MARGIN = 84, 6  # size of a drawing without figures
_PLOT_KINDS: dict[Reading, interval_svg.Kind] = {"better": "better", "worse": "worse", "unclear": "same"}


@dataclass(frozen=True)
class MetricRow:
    """A metric as displayed: its title, figures, and its reading as word, look and icon. plot: the interval around the
    change, None if nothing is compared.
    """

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
        return format_score(self.reading.before, *self._beside)

    @property
    def after(self) -> str:
        return format_score(self.reading.after, *self._beside)

    @property
    def _beside(self) -> tuple[float | None, ...]:
        """The figures that both scores are compared with: each other and the threshold."""
        before, after = self.reading.before, self.reading.after
        if not self.reading.gate:
            return (before, after)
        return (before, after, parse_gate(self.reading.gate).find_lowest(before))

    @property
    def change(self) -> str:
        return format_change(self.reading.difference)

    @property
    def interval(self) -> str:
        """The 95 % interval around the change, or an empty string if the rows don't allow one."""
        if self.reading.low is None:
            return ""
        return gettext("{low} to {high}").format(
            low=format_change(self.reading.low), high=format_change(self.reading.high)
        )

    @property
    def gate_words(self) -> str:
        """Its threshold: `at least 0.85`, or how far it may drop below live: `may drop 0.02`."""
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
    """The notice beside Approve about metrics without a threshold that get worse. path: of the template."""

    path: str
    losses: UngatedLosses

    @property
    def metrics(self) -> list[MetricRow]:
        return [MetricRow(reading) for reading in self.losses.metrics]


def build_metric_rows(preview: LabelPreview) -> list[MetricRow]:
    """The metrics of the preview's run: worse, better, unclear, with their intervals on one axis."""
    readings = preview.evaluation.metrics if preview.evaluation else ()
    changes = [
        to_shares((reading.difference, reading.low, reading.high), find_best_score(reading.metric))
        for reading in readings
    ]
    axis = interval_svg.build_difference_axis(chain(*changes), width=_PLOT_WIDTH, margin=_PLOT_MARGIN)
    return [
        MetricRow(reading, _draw_change(axis, reading, shares))
        for reading, shares in zip(readings, changes, strict=True)
    ]


def _draw_change(
    axis: interval_svg.Axis, reading: MetricReading, shares: Sequence[float | None]
) -> interval_svg.Drawing | None:
    """shares: the change and the bounds of its interval; None if nothing is compared."""
    if reading.difference is None:
        return None
    difference, low, high = shares
    return interval_svg.build_drawing(axis, difference, low, high, _PLOT_KINDS[reading.reading])


def count_metrics(readings: RunReadings | None) -> list[tuple[int, str, str, str]]:
    """The number of metrics for each reading, with its word, look and icon; empty if the version was never run."""
    counts = {kind: readings.count(kind) for kind in _READINGS} if readings else {}
    return [(count, gettext(_READINGS[kind][0]), *_READINGS[kind][1:]) for kind, count in counts.items() if count]


def build_evidence_context(request: HttpRequest, actor: Actor, preview: LabelPreview) -> dict[str, Any]:
    """The context of `_evidence.html`. The view is the one in the URL, else the rendered one if it differs.

    `nothing_left`: there is nothing to propose or publish, so the form is omitted.
    """
    preview.version.template = preview.template
    if preview.serves is not None:
        preview.serves.template = preview.template
    changes = _build_difference(request, preview)
    readings = preview.evaluation
    return {
        "preview": preview,
        "difference": changes,
        "views": _list_views(request, changes),
        "size": move_sizes.find_move_size(preview, changes["sample"]),
        "turns": _build_turns(request, changes),
        "metrics": build_metric_rows(preview),
        "readings": readings,
        "counts": count_metrics(readings),
        "gates_block": preview.is_protected
        and any(check.name == "evaluation" and check.is_required for check in preview.checks),
        "checks": preview.checks,
        "checked_at": _find_last_check(preview),
        "suggested_run": suggested_runs.find_suggested_run(actor, preview),
        "gate_metric": _find_gate_metric(actor, preview),
        "moved": _find_moves(request, preview),
        "nothing_left": preview.is_protected and (bool(preview.refusal) or _holds_approved(preview)),
    }


def _find_last_check(preview: LabelPreview) -> datetime | None:
    """When the latest of its checks ran."""
    moments = [check.at for check in preview.checks if check.at is not None]
    return from_microseconds(max(moments)) if moments else None


def _find_gate_metric(actor: Actor, preview: LabelPreview) -> str:
    """The first metric without a threshold that gets worse, if the reader may set one; else empty."""
    losses = preview.evaluation.ungated_losses if preview.evaluation else ()
    if not losses or not permissions.is_allowed(actor, Verb.MANAGE, preview.template.namespace):
        return ""
    return losses[0].metric


@dataclass(frozen=True)
class MovedMeanwhile:
    """A label that was moved after the panel was rendered. shown_number: the version that the panel showed, 0 for
    none; moves: those made since, oldest first.
    """

    shown_number: int
    moves: list[LabelMove]


def _find_moves(request: HttpRequest, preview: LabelPreview) -> MovedMeanwhile | None:
    """The moves between the version that the submitted form showed and the one served now; None if it didn't move."""
    shown_version = parse_form_number(request.POST.get("expected"))
    serves = preview.serves.number if preview.serves else 0
    if "expected" not in request.POST or shown_version == serves:
        return None
    moves = label_queries.list_moves_since(preview.template, preview.label, shown_version)
    return MovedMeanwhile(shown_version, moves)


def _holds_approved(preview: LabelPreview) -> bool:
    """Whether the label already serves this version with approval, so that proposing it would change nothing."""
    if preview.state != "equal":
        return False
    return find_approval_of_label(preview.template, preview.label) == Approval.APPROVED


def _build_difference(request: HttpRequest, preview: LabelPreview) -> dict[str, Any]:
    sample_set = preview.template.current_samples()
    view = request.GET.get("view") if request.GET.get("view") in _VIEWS else ""
    has_samples = bool(sample_set and sample_set.samples)
    # Redacted text can't be shown, but the label must still be able to move on from it.
    serves = None if preview.serves is None or preview.serves.is_redacted else preview.serves
    difference = diff_context(request, serves, preview.version, view="rendered" if has_samples else "source")
    rendered = difference["rendered"]
    if view == "source" or not has_samples or (not view and rendered is not None and rendered.is_same):
        difference["view"] = "source"
    return difference


@dataclass(frozen=True)
class SampleTurns:
    """The position of the sample among all, and the URLs of the previous and next ones, empty at the ends."""

    place: int
    count: int
    previous_url: str
    next_url: str


def _build_turns(request: HttpRequest, changes: dict[str, Any]) -> SampleTurns | None:
    """None if the source is shown, or there is no other sample."""
    names = changes["samples"]
    if changes["view"] != "rendered" or len(names) < 2:
        return None
    query = {name: value for name, value in request.GET.items() if name != "sample"}
    at = names.index(changes["sample"])
    urls = {place: f"{request.path}?{urlencode({**query, 'sample': name})}" for place, name in enumerate(names)}
    return SampleTurns(at + 1, len(names), urls.get(at - 1, ""), urls.get(at + 1, ""))


def _list_views(request: HttpRequest, changes: dict[str, Any]) -> list[dict[str, Any]]:
    """Links to both views of the difference at this URL."""
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
