"""The page that updates the templates which include a fragment, with a change request for each."""

from django.http import HttpRequest, HttpResponse

from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import parse_form_number
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.changes import dependant_update
from registry.changes.dependant_update import UpdatedDependant
from registry.core.errors import PromptuaryError
from registry.core.problem_details import find_status
from registry.namespaces import permissions
from registry.namespaces.queries import choose_live_label
from registry.namespaces.verbs import Verb
from registry.templates import fragments, label_queries, queries, version_queries
from registry.templates.models import Version

__all__ = ["update_dependants"]


@form_page
@signed_in
def update_dependants(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """What includes the fragment and at which version, the form, and afterwards the result for each template."""
    template = queries.get_template(actor, name)
    live = choose_live_label(template.namespace)
    label_numbers = label_queries.read_label_numbers(template)
    newest = template.latest.number if template.latest else 1
    number = (
        parse_form_number(request.POST.get("version") or request.GET.get("version"))
        or label_numbers.get(live)
        or newest
    )
    label = request.POST.get("label") or live
    message = request.POST.get("message", "")
    done: list[UpdatedDependant] = []
    refusal: PromptuaryError | None = None
    if request.method == "POST":
        try:
            done = dependant_update.update_dependants(
                actor=actor, name=name, version=number, label=label, message=message
            )
        except PromptuaryError as error:
            refusal = error
    target: Version = version_queries.get_version(actor, name, min(number, newest))
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "numbers": range(newest, max(0, newest - 50), -1),
        "number": target.number,
        "labels_by_number": {at: label_name for label_name, at in label_numbers.items()},
        "label": label,
        "known_labels": label_queries.list_known_labels(actor, template.namespace),
        "message": message,
        "rows": [
            (dependant, refs, permissions.is_allowed(actor, Verb.SAVE, dependant.namespace, dependant.path))
            for dependant, refs in fragments.list_dependants(actor, template, apart_from=f"{name}@{target.number}")
        ],
        "done": done,
        "refusal": refusal,
    }
    return render_page(request, "changes/dependants.html", context, status=find_status(refusal) if refusal else 200)
