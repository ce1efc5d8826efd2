"""The page of a draft that its author shares: its text and the rendered prompt, read-only, for members."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from frontend.editor.preview import build_preview
from frontend.editor.state import EditorState, read_samples, select_sample
from frontend.web import highlight
from frontend.web.decorators import signed_in
from frontend.web.draft_links import write_draft_title
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.core.input_checks import parse_number
from registry.templates import shared_drafts
from registry.templates.models import Draft, Template

__all__ = ["show_shared_draft"]


@signed_in
def show_shared_draft(request: HttpRequest, actor: Actor, name: str, token: str) -> HttpResponse:
    """A shared draft as it is now; its script follows it from the revision in the page."""
    draft = shared_drafts.find_shared_draft(actor, name, token)
    template = Template.objects.select_related("latest").filter(name=name).first()
    state = _build_state(name, draft, template)
    select_sample(state, request.GET.get("sample", ""))
    state.prompt = parse_number(request.GET.get("prompt", "0"), digits=4) or 0
    context: dict[str, Any] = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "state": state,
        "draft": draft,
        "title": write_draft_title(draft.name),
        "is_own": draft.person_id == actor.person.pk,
        "preview": build_preview(actor, state),
        "source": highlight.highlight(draft.document),
        "document": draft.document,
        "token": token,
    }
    return render_page(request, "editor/shared_draft.html", context)


def _build_state(name: str, draft: Draft, template: Template | None) -> EditorState:
    sample_set = template.current_samples() if template else None
    stored = sample_set.samples if sample_set else {}
    return EditorState(
        name=name,
        namespace=draft.namespace,
        template=template,
        base=draft.base,
        latest=template.latest if template else None,
        draft=draft,
        document=draft.document,
        samples=read_samples(draft.samples, stored),
        kept_samples=stored,
        draft_name=draft.name,
    )
