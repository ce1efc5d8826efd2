"""The page of fetches: who fetches a template, and what clients report of it."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from frontend.browse.fetch_charts import rows_of
from frontend.web.decorators import signed_in
from frontend.web.page import breadcrumbs, show
from registry.accounts.actor import Actor
from registry.namespaces.queries import live_label
from registry.templates import label_queries
from registry.templates import queries as template_queries
from registry.usage import client_reports, outcome_queries
from registry.usage import queries as usage_queries

__all__ = ["fetches"]


@require_safe
@signed_in
def fetches(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Every service with what it asks for and gets, the reports and the scores by version."""
    template = template_queries.get_template(actor, name)
    live = label_queries.label_numbers(template).get(live_label(template.namespace))
    context = {
        "section": "templates",
        "template": template,
        "crumbs": breadcrumbs(name),
        "days": usage_queries.DAYS,
        "rows": rows_of(usage_queries.list_fetchers(template), live),
        "by_label": usage_queries.count_by_label(template),
        "reported": client_reports.reports_by_version(template),
        "scores": outcome_queries.compare_scores(outcome_queries.scores_by_version(template)),
        "fewest": outcome_queries.FEWEST,
    }
    return show(request, "browse/fetches.html", context)
