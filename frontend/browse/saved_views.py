"""The reader's saved views as rows: name, URL, and how many templates each matches."""

from dataclasses import dataclass, replace

from django.http import QueryDict
from django.urls import reverse

from frontend.web.search_text import SearchText, read_search
from registry.accounts.actor import Actor
from registry.bookmarks import queries as bookmark_queries
from registry.bookmarks.models import SavedView
from registry.templates import search_queries
from registry.templates.search_queries import MatchCount, TemplateSearch, VisibleNamespaces

__all__ = ["ViewRow", "build_search", "count_view_rows", "list_view_rows", "write_view_address"]

_COUNTED = 999  # most templates of a view that are counted exactly


@dataclass(frozen=True)
class ViewRow:
    """A saved view and its URL. `count` is None if it wasn't requested."""

    view: SavedView
    address: str
    count: MatchCount | None = None


def list_view_rows(actor: Actor) -> list[ViewRow]:
    """The reader's views by name."""
    return [ViewRow(view, write_view_address(view)) for view in bookmark_queries.list_views(actor)]


def count_view_rows(actor: Actor) -> list[ViewRow]:
    """The reader's views by name, each with the number of templates that it matches."""
    visible = search_queries.find_visible_namespaces(actor)
    return [replace(row, count=_count(actor, row.view, visible)) for row in list_view_rows(actor)]


def build_search(text: SearchText, folder: str) -> TemplateSearch:
    """Parse a search from a URL. folder: empty for all templates."""
    return TemplateSearch(text.words, text.values, folder=folder or None, archived="archived" in text.others)


def write_view_address(view: SavedView) -> str:
    """The URL of a saved view's search."""
    folder = reverse("folder", args=[view.folder]) if view.folder else reverse("browse")
    return f"{folder}?{view.query}"


def _count(actor: Actor, view: SavedView, visible: VisibleNamespaces) -> MatchCount:
    search = build_search(read_search(QueryDict(view.query)), view.folder)
    return search_queries.count_templates(actor, search, counted=_COUNTED, visible=visible)
