"""Search: templates by words and properties, how many there are, and what the words may have meant.

Every answer takes the same number of queries and, but for reading the rows of its page, the same time however many
templates there are. Up to `COUNTED` matches are read, counted and sorted exactly; where there are more, the count says
"more than" and the page is read along the order that was asked for.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet, Sum, prefetch_related_objects
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.core.names import LATEST
from registry.core.pagination import Page, check_limit, cut, read_number, read_text
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.templates import search_engine
from registry.templates.models import Template
from registry.templates.search_engine import Scope
from registry.templates.search_entries import FILTER_KINDS
from registry.templates.search_models import SearchCount
from registry.templates.search_terms import Term, TermGroup, facet_term, read_words, word_group

__all__ = [
    "COUNTED",
    "SORTS",
    "Folder",
    "MatchCount",
    "SearchPage",
    "TemplateSearch",
    "VisibleNamespaces",
    "count_templates",
    "find_templates",
    "folder_tree",
    "list_folder_paths",
    "list_values",
    "search_templates",
    "similar_words",
    "visible_namespaces",
]

COUNTED = 1_000
SORTS = ("name", "changed")
_MOST_WORDS = 10
_MOST_FOLDERS = 500  # shown below one folder of the tree
_MOST_COMPARED = 2_000
_HEAVY = ("latest__bundle", "latest__problems", "latest__settings")


@dataclass(frozen=True)
class VisibleNamespaces:
    """The namespaces that somebody may read in, names to ids sorted by name, and whether these are all there are."""

    ids: Mapping[str, int]
    is_all: bool


@dataclass(frozen=True)
class TemplateSearch:
    """What to look for: templates that have every word and every value.

    q: words, each found by its beginning in the text, description and tags, and by any part in the name. only_names:
    look for them in names only. values: a kind of `FILTER_KINDS` to the values that a template must all have. any_of:
    kinds with values of which it must have one, where there are any; of `behind` also `<namespace>:<label>`. folder:
    a full path such as `support/refunds`; all below it counts. archived: those that were put away, in place of the
    rest.
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
        """Whether it asks for more than all templates of a place."""
        return bool(self.q.strip() or any(self.values.values()))


@dataclass(frozen=True)
class MatchCount:
    """How many templates match; at least so many where it is not exact."""

    number: int
    is_exact: bool = True


@dataclass(frozen=True)
class SearchPage:
    """A page of templates, and how many match on all pages."""

    page: Page[Template]
    count: MatchCount


@dataclass
class Folder:
    """A folder of names: a namespace, or a part of one. `path` is the full one, `count` all templates below.

    `folders` are filled in only for the folders on the way to the open one; `has_folders` says whether there are any.
    """

    name: str
    path: str
    count: int = 0
    has_folders: bool = False
    folders: list["Folder"] = field(default_factory=list)


def visible_namespaces(actor: Actor) -> VisibleNamespaces:
    """The namespaces the actor may read in, as the functions here take them."""
    rows = permissions.visible_namespaces(actor).order_by("name")
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

    The newest text is looked through, so a narrow key is refused: `limited_key_view.search_visible` is for both.
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
    """One page of what the search finds, by name or the last change first, and the count of all.

    counted: up to so many matches are counted. visible: of `visible_namespaces`, for who asks several times. Invalid
    where the order, a kind of value, the limit or the cursor is none.
    """
    limit = check_limit(limit)
    if sort not in SORTS:
        raise Invalid(
            fields={"sort": gettext("one of {names}; this is {sort}.").format(names=", ".join(SORTS), sort=sort)}
        )
    after_name = read_text(cursor) or "" if sort == "name" else ""
    before_id = read_number(cursor) if sort == "changed" else None
    groups, scope = _groups(search), _scope(visible or visible_namespaces(actor), search)
    if groups is None or scope.is_empty:
        return SearchPage(Page([], None), MatchCount(0))
    if sort == "name" and not groups:
        hits, count = search_engine.first_by_name(scope, after_name, limit + 1), None
    else:
        found = search_engine.match_some([*_scope_groups(scope), *groups], counted + 1)
        count = MatchCount(min(len(found), counted), len(found) <= counted)
        if count.is_exact and sort == "name":
            hits = sorted((hit for hit in found if hit[1] > after_name), key=lambda hit: hit[1])
        elif count.is_exact:
            hits = sorted((hit for hit in found if before_id is None or hit[0] < before_id), reverse=True)
        elif sort == "name":
            hits = search_engine.walk_by_name(groups, scope, after_name, limit + 1)
        else:
            hits = search_engine.newest_matches([*_scope_groups(scope), *groups], before_id, limit + 1)
    if count is None or not groups:
        count = _count_scope(scope)
    page = cut(hits[: limit + 1], limit, lambda hit: hit[1] if sort == "name" else hit[0])
    return SearchPage(Page(_read_templates([number for number, _ in page.items]), page.next), count)


def count_templates(
    actor: Actor,
    search: TemplateSearch,
    *,
    counted: int = COUNTED,
    visible: VisibleNamespaces | None = None,
) -> MatchCount:
    """How many templates the search finds; up to `counted` exactly."""
    groups, scope = _groups(search), _scope(visible or visible_namespaces(actor), search)
    if groups is None or scope.is_empty:
        return MatchCount(0)
    if not groups:
        return _count_scope(scope)
    found = len(search_engine.match_some([*_scope_groups(scope), *groups], counted + 1))
    return MatchCount(min(found, counted), found <= counted)


def folder_tree(actor: Actor, open_folder: str = "") -> list[Folder]:
    """Every namespace the actor may read in, and the folders on the way to the open one with what is beside them.

    Sorted by name; archived templates don't count.
    """
    names = list(permissions.visible_namespaces(actor).order_by("name").values_list("name", flat=True))
    segments = open_folder.split("/") if open_folder else []
    open_paths = ["/".join(segments[: depth + 1]) for depth in range(len(segments))]
    folders = SearchCount.objects.filter(kind="in", namespace__name__in=names)
    roots = {name: Folder(name, name) for name in names}
    known = dict(roots)
    for path, count in folders.filter(parent="").values_list("value", "count"):
        roots[path].count = count
    below = folders.filter(parent__in=open_paths).order_by("value")
    for path, parent, count in below.values_list("value", "parent", "count")[:_MOST_FOLDERS]:
        if parent in known:
            known[path] = Folder(path.rpartition("/")[2], path, count)
            known[parent].folders.append(known[path])
    parents = folders.filter(parent__in=list(known)).values_list("parent", flat=True).distinct()
    for path in parents:
        known[path].has_folders = True
    return list(roots.values())


def list_folder_paths(namespace: Namespace) -> list[str]:
    """The folders of the namespace that hold templates, as paths inside it; the caller has checked the right."""
    rows = SearchCount.objects.filter(kind="in", namespace=namespace).exclude(parent="").order_by("value")
    return [path.partition("/")[2] for path in rows.values_list("value", flat=True)[:_MOST_FOLDERS]]


def list_values(
    actor: Actor, kinds: Sequence[str] = FILTER_KINDS, *, namespace: str = "", most: int = 40
) -> dict[str, list[tuple[str, int]]]:
    """For each kind the values in use with the number of templates that have them, the most used first.

    namespace: only those of this one.
    """
    rows = SearchCount.objects.filter(kind__in=kinds, namespace__in=_visible(actor, namespace))
    sums = rows.values_list("kind", "value").annotate(total=Sum("count")).order_by("-total", "value")
    found: dict[str, list[tuple[str, int]]] = {kind: [] for kind in kinds}
    for kind, value, total in sums:
        if len(found[kind]) < most:
            found[kind].append((value, total))
    return found


def similar_words(actor: Actor, kind: str, text: str) -> str | None:
    """The value of this kind in use that is most like a text that none has: what may have been meant, or None.

    kind: of `FILTER_KINDS`, or `word` for the words in names. Compared are values that begin alike.
    """
    rows = SearchCount.objects.filter(kind=kind, namespace__in=_visible(actor, ""), value__startswith=text[:1])
    values = rows.values_list("value", flat=True).distinct()[:_MOST_COMPARED]
    return next(iter(difflib.get_close_matches(text, list(values), n=1, cutoff=0.7)), None)


def _groups(search: TemplateSearch) -> list[TermGroup] | None:
    """What has to match, or None where nothing can."""
    words = search.q.replace("\0", " ").split()[:_MOST_WORDS]
    terms = [read_words(word) for word in words]
    if not all(terms):
        return None  # signs only: no text is indexed by them
    groups = [word_group(term, only_names=search.only_names) for parts in terms for term in parts]
    for kind, values in search.values.items():
        if kind not in FILTER_KINDS:
            raise Invalid(
                fields={
                    kind: gettext("there is no such filter; there are {names}.").format(names=", ".join(FILTER_KINDS))
                }
            )
        groups += [(Term(facet_term(kind, value)),) for value in values if (kind, value) != ("label", LATEST)]
    if search.any_of is not None:
        if not search.any_of:
            return None
        groups.append(tuple(Term(facet_term(kind, value)) for kind, value in search.any_of))
    return list(dict.fromkeys(groups))


def _scope(visible: VisibleNamespaces, search: TemplateSearch) -> Scope:
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


def _visible(actor: Actor, namespace: str) -> QuerySet[Namespace]:
    rows = permissions.visible_namespaces(actor)
    return rows.filter(name=namespace) if namespace else rows


def _scope_groups(scope: Scope) -> list[TermGroup]:
    groups: list[TermGroup] = [(Term(facet_term("archived" if scope.is_archived else "live", "")),)]
    if scope.folder:
        groups.append((Term(facet_term("in", scope.folder)),))
    elif scope.namespaces is not None:
        groups.append(tuple(Term(facet_term("in", name)) for name in scope.names))
    return groups


def _count_scope(scope: Scope) -> MatchCount:
    if scope.is_archived:
        found = len(search_engine.match_some(_scope_groups(scope), COUNTED + 1))
        return MatchCount(min(found, COUNTED), found <= COUNTED)
    rows = SearchCount.objects.filter(kind="in")
    rows = rows.filter(value=scope.folder) if scope.folder else rows.filter(parent="")
    if scope.namespaces is not None:
        rows = rows.filter(namespace__in=scope.namespaces)
    return MatchCount(rows.aggregate(total=Sum("count"))["total"] or 0)


def _read_templates(entries: Sequence[int]) -> list[Template]:
    """The templates of the entries, in their order."""
    rows = Template.objects.filter(search_entry__in=entries).select_related("namespace", "latest", "latest__author")
    rows = rows.select_related("search_entry").defer(*_HEAVY, "search_entry__words", "search_entry__facets")
    known = {row.search_entry.pk: row for row in rows}
    return [known[number] for number in entries if number in known]
