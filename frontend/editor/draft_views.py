"""The page of a user's drafts of one template: start, rename, discard and restore them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.web.decorators import form_page, signed_in
from frontend.web.draft_links import build_draft_url, describe_own_draft, list_draft_links, write_draft_title
from frontend.web.field_labels import capitalise_sentence
from frontend.web.findings import translate_finding
from frontend.web.forms import list_version_choices
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.problem_details import find_status
from registry.namespaces import path_permissions
from registry.namespaces.verbs import Verb
from registry.templates import drafts, label_queries, named_drafts, shared_drafts
from registry.templates import queries as template_queries
from registry.templates.models import Template

__all__ = ["list_drafts"]


@form_page
@signed_in
def list_drafts(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The user's drafts of a template and their actions; a refusal is shown above them."""
    template = _find_template(actor, name)
    error: Invalid | Conflict | None = None
    if request.method == "POST":
        try:
            return _act(request, actor, name)
        except (Invalid, Conflict) as refused:
            error = refused
    context = {
        "section": "templates",
        "name": name,
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "drafts": list_draft_links(actor, name),
        "discarded": _list_discarded(actor, name),
        "sources": _list_sources(actor, name, template),
        "source": request.POST.get("source") or request.GET.get("from", ""),
        "typed": request.POST.get("name", "") if request.POST.get("do") == "start" else "",
        "refusal": _describe_refusal(error),
        "longest_name": names.MAX_DRAFT_NAME_LENGTH,
    }
    return render_page(request, "editor/drafts.html", context, status=find_status(error) if error else 200)


def _find_template(actor: Actor, name: str) -> Template | None:
    """The template, if the user may save it; None before its first save, if the user may write in the namespace."""
    try:
        return template_queries.find_template(actor, Verb.SAVE, name)
    except NotFound:
        space, _, path = name.partition("/")
        path_permissions.find_namespace_for_draft(actor, Verb.SAVE, space, path)
        return None


def _act(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    fields = request.POST
    draft_name, new_name = fields.get("draft", ""), fields.get("name", "")
    namespace, _, path = name.partition("/")
    match fields.get("do"):
        case "start":
            started = named_drafts.start_named_draft(
                actor=actor, name=name, draft_name=new_name, source=fields.get("source", "")
            )
            return redirect(build_draft_url(name, started.name))
        case "rename":
            renamed = named_drafts.rename_draft(actor=actor, name=name, draft_name=draft_name, new_name=new_name)
            messages.success(request, gettext("The draft is called {name} now.").format(name=renamed.name))
        case "discard":
            drafts.discard_draft(actor=actor, namespace=namespace, path=path, name=draft_name)
            messages.success(request, gettext("Draft discarded. You can restore it for 30 days."))
        case "restore":
            drafts.restore_draft(actor=actor, namespace=namespace, path=path, name=draft_name)
            messages.success(request, gettext("Draft restored."))
        case "share":
            shared_drafts.share_draft(actor=actor, name=name, draft_name=draft_name)
            messages.success(request, gettext("Members of the namespace can read the draft by its link now."))
        case "stop":
            shared_drafts.stop_sharing_draft(actor=actor, name=name, draft_name=draft_name)
            messages.success(request, gettext("The draft is not shared any more."))
        case _unknown:
            raise Invalid(fields={"do": gettext("start, rename, discard, restore, share or stop.")})
    return redirect("drafts", name)


def _list_discarded(actor: Actor, name: str) -> list[dict[str, Any]]:
    rows = template_queries.list_discarded_drafts(actor, name)
    return [{"draft": draft, "title": write_draft_title(draft.name)} for draft in rows]


def _list_sources(actor: Actor, name: str, template: Template | None) -> list[tuple[str, str]]:
    """What another draft can start from: the newest version first, then the drafts, then older versions."""
    own = [(link.ref, describe_own_draft(link.name)) for link in list_draft_links(actor, name)]
    if template is None or template.latest is None:
        return own
    versions = list_version_choices(template.latest.number, label_queries.read_label_numbers(template))
    choices = [(str(number), words) for number, words in versions]
    return [*choices[:1], *own, *choices[1:]]


def _describe_refusal(error: Invalid | Conflict | None) -> str:
    if error is None:
        return ""
    sentences = list(error.fields.values()) if isinstance(error, Invalid) else []
    sentence = translate_finding(sentences[0] if sentences else error.message)
    return capitalise_sentence(sentence)
