"""The pages that rename a template or a folder, after a list of which references follow the name and which don't."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.web.decorators import form_page, signed_in
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, PromptuaryError
from registry.core.problem_details import find_status
from registry.namespaces.verbs import Verb
from registry.templates import former_names, fragments, queries, rename
from registry.usage import queries as usage_queries

__all__ = ["rename_folder", "rename_template"]


@form_page
@signed_in
def rename_template(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Who fetches the template, what includes it, its former names, and the form."""
    template = queries.find_template(actor, Verb.MANAGE, name, act=gettext("rename templates"))
    refusal: PromptuaryError | None = None
    if request.method == "POST":
        try:
            renamed = rename.rename_template(actor=actor, name=name, **_read_fields(request))
        except (Conflict, Invalid) as error:
            refusal = error
        else:
            messages.success(request, gettext("{former} is {name} now.").format(former=name, name=renamed.name))
            return redirect("template", renamed.name)
    context = {
        "section": "templates",
        "subject": name,
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "fetchers": usage_queries.list_fetchers(template),
        "days": usage_queries.DAYS,
        "dependants": fragments.list_dependants(actor, template),
        "former_names": former_names.list_names(template)[1:],
        "open_changes": template.changes.pending().order_by("number"),
        **_build_context(request, name, refusal),
    }
    return render_page(request, "browse/rename.html", context, status=find_status(refusal) if refusal else 200)


@form_page
@signed_in
def rename_folder(request: HttpRequest, actor: Actor, folder: str) -> HttpResponse:
    """The templates of the folder, and the form."""
    listed = rename.list_folder(actor=actor, folder=folder)
    refusal: PromptuaryError | None = None
    if request.method == "POST":
        try:
            rename.rename_folder(actor=actor, folder=folder, **_read_fields(request))
        except (Conflict, Invalid) as error:
            refusal = error
        else:
            to = request.POST["to"].strip()
            messages.success(request, gettext("{former} is {name} now.").format(former=folder, name=to))
            return redirect("folder", to)
    context = {
        "section": "templates",
        "subject": folder,
        "crumbs": build_breadcrumbs(folder),
        "names": listed,
        **_build_context(request, folder, refusal),
    }
    return render_page(request, "browse/rename.html", context, status=find_status(refusal) if refusal else 200)


def _read_fields(request: HttpRequest) -> dict[str, str]:
    fields = {name: request.POST.get(name, "") for name in ("reason", "confirmed")}
    return {**fields, "to": request.POST.get("to", "").strip()}


def _build_context(request: HttpRequest, name: str, refusal: PromptuaryError | None) -> dict[str, object]:
    return {
        "namespace": name.partition("/")[0],
        "to": request.POST.get("to", name),
        "reason": request.POST.get("reason", ""),
        "refusal": refusal,
    }
