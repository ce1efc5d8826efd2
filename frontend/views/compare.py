"""Any two versions of a template, as source and as rendered."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from frontend import comparison
from frontend.crumbs import crumbs_of
from frontend.htmx import show
from frontend.ledger import live_label
from frontend.pages import signed_in
from registry.access import Actor
from registry.models import Template, Version
from registry.queries import labels, samples, templates, versions

__all__ = ["compare_versions", "diff_context"]

VIEWS = {"source": "Source", "rendered": "Rendered"}
# A select of versions should stay a select; older ones are reached from the history.
CHOICES = 100


@signed_in
def compare_versions(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """From one version to another; by default from what is live to the newest."""
    template = templates.get(actor, name)
    standing = labels.numbers_of(template)
    new = versions.resolve(actor, name, request.GET.get("to") or "latest")
    live = standing.get(live_label(template.namespace))
    fallback = live if live and live != new.number else max(1, new.number - 1)
    old = versions.resolve(actor, name, request.GET.get("from") or str(fallback))
    context = {
        "section": "templates",
        "template": template,
        "crumbs": crumbs_of(name),
        "choices": _choices(template, standing, old, new),
        **diff_context(request, actor, old, new),
    }
    return show(request, "diff.html", context, regions={"diff": "_diff.html"})


def diff_context(request: HttpRequest, actor: Actor, old: Version | None, new: Version) -> dict[str, Any]:
    """What `_diff.html` shows: the source, or both sides rendered on a sample."""
    kept = samples.current(new.template)
    data = kept.samples if kept else {}
    sample = request.GET.get("sample", "")
    sample = sample if sample in data else next(iter(data), "")
    view = request.GET.get("view", "source")
    view = view if view in VIEWS and (view != "rendered" or sample) else "source"
    context: dict[str, Any] = {
        "old": old,
        "new": new,
        "view": view,
        "sample": sample,
        "samples": list(data),
        "sample_place": list(data).index(sample) + 1 if sample else 0,
        "tabs": _tabs(request, view) if data else [],
        "kept_query": [(key, request.GET[key]) for key in ("from", "to") if request.GET.get(key)],
        "source": comparison.compare_source(old, new),
    }
    if sample and view == "rendered":
        context["rendered"] = comparison.compare_rendered(actor, new.template.name, old, new, data[sample])
    return context


def _tabs(request: HttpRequest, view: str) -> list[dict[str, Any]]:
    kept = {key: request.GET[key] for key in ("from", "to", "sample") if request.GET.get(key)}
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
