"""The page that compares any two versions of a template."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from frontend.diff.versions import diff_context
from frontend.web.decorators import signed_in
from frontend.web.page import breadcrumbs, show
from registry.accounts.actor import Actor
from registry.namespaces.queries import live_label
from registry.templates import label_queries, version_queries
from registry.templates import queries as template_queries
from registry.templates.models import Template, Version

__all__ = ["compare_versions"]

# A select of versions should stay a select; older ones are reached from the history.
CHOICES = 100


@signed_in
def compare_versions(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """From one version to another; by default from what is live to the newest."""
    template = template_queries.get_template(actor, name)
    standing = label_queries.label_numbers(template)
    new = version_queries.resolve_version(actor, name, request.GET.get("to") or "latest")
    live = standing.get(live_label(template.namespace))
    fallback = live if live and live != new.number else max(1, new.number - 1)
    old = version_queries.resolve_version(actor, name, request.GET.get("from") or str(fallback))
    context = {
        "section": "templates",
        "template": template,
        "crumbs": breadcrumbs(name),
        "choices": _choices(template, standing, old, new),
        **diff_context(request, old, new),
    }
    return show(request, "diff/diff.html", context, regions={"diff": "diff/_diff.html"})


def _choices(template: Template, standing: dict[str, int], *always: Version) -> list[dict[str, Any]]:
    newest = template.latest.number if template.latest else 1
    numbers = {*range(max(1, newest - CHOICES + 1), newest + 1), *(version.number for version in always)}
    return [
        {"number": number, "labels": [label for label, at in standing.items() if at == number]}
        for number in sorted(numbers, reverse=True)
    ]
