"""Who fetches a template, and what clients report of it."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from frontend.crumbs import crumbs_of
from frontend.fetched import rows_of
from frontend.htmx import show
from frontend.ledger import live_label
from frontend.pages import signed_in
from registry.access import Actor
from registry.queries import labels, reports, templates, usage

__all__ = ["fetches"]


@require_safe
@signed_in
def fetches(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Every service with what it asks for and gets, and the reports by version."""
    template = templates.get(actor, name)
    live = labels.numbers_of(template).get(live_label(template.namespace))
    context = {
        "section": "templates",
        "template": template,
        "crumbs": crumbs_of(name),
        "days": usage.DAYS,
        "rows": rows_of(usage.fetchers(template), live),
        "by_label": usage.by_label(template),
        "reported": reports.by_version(template),
    }
    return show(request, "fetches.html", context)
