"""The page of fetches: who fetches a template, and what clients report about it."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from frontend.browse import score_form
from frontend.browse.fetch_charts import describe_fetchers
from frontend.browse.score_form import ReplyScoreForm
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.namespaces.queries import choose_live_label
from registry.templates import former_names, label_queries
from registry.templates import queries as template_queries
from registry.templates.models import Template
from registry.usage import client_reports, outcome_queries
from registry.usage import queries as usage_queries
from registry.usage.queries import Fetcher

__all__ = ["show_fetches"]


@dataclass(frozen=True)
class FormerNameUse:
    """A former name of the template, and the services that requested it recently."""

    name: str
    services: list[str]


@form_page
@signed_in
def show_fetches(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Every service with the ref it requests and the version it gets, and reports and scores by version; a POST scores
    a reply.
    """
    template = template_queries.get_template(actor, name)
    labels = label_queries.read_label_numbers(template)
    live = labels.get(choose_live_label(template.namespace))
    scores = outcome_queries.compare_scores(outcome_queries.read_scores_by_version(template))
    first = score_form.choose_first_values(request.GET, live, scores)
    newest = template.latest.number if template.latest else 1
    form = ReplyScoreForm(request.POST or None, initial=first, newest=newest, labels=labels)
    status = 200
    if request.method == "POST":
        if score_form.save_reply_score(actor, template, form):
            messages.success(request, gettext("The score is counted."))
            return redirect(f"{reverse('fetches', args=[template.name])}#scores")
        status = 422
    fetchers = usage_queries.list_fetchers(template)
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(template.name),
        "days": usage_queries.DAYS,
        "rows": describe_fetchers(fetchers, live),
        "former_names": _list_former_names(template, fetchers),
        "by_label": usage_queries.count_by_label(template),
        "reported": client_reports.sum_reports_by_version(template),
        "scores": scores,
        "fewest": outcome_queries.MIN_COUNT,
        "score_form": form,
    }
    return render_page(request, "browse/fetches.html", context, status=status)


def _list_former_names(template: Template, fetchers: Iterable[Fetcher]) -> list[FormerNameUse]:
    services: dict[str, list[str]] = {name: [] for name in former_names.list_names(template)[1:]}
    for fetcher in fetchers:
        for name in fetcher.former_names:
            rows_of_service = services.get(name, [])
            if fetcher.key.name not in rows_of_service:
                rows_of_service.append(fetcher.key.name)
    return [FormerNameUse(*use) for use in services.items()]
