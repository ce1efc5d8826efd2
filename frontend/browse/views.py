"""The pages of folders: the tree, search with its filters in the URL, and the list of templates."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from frontend.browse.label_status import LabelStatus, labels_ahead
from frontend.web.decorators import signed_in
from frontend.web.page import breadcrumbs, show
from registry.accounts.actor import Actor
from registry.core.errors import NotFound
from registry.namespaces import queries as namespace_queries
from registry.namespaces.permissions import Role
from registry.namespaces.queries import live_label
from registry.templates import label_queries
from registry.templates import queries as template_queries
from registry.templates.models import Template

__all__ = ["browse"]

PAGE_SIZE = 50
FILTERS = ("tag", "label")


@dataclass(frozen=True)
class Row:
    """A template in the list. `stem` is what of its path is under the folder that is open."""

    name: str
    stem: str
    leaf: str
    description: str
    live: LabelStatus | None
    drift: list[LabelStatus]
    tags: list[str]
    changed_at: datetime
    author: str


@dataclass(frozen=True)
class Branch:
    """A folder in the tree; only the ones on the way to the open folder show their children."""

    name: str
    path: str
    count: int
    open: bool
    current: bool
    parent: bool
    children: list["Branch"] = field(default_factory=list)


@dataclass(frozen=True)
class Filter:
    """A filter in force, and the address without it."""

    name: str
    value: str
    without: str

    @property
    def text(self) -> str:
        return f"{self.name}:{self.value}"


@dataclass(frozen=True)
class Search:
    """What the address asks for: words, and a value by filter."""

    words: str
    filters: dict[str, str]

    def query(self, **changes: str | None) -> str:
        """The address's query with these filters changed; None takes one away."""
        values: dict[str, str | None] = {"q": self.words, **self.filters, **changes}
        wanted = {name: value for name, value in values.items() if value}
        return f"?{urlencode(wanted)}"


@signed_in
def browse(request: HttpRequest, actor: Actor, folder: str = "") -> HttpResponse:
    """Templates below a folder (or all) that match the search."""
    search = read_search(request)
    tree = template_queries.folder_tree(actor)
    here = _find(tree, folder)
    if folder and here is None:
        raise NotFound(f"There is no folder {folder}, or you are no member of its namespace.")
    page = template_queries.search_templates(
        actor,
        q=search.words,
        folder=folder or None,
        tag=search.filters.get("tag"),
        label=search.filters.get("label"),
        cursor=request.GET.get("cursor"),
        limit=PAGE_SIZE,
    )
    context = {
        "section": "templates",
        "folder": folder,
        "crumbs": breadcrumbs(folder) if folder else [],
        "tree": _branches(tree, folder),
        "total": sum(root.count for root in tree),
        "folder_count": here.count if here else sum(root.count for root in tree),
        "rows": _rows(page.items, folder),
        "next_url": search.query(cursor=page.next) if page.next else "",
        "page_size": PAGE_SIZE,
        "searched": bool(search.words or search.filters),
        **_search_context(actor, search, folder),
        **_namespace_context(actor, folder.partition("/")[0]),
    }
    return show(request, "browse/browse.html", context, regions={"templates": "browse/_templates.html"})


def read_search(request: HttpRequest) -> Search:
    """The words and filters of the address; `tag:refund` typed among the words is the filter tag."""
    filters = {name: request.GET[name] for name in FILTERS if request.GET.get(name)}
    words = []
    for word in request.GET.get("q", "").split():
        name, colon, value = word.partition(":")
        if colon and value and name in FILTERS:
            filters[name] = value
        else:
            words.append(word)
    return Search(" ".join(words), filters)


def _search_context(actor: Actor, search: Search, folder: str) -> dict[str, Any]:
    known = {"production", "staging", *_protected(actor, folder)}
    return {
        "q": search.words,
        "filters": [Filter(name, value, search.query(**{name: None})) for name, value in search.filters.items()],
        "tags": [
            {"name": f"{name} ({count:,})", "url": search.query(tag=name)}
            for name, count in template_queries.list_tags(actor)[:40]
        ],
        "labels": [{"name": name, "url": search.query(label=name)} for name in sorted(known)],
    }


def _protected(actor: Actor, folder: str) -> set[str]:
    mine = [namespace for namespace, _ in namespace_queries.list_namespaces(actor)]
    root = folder.partition("/")[0]
    return {
        str(label) for namespace in mine if not root or namespace.name == root for label in namespace.protected_labels
    }


def _namespace_context(actor: Actor, name: str) -> dict[str, Any]:
    roles = {namespace.name: (namespace, role) for namespace, role in namespace_queries.list_namespaces(actor)}
    writes = [role.rank >= Role.AUTHOR.rank for _, role in roles.values()]
    if name not in roles:
        return {"may_create": any(writes)}
    namespace, role = roles[name]
    return {
        "namespace": namespace,
        "admins": [
            member.person.username
            for member in namespace_queries.list_members(actor, name)
            if member.role == Role.ADMIN
        ][:3],
        "may_create": role.rank >= Role.AUTHOR.rank,
        "may_manage": role is Role.ADMIN,
    }


def _rows(items: list[Template], folder: str) -> list[Row]:
    standing = label_queries.label_numbers_of_many(items)
    below = len(folder) + 1 if folder else 0
    rows = []
    for template in items:
        numbers = standing[template.pk]
        live = live_label(template.namespace)
        stem, _, leaf = template.name[below:].rpartition("/")
        rows.append(
            Row(
                name=template.name,
                stem=f"{stem}/" if stem else "",
                leaf=leaf,
                description=template.description,
                live=LabelStatus(live, number=numbers[live]) if live in numbers else None,
                drift=labels_ahead(numbers, template.namespace),
                tags=[tag.name for tag in template.tags.all()],
                changed_at=template.updated_at,
                author=template.latest.author.username if template.latest else "",
            )
        )
    return rows


def _find(folders: list[template_queries.Folder], path: str) -> template_queries.Folder | None:
    for folder in folders:
        if folder.path == path:
            return folder
        if path.startswith(f"{folder.path}/"):
            return _find(folder.folders, path)
    return None


def _branches(folders: list[template_queries.Folder], path: str) -> list[Branch]:
    return [
        Branch(
            name=folder.name,
            path=folder.path,
            count=folder.count,
            open=is_open,
            current=folder.path == path,
            parent=bool(folder.folders),
            children=_branches(folder.folders, path) if is_open else [],
        )
        for folder in folders
        for is_open in [f"{path}/".startswith(f"{folder.path}/")]
    ]
