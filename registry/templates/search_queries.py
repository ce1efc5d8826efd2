"""Search for templates by words and properties, with counts. Folders and values in use are in `search_counts`.

Every search takes the same number of queries and, apart from reading its page's rows, the same time regardless of the
number of templates. Up to `COUNTED` matches are read, counted and sorted exactly. If there are more, the count is a
lower bound and the page is read in index order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Sum, prefetch_related_objects
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.core.names import LATEST
from registry.core.pagination import Page, check_limit, cut_page, read_number, read_text
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.templates import search_engine
from registry.templates.models import Template
from registry.templates.search_engine import Scope
from registry.templates.search_entries import FILTER_KINDS
from registry.templates.search_models import SearchCount
from registry.templates.search_terms import Term, TermGroup, read_words, write_facet_term, write_word_group

__all__ = [
    "COUNTED",
    "SORTS",
    "MatchCount",
    "SearchPage",
    "TemplateSearch",
    "VisibleNamespaces",
    "count_templates",
    "find_templates",
    "find_visible_namespaces",
    "search_templates",
]

COUNTED = 1_000
SORTS = ("name", "changed")
_MAX_WORDS = 10
_HEAVY = ("latest__bundle", "latest__problems", "latest__settings")


@dataclass(frozen=True)
class VisibleNamespaces:
    """The namespaces that an actor may read in, names to ids sorted by name, and whether these are all namespaces."""

    ids: Mapping[str, int]
    is_all: bool


@dataclass(frozen=True)
class TemplateSearch:
    """What to look for: templates that have every word and every value.

    q: words, each found by its beginning in the text, description and tags, and by any part in the name. only_names:
    look for them in names only. values: a kind of `FILTER_KINDS` to the values that a template must all have. any_of:
    kinds to values of which it must have at least one; for `behind` also `<namespace>:<label>`. folder: a full path
    such as `support/refunds`, searched recursively. archived: search archived templates instead.
    """

    q: str = ""
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    namespace: str | None = None
    folder: str | None = None
    archived: bool = False
    only_names: bool = False
    any_of: Sequence[tuple[str, str]] | None = None

    @property
    def is_narrowed(self) -> bool:
        """Whether it filters by anything but the folder."""
        return bool(self.q.strip() or any(self.values.values()))


@dataclass(frozen=True)
class MatchCount:
    """How many templates match; a lower bound if it is not exact."""

    number: int
    is_exact: bool = True


@dataclass(frozen=True)
class SearchPage:
    """A page of templates, and how many match on all pages."""

    page: Page[Template]
    count: MatchCount


def find_visible_namespaces(actor: Actor) -> VisibleNamespaces:
    """The namespaces the actor may read in."""
    rows = permissions.list_visible_namespaces(actor).order_by("name")
    ids = {name: number for number, name in rows.values_list("pk", "name")}
    return VisibleNamespaces(ids, is_all=actor.is_operator or len(ids) == Namespace.objects.count())


def search_templates(
    actor: Actor,
    *,
    q: str = "",
    namespace: str | None = None,
    folder: str | None = None,
    archived: bool = False,
    sort: str = "name",
    cursor: str | None = None,
    limit: int = 50,
    **values: str | None,
) -> Page[Template]:
    """Templates that the actor may read and that meet every filter. values: of `FILTER_KINDS`, one each.

    The newest text is searched, so narrow keys are refused; `limited_key_view.search_visible` serves all callers.
    """
    chosen = {kind: [value] for kind, value in values.items() if value}
    search = TemplateSearch(q, chosen, namespace, folder, archived)
    page = find_templates(actor, search, sort=sort, cursor=cursor, limit=limit).page
    prefetch_related_objects(page.items, "tags")
    return page


def find_templates(
    actor: Actor,
    search: TemplateSearch,
    *,
    sort: str = "name",
    cursor: str | None = None,
    limit: int = 50,
    counted: int = COUNTED,
    visible: VisibleNamespaces | None = None,
) -> SearchPage:
    """One page of the matches, by name or most recently changed first, and the total count.

    counted: the most matches to count exactly. visible: from `find_visible_namespaces`, for callers that search several
    times. Raises Invalid for an unknown order, kind of value, limit or cursor.
    """
    limit = check_limit(limit)
    if sort not in SORTS:
        raise Invalid(
            fields={"sort": gettext("one of {names}; this is {sort}.").format(names=", ".join(SORTS), sort=sort)}
        )
    after_name = read_text(cursor) or "" if sort == "name" else ""
    before_id = read_number(cursor) if sort == "changed" else None
    groups, scope = _build_groups(search), _build_scope(visible or find_visible_namespaces(actor), search)
    if groups is None or scope.is_empty:
        return SearchPage(Page([], None), MatchCount(0))
    if sort == "name" and not groups:
        hits, count = search_engine.list_first_by_name(scope, after_name, limit + 1), None
    else:
        scoped_groups = [*_build_scope_groups(scope), *groups]
        if sort == "name":
            ordered = search_engine.select_by_name(groups, scope, after_name)
        else:
            ordered = search_engine.select_newest(scoped_groups, before_id)
        matches, hits = search_engine.match_some_or_first(scoped_groups, counted, ordered, limit + 1)
        count = MatchCount(min(len(matches), counted), len(matches) <= counted)
        if count.is_exact and sort == "name":
            hits = [hit for hit in matches if hit[1] > after_name]
        elif count.is_exact:
            hits = [hit for hit in matches if before_id is None or hit[0] < before_id]
        hits.sort(key=(lambda hit: hit[1]) if sort == "name" else (lambda hit: -hit[0]))
    if count is None or not groups:
        count = _count_scope(scope)
    page = cut_page(hits[: limit + 1], limit, lambda hit: hit[1] if sort == "name" else hit[0])
    return SearchPage(Page(_read_templates([number for number, _ in page.items]), page.next), count)


def count_templates(
    actor: Actor,
    search: TemplateSearch,
    *,
    counted: int = COUNTED,
    visible: VisibleNamespaces | None = None,
) -> MatchCount:
    """The number of matches, exact up to `counted`."""
    groups, scope = _build_groups(search), _build_scope(visible or find_visible_namespaces(actor), search)
    if groups is None or scope.is_empty:
        return MatchCount(0)
    if not groups:
        return _count_scope(scope)
    count = len(search_engine.match_some([*_build_scope_groups(scope), *groups], counted + 1))
    return MatchCount(min(count, counted), count <= counted)


def _build_groups(search: TemplateSearch) -> list[TermGroup] | None:
    """What has to match, or None if nothing can."""
    words = search.q.replace("\0", " ").split()[:_MAX_WORDS]
    terms = [read_words(word) for word in words]
    if not all(terms):
        return None  # only punctuation, which is not indexed
    groups = [write_word_group(term, only_names=search.only_names) for parts in terms for term in parts]
    for kind, values in search.values.items():
        if kind not in FILTER_KINDS:
            raise Invalid(
                fields={
                    kind: gettext("there is no such filter; there are {names}.").format(names=", ".join(FILTER_KINDS))
                }
            )
        groups += [(Term(write_facet_term(kind, value)),) for value in values if (kind, value) != ("label", LATEST)]
    if search.any_of is not None:
        if not search.any_of:
            return None
        groups.append(tuple(Term(write_facet_term(kind, value)) for kind, value in search.any_of))
    return list(dict.fromkeys(groups))


def _build_scope(visible: VisibleNamespaces, search: TemplateSearch) -> Scope:
    folder = (search.folder or "").strip("/")
    root = folder.partition("/")[0]
    if search.namespace and root and search.namespace != root:
        return Scope(())
    if name := search.namespace or root:
        number = visible.ids.get(name)
        return Scope(()) if number is None else Scope((number,), (name,), folder, search.archived)
    if visible.is_all:
        return Scope(None, (), folder, search.archived)
    return Scope(tuple(visible.ids.values()), tuple(visible.ids), folder, search.archived)


def _build_scope_groups(scope: Scope) -> list[TermGroup]:
    groups: list[TermGroup] = [(Term(write_facet_term("archived" if scope.is_archived else "live", "")),)]
    if scope.folder:
        groups.append((Term(write_facet_term("in", scope.folder)),))
    elif scope.namespaces is not None:
        groups.append(tuple(Term(write_facet_term("in", name)) for name in scope.names))
    return groups


def _count_scope(scope: Scope) -> MatchCount:
    if scope.is_archived:
        count = len(search_engine.match_some(_build_scope_groups(scope), COUNTED + 1))
        return MatchCount(min(count, COUNTED), count <= COUNTED)
    rows = SearchCount.objects.filter(kind="in")
    rows = rows.filter(value=scope.folder) if scope.folder else rows.filter(parent="")
    if scope.namespaces is not None:
        rows = rows.filter(namespace__in=scope.namespaces)
    return MatchCount(rows.aggregate(total=Sum("count"))["total"] or 0)


def _read_templates(entries: Sequence[int]) -> list[Template]:
    """The templates of the entries, in their order."""
    rows = Template.objects.filter(search_entry__in=entries).select_related("namespace", "latest", "latest__author")
    rows = rows.select_related("search_entry").defer(*_HEAVY, "search_entry__words", "search_entry__facets")
    templates = {row.search_entry.pk: row for row in rows}
    return [templates[number] for number in entries if number in templates]
