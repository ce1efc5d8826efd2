"""The page that compares any two versions of a template, or a version with the reader's draft."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from frontend.diff.side_by_side import pair_lines
from frontend.diff.text import shorten_diff
from frontend.diff.versions import SourceDiff, compare_texts, diff_context
from frontend.web.decorators import signed_in
from frontend.web.draft_links import describe_own_draft
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.namespaces.queries import choose_live_label
from registry.templates import label_queries, version_queries
from registry.templates import queries as template_queries
from registry.templates.models import Draft, Template, Version
from registry.templates.named_drafts import build_draft_ref, get_draft, read_draft_ref

__all__ = ["compare_versions"]

# Limit the select to a usable length; older versions are reached from the history.
CHOICES = 100
LAYOUTS = {"lines": gettext_lazy("One column"), "columns": gettext_lazy("Side by side")}


@dataclass(frozen=True)
class _Side:
    """One side of the comparison: a version, or the reader's draft."""

    version: Version | None
    draft: Draft | None = None

    @property
    def ref(self) -> str:
        return str(self.version.number) if self.version else build_draft_ref(self.draft.name if self.draft else "")

    @property
    def word(self) -> str:
        if self.version:
            return f"v{self.version.number}"
        return describe_own_draft(self.draft.name if self.draft else "")

    @property
    def document(self) -> str:
        return self.version.document if self.version else self.draft.document if self.draft else ""


@signed_in
def compare_versions(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Compare one version with another; by default live with the newest.

    `draft` names the reader's draft, `draft:Shorter` one with a name.
    """
    template = template_queries.get_template(actor, name)
    label_numbers = label_queries.read_label_numbers(template)
    new = _find_side(actor, template, request.GET.get("to") or "latest")
    old = _find_side(actor, template, request.GET.get("from") or _choose_old(template, label_numbers, new))
    layout = request.GET.get("layout", "")
    layout = layout if layout in LAYOUTS else "lines"
    versions = [side.version for side in (old, new) if side.version]
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "choices": _list_choices(template, label_numbers, template_queries.list_template_drafts(actor, name), versions),
        "old_side": old,
        "new_side": new,
        **_compare(request, old, new),
    }
    context["layout"] = layout
    if context["view"] == "source":
        context["layouts"] = _list_layouts(request, old, new, layout)
        context["rows"] = _list_rows(context["source"]) if layout == "columns" else None
    return render_page(request, "diff/diff.html", context, regions={"diff": "diff/_diff.html"})


def _find_side(actor: Actor, template: Template, ref: str) -> _Side:
    draft_name = read_draft_ref(ref)
    if draft_name is None:
        return _Side(version_queries.resolve_template_version(actor, template, ref))
    return _Side(None, get_draft(actor, template.name, draft_name))


def _choose_old(template: Template, label_numbers: dict[str, int], new: _Side) -> str:
    """The live version, else the version before; for a draft, the newest version."""
    if new.version is None:
        return "latest"
    live = label_numbers.get(choose_live_label(template.namespace))
    return str(live if live and live != new.version.number else max(1, new.version.number - 1))


def _compare(request: HttpRequest, old: _Side, new: _Side) -> dict[str, Any]:
    """The context of `_diff.html`; for a draft only the source, because it may not render."""
    if old.version and new.version:
        return diff_context(request, old.version, new.version)
    return {"view": "source", "source": compare_texts(old.document, new.document), "sides": (old.word, new.word)}


def _list_rows(source: SourceDiff) -> Sequence[Any]:
    return pair_lines(shorten_diff(source.lines)) if source.counts.added or source.counts.removed else []


def _list_layouts(request: HttpRequest, old: _Side, new: _Side, layout: str) -> list[dict[str, Any]]:
    query = {"from": old.ref, "to": new.ref, "view": "source"}
    if request.GET.get("sample"):
        query["sample"] = request.GET["sample"]
    return [
        {"word": word, "url": f"?{urlencode({**query, 'layout': key})}", "on": key == layout}
        for key, word in LAYOUTS.items()
    ]


def _list_choices(
    template: Template, label_numbers: dict[str, int], drafts: Sequence[Draft], always: Sequence[Version]
) -> list[dict[str, str]]:
    """The versions to choose from, newest first, after the drafts."""
    newest = template.latest.number if template.latest else 1
    numbers = {*range(max(1, newest - CHOICES + 1), newest + 1), *(version.number for version in always)}
    choices = [{"ref": build_draft_ref(draft.name), "word": describe_own_draft(draft.name)} for draft in drafts]
    for number in sorted(numbers, reverse=True):
        labels = [label for label, at in label_numbers.items() if at == number]
        choices.append({"ref": str(number), "word": ", ".join([f"v{number}", *labels])})
    return choices
