"""Comparison of two versions for a page: the source, and the rendered prompts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from frontend.diff import part_diffs, samples, text
from frontend.diff.samples import RenderedSample, SampleComparison
from promptuary.renderer.document.parser import inspect_document
from registry.templates.models import Version

__all__ = [
    "VIEWS",
    "LongestPrompts",
    "RenderedDiff",
    "SourceDiff",
    "TokenRow",
    "compare_rendered",
    "compare_source",
    "compare_texts",
    "diff_context",
    "find_longest_prompts",
]


VIEWS = {
    "rendered": gettext_lazy("Rendered"),
    "source": gettext_lazy("Source"),
    "both": pgettext_lazy("source and rendered", "Both"),
}
# Query parameters that are kept when another view or sample is chosen.
KEPT = ("from", "to", "sample", "against", "layout")


@dataclass(frozen=True)
class SourceDiff:
    """The documents line by line, with long unchanged runs folded."""

    lines: Sequence[text.Entry]
    counts: text.Counts


@dataclass(frozen=True)
class TokenRow:
    """Tokens of a part on both sides."""

    name: str
    old: int | None
    new: int | None

    @property
    def change(self) -> int:
        return (self.new or 0) - (self.old or 0)


@dataclass(frozen=True)
class RenderedDiff:
    """Both versions rendered on one sample, or why a side fails.

    `notes` lists inputs that a side doesn't declare, `newly_cut` the parts that are cut now and weren't before.
    """

    old: RenderedSample
    new: RenderedSample
    parts: Sequence[part_diffs.PartDiff]
    tokens: Sequence[TokenRow]
    notes: Sequence[str]
    newly_cut: Sequence[str] = ()

    @property
    def change(self) -> int:
        """The token difference of the whole prompt: new minus old."""
        return (self.new.token_count or 0) - (self.old.token_count or 0)

    @property
    def is_same(self) -> bool:
        return all(part.state == "same" and not part.moved for part in self.parts)


@dataclass(frozen=True)
class LongestPrompts:
    """The most tokens of any sample on either side, None if no sample of that side renders or has a count."""

    old: int | None
    new: int | None
    sample: str

    @property
    def change(self) -> int:
        return (self.new or 0) - (self.old or 0)


def find_longest_prompts(comparisons: Sequence[SampleComparison]) -> LongestPrompts | None:
    """The longest prompt of each side; None with fewer than two samples, where the comparison itself shows it."""
    new = max(
        (case for case in comparisons if case.new.token_count is not None),
        key=lambda case: case.new.token_count or 0,
        default=None,
    )
    if new is None or len(comparisons) < 2:
        return None
    old = max((case.old.token_count for case in comparisons if case.old.token_count is not None), default=None)
    return LongestPrompts(old, new.new.token_count, new.name)


def compare_source(old: Version | None, new: Version) -> SourceDiff:
    """Compare the two documents; without an old one everything is new."""
    return compare_texts(old.document if old else "", new.document)


def compare_texts(old: str, new: str) -> SourceDiff:
    """Compare two documents that aren't necessarily versions."""
    return SourceDiff(*text.build_folded_diff(old, new))


def compare_rendered(
    old: Version | None, new: Version, data: Mapping[str, Any], case: SampleComparison
) -> RenderedDiff:
    """Compare both sides of a sample part by part; the notes list data that one side doesn't declare."""
    notes = [*(_list_unsent(old, case.old, data) if old else []), *_list_unsent(new, case.new, data)]
    parts = part_diffs.compare_parts(case.old.parts, case.new.parts)
    tokens = [TokenRow(part.name or gettext("(no name)"), part.old_tokens, part.new_tokens) for part in parts]
    return RenderedDiff(case.old, case.new, parts, tokens, notes, case.newly_cut)


def diff_context(
    request: HttpRequest, old: Version | None, new: Version, *, view: str = "", every: bool = False
) -> dict[str, Any]:
    """The context of `_diff.html`: the source, both sides rendered on a sample, or both of these.

    Without a view in the URL, it is the rendered one on the first sample that differs, or the source if none does;
    `source_reason` then says why. view: a custom view of the page, which shows neither. every: compare the versions on
    all samples, not only on the displayed one.
    """
    sample_set = new.template.current_samples()
    data = sample_set.samples if sample_set else {}
    chosen_sample = request.GET.get("sample", "")
    sample = chosen_sample if chosen_sample in data else ""
    shown_view = view or _read_view(request)
    names = {
        *(list(data)[: samples.LIMIT] if every or not shown_view or not sample else ()),
        *([sample] if sample and shown_view != "source" else ()),
    }
    comparisons = samples.compare_samples(old, new, {name: data[name] for name in data if name in names})
    differing = [case.name for case in comparisons if case.differs]
    sample = sample or next(iter(differing or data), "")
    reason = ""
    if not shown_view:
        shown_view = "rendered" if differing else "source"
        reason = "" if differing else _explain_source_view(len(data))
    elif not sample and not view:
        shown_view = "source"
    comparison = next((case for case in comparisons if case.name == sample), None)
    return {
        "old": old,
        "new": new,
        "view": shown_view,
        "source_reason": reason,
        "sample": sample,
        "samples": list(data),
        "cases": comparisons,
        "differing": differing,
        "next_differing": _find_next_differing(comparisons, sample),
        "tabs": _build_tabs(request, shown_view) if data or view else [],
        "kept_query": [(key, request.GET[key]) for key in KEPT if key != "sample" and request.GET.get(key)],
        "source": compare_source(old, new),
        "rendered": compare_rendered(old, new, data[sample], comparison) if comparison else None,
    }


def _read_view(request: HttpRequest) -> str:
    """The view in the URL, or the one of the lines that the URL names; empty if it specifies neither."""
    if request.GET.get("view") in VIEWS:
        return request.GET["view"]
    if request.GET.get("layout") == "columns":  # which only the source supports
        return "source"
    side = request.GET.get("side", "source")
    return side if side in VIEWS and "line" in request.GET else ""


def _explain_source_view(count: int) -> str:
    """Why the source is shown by default, and what would change that."""
    if not count:
        return gettext("No samples, so nothing to render. Showing the source.")
    if count > samples.LIMIT:
        sentence = gettext("The model reads the same text on the first {count} samples. Showing the source.")
        return sentence.format(count=samples.LIMIT)
    return gettext("The model reads the same text on every sample. Showing the source.")


def _find_next_differing(comparisons: list[SampleComparison], sample: str) -> str:
    """The next sample after this one, wrapping around, on which the two versions differ."""
    names = [case.name for case in comparisons]
    at = names.index(sample) + 1 if sample in names else 0
    return next(
        (case.name for case in [*comparisons[at:], *comparisons[:at]] if case.differs and case.name != sample), ""
    )


def _build_tabs(request: HttpRequest, view: str) -> list[dict[str, Any]]:
    query = {key: request.GET[key] for key in KEPT if request.GET.get(key)}
    return [
        {"word": word, "url": f"?{urlencode({**query, 'view': key})}", "on": key == view} for key, word in VIEWS.items()
    ]


def _list_unsent(version: Version, rendering: RenderedSample, data: Mapping[str, Any]) -> list[str]:
    ignored = rendering.ignored if rendering.failure is None else _list_undeclared(version, data)
    names = [name for name in data if name in ignored]
    if not names:
        return []
    sentence = gettext("v{number} does not take {names}; it was left out there.")
    return [sentence.format(number=version.number, names=gettext(" and ").join(names))]


def _list_undeclared(version: Version, data: Mapping[str, Any]) -> list[str]:
    """The names in the data that the document doesn't declare, if it couldn't be rendered with them."""
    document, _ = inspect_document(version.document)
    inputs = document.inputs if document is not None else None
    return [name for name in data if inputs is not None and name not in inputs]
