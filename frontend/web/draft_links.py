"""Links to a user's drafts of a template: `?draft=` names a draft; the unnamed draft has no parameter."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.templates import queries as template_queries
from registry.templates.models import Draft
from registry.templates.named_drafts import build_draft_ref

__all__ = ["DraftLink", "build_draft_url", "describe_own_draft", "list_draft_links", "run_address", "write_draft_title"]


@dataclass(frozen=True)
class DraftLink:
    """A draft in a list: its title, its editor URL, and its `ref` in comparisons."""

    name: str
    title: str
    url: str
    ref: str
    saved_at: datetime
    message: str
    base: int | None
    share_url: str
    shared_at: datetime | None


def build_draft_url(name: str, draft_name: str = "", page: str = "edit") -> str:
    """The URL of a page for one draft of a template: `edit`, `preview` or `draft`."""
    address = reverse(page, args=[name])
    return f"{address}?{urlencode({'draft': draft_name})}" if draft_name else address


def run_address(edit_address: str) -> str:
    """The URL of the editor's Run view. edit_address: of the editor, which may name a draft."""
    return f"{edit_address}{'&' if '?' in edit_address else '?'}view=run"


def write_draft_title(draft_name: str) -> str:
    """The title of a draft on pages."""
    return draft_name or gettext("Draft")


def describe_own_draft(draft_name: str) -> str:
    """The name of one of the reader's drafts in a sentence."""
    return gettext("your draft {name}").format(name=draft_name) if draft_name else gettext("your draft")


def list_draft_links(actor: Actor, name: str) -> list[DraftLink]:
    """The user's drafts of a template, the unnamed one first."""
    return [_describe_draft(name, draft) for draft in template_queries.list_template_drafts(actor, name)]


def _describe_draft(name: str, draft: Draft) -> DraftLink:
    return DraftLink(
        name=draft.name,
        title=write_draft_title(draft.name),
        url=build_draft_url(name, draft.name),
        ref=build_draft_ref(draft.name),
        saved_at=draft.updated_at,
        message=draft.message,
        base=draft.base.number if draft.base else None,
        share_url=reverse("shared-draft", args=[name, draft.share_token]) if draft.share_token else "",
        shared_at=draft.shared_at,
    )
