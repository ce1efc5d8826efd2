"""Any two versions of a template, as source and as rendered."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from frontend.browse.label_status import live_label
from frontend.diff import samples as diff_samples
from frontend.diff import versions
from frontend.diff.samples import Case
from frontend.web.breadcrumbs import crumbs_of
from frontend.web.decorators import signed_in
from frontend.web.page import show
from registry.accounts.actor import Actor
from registry.templates import label_queries, sample_queries, version_queries
from registry.templates import queries as template_queries
from registry.templates.models import Template, Version

__all__ = ["compare_versions", "diff_context"]

VIEWS = {"source": "Source", "rendered": "Rendered", "both": "Both"}
# What of the address stays when another view or sample is chosen.
KEPT = ("from", "to", "sample", "against")
# A select of versions should stay a select; older ones are reached from the history.
CHOICES = 100


@signed_in
def compare_versions(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """From one version to another; by default from what is live to the newest."""
    template = template_queries.get(actor, name)
    standing = label_queries.numbers_of(template)
    new = version_queries.resolve(actor, name, request.GET.get("to") or "latest")
    live = standing.get(live_label(template.namespace))
    fallback = live if live and live != new.number else max(1, new.number - 1)
    old = version_queries.resolve(actor, name, request.GET.get("from") or str(fallback))
    context = {
        "section": "templates",
        "template": template,
        "crumbs": crumbs_of(name),
        "choices": _choices(template, standing, old, new),
        **diff_context(request, old, new),
    }
    return show(request, "diff/diff.html", context, regions={"diff": "diff/_diff.html"})


def diff_context(
    request: HttpRequest, old: Version | None, new: Version, *, view: str = "", every: bool = False
) -> dict[str, Any]:
    """What `_diff.html` shows: the source, both sides rendered on a sample, or both of these.

    view: a view of the page's own, which shows neither. every: set the versions against each other on all samples, not only
    on the one that is shown.
    """
    kept = sample_queries.current(new.template)
    data = kept.samples if kept else {}
    sample = request.GET.get("sample", "")
    sample = sample if sample in data else next(iter(data), "")
    asked = view or request.GET.get("view", "source")
    shown = asked if view or (asked in VIEWS and (asked == "source" or sample)) else "source"
    names = {
        *(list(data)[: diff_samples.MOST] if every else ()),
        *([sample] if sample and (every or shown != "source") else ()),
    }
    found = diff_samples.of(old, new, {name: data[name] for name in data if name in names})
    here = next((case for case in found if case.name == sample), None)
    return {
        "old": old,
        "new": new,
        "view": shown,
        "sample": sample,
        "samples": list(data),
        "cases": found,
        "differing": [case.name for case in found if case.differs],
        "next_differing": _next_differing(found, sample),
        "tabs": _tabs(request, shown) if data or view else [],
        "kept_query": [(key, request.GET[key]) for key in KEPT if key != "sample" and request.GET.get(key)],
        "source": versions.compare_source(old, new),
        "rendered": versions.compare_rendered(old, new, data[sample], here) if here else None,
    }


def _next_differing(found: list[Case], sample: str) -> str:
    """The next sample after this one, round again from the first, that the two versions read differently on."""
    names = [case.name for case in found]
    at = names.index(sample) + 1 if sample in names else 0
    return next((case.name for case in [*found[at:], *found[:at]] if case.differs and case.name != sample), "")


def _tabs(request: HttpRequest, view: str) -> list[dict[str, Any]]:
    kept = {key: request.GET[key] for key in KEPT if request.GET.get(key)}
    return [
        {"word": word, "url": f"?{urlencode({**kept, 'view': key})}", "on": key == view} for key, word in VIEWS.items()
    ]


def _choices(template: Template, standing: dict[str, int], *always: Version) -> list[dict[str, Any]]:
    newest = template.latest.number if template.latest else 1
    numbers = {*range(max(1, newest - CHOICES + 1), newest + 1), *(version.number for version in always)}
    return [
        {"number": number, "labels": [label for label, at in standing.items() if at == number]}
        for number in sorted(numbers, reverse=True)
    ]
