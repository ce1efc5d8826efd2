"""Parts of the panels of releases that load on demand: how much the move of one template changes, and its effects."""

from django.http import HttpRequest, HttpResponse

from frontend.changes.label_evidence import build_evidence_context
from frontend.web.decorators import signed_in
from frontend.web.forms import parse_form_number
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.changes import label_preview, move_sizes
from registry.changes.label_preview import LabelPreview

__all__ = ["show_move_evidence", "show_move_size"]


@signed_in
def show_move_size(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """How much the move in the URL changes, and what callers have to send."""
    preview = _find_preview(request, actor, name)
    context = {"preview": preview, "size": move_sizes.find_move_size(preview)}
    return render_page(request, "releases/_member_size.html", context)


@signed_in
def show_move_evidence(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The evidence that the panel of a single template shows: difference, metrics, services and checks."""
    preview = _find_preview(request, actor, name)
    context = {**build_evidence_context(request, actor, preview), "fold": f"-{preview.template.pk}"}
    return render_page(request, "changes/_evidence.html", context)


def _find_preview(request: HttpRequest, actor: Actor, name: str) -> LabelPreview:
    label, version = request.GET.get("label", ""), parse_form_number(request.GET.get("version"))
    return label_preview.find_preview(actor, name, label, version)
