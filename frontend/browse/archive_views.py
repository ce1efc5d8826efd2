"""The page that archives or restores a template, after a list of who is affected."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.web.decorators import form_page, signed_in
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.changes import queries as change_queries
from registry.core.errors import PromptuaryError
from registry.core.problem_details import find_status
from registry.namespaces.verbs import Verb
from registry.templates import archive as template_archive
from registry.templates import fragments, label_queries, queries
from registry.usage import queries as usage_queries

__all__ = ["archive_template"]


@form_page
@signed_in
def archive_template(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Recent callers, what refers to the template, and the form; `do` selects archive or restore."""
    template = queries.find_template(actor, Verb.MANAGE, name)
    refusal: PromptuaryError | None = None
    if request.method == "POST":
        try:
            sentence = _perform_action(request, actor, name)
        except PromptuaryError as error:
            refusal = error
        else:
            messages.success(request, sentence)
            return redirect("template", name)
    label_numbers = label_queries.read_label_numbers(template)
    protected = [label for label in template.namespace.protected_labels if label in label_numbers]
    waiting = change_queries.list_changes(actor, state="pending", template=name).items
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "fetchers": usage_queries.list_fetchers(template),
        "days": usage_queries.DAYS,
        "label_numbers": [(label, label_numbers[label]) for label in protected],
        "open_changes": waiting,
        "has_emergency": any(change.needs_approval for change in waiting),
        "dependants": fragments.list_dependants(actor, template),
        "refusal": refusal,
        "reason": request.POST.get("reason", ""),
        "force": request.POST.get("force", ""),
    }
    return render_page(request, "browse/archive.html", context, status=find_status(refusal) if refusal else 200)


def _perform_action(request: HttpRequest, actor: Actor, name: str) -> str:
    if request.POST.get("do") == "unarchive":
        template_archive.unarchive_template(actor=actor, name=name)
        return gettext("{name} is restored.").format(name=name)
    template_archive.archive_template(
        actor=actor, name=name, reason=request.POST.get("reason", ""), force=request.POST.get("force") == "on"
    )
    return gettext("{name} is archived. It can still be fetched, and restored.").format(name=name)
