"""Pages that restore an older version: as the newest version, or as a draft."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from frontend.diff.versions import compare_source
from frontend.web.decorators import form_page, signed_in
from frontend.web.draft_links import build_draft_url
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.core.errors import Gone, Invalid, NotAllowed, NotFound, PromptuaryError, Stale
from registry.core.problem_details import find_status
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates import restore as template_restore
from registry.templates import version_queries
from registry.templates.models import Version

__all__ = ["restore_version", "start_draft"]


@dataclass(frozen=True)
class _Refusal:
    """Why a restore was refused, as shown on the page."""

    error: PromptuaryError

    @property
    def sentences(self) -> list[str]:
        """The refusal in words, unless it consists of problems in the document."""
        if isinstance(self.error, Invalid):
            return [] if self.error.problems else list(self.error.fields.values()) or [self.error.message]
        if isinstance(self.error, Stale):
            return [gettext("A newer version was saved meanwhile. The comparison below is with that one now.")]
        return [self.error.message]


@form_page
@signed_in
def restore_version(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The difference that restoring a version would make to the newest one, and the restore button."""
    ref = request.POST.get("ref") or request.GET.get("ref") or ""
    template = template_queries.find_template(actor, Verb.SAVE, name)
    version = version_queries.resolve_version(actor, name, ref, verb=Verb.SAVE)
    version.require_text()
    refusal: _Refusal | None = None
    if request.method == "POST":
        try:
            saved = template_restore.restore_version(
                actor=actor,
                name=name,
                ref=str(version.number),
                base=request.POST.get("base") or None,
                message=request.POST.get("message", ""),
            )
        except (NotFound, NotAllowed, Gone):
            raise
        except PromptuaryError as error:
            refusal = _Refusal(error)
        else:
            done = gettext("v{new_number} now has the text of v{number}.")
            messages.success(request, done.format(new_number=saved.version.number, number=version.number))
            return redirect(f"{reverse('template', args=[name])}?{urlencode({'ref': saved.version.number})}")
    newest = version_queries.resolve_version(actor, name, "latest")
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "version": version,
        "newest": newest,
        "next_number": newest.number + 1,
        "is_same": newest.digest == version.digest,
        "has_draft": bool(template_queries.list_template_drafts(actor, name)),
        "message": request.POST.get("message", f"Restore v{version.number}"),
        "source": _compare_with_newest(newest, version),
        "refusal": refusal,
        "problems": refusal.error.problems if refusal and isinstance(refusal.error, Invalid) else [],
    }
    return render_page(request, "browse/restore.html", context, status=find_status(refusal.error) if refusal else 200)


@require_POST
@signed_in
def start_draft(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Open the editor with a version's text; an existing draft with other text can be recovered there."""
    draft_name = request.POST.get("draft", "")
    started = template_restore.start_draft(
        actor=actor, name=name, ref=request.POST.get("ref", ""), draft_name=draft_name
    )
    sentence = gettext("Your draft has the text of v{number} now.").format(number=started.version.number)
    if started.replaced is not None:
        sentence += " " + gettext("The draft you had before can be restored here for 30 days.")
    messages.success(request, sentence)
    return redirect(build_draft_url(name, started.draft.name))


def _compare_with_newest(newest: Version, version: Version) -> Any:
    """The difference that a restore makes; None if the newest text was redacted."""
    return None if newest.is_redacted else compare_source(newest, version)
