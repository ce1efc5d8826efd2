"""Templates: one by its name, many by search, all as a tree of folders."""

from dataclasses import dataclass, field

from django.db.models import Count, QuerySet

from registry.accounts.actor import Actor
from registry.core.errors import NotFound
from registry.core.names import LATEST
from registry.core.pagination import Page, check_limit, cut, read_text
from registry.namespaces import permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces.permissions import Verb
from registry.templates.models import Tag, Template

__all__ = [
    "Folder",
    "browsable_templates",
    "filter_templates",
    "find_template",
    "folder_tree",
    "get_template",
    "list_tags",
    "lock_template",
    "search_templates",
    "search_words",
]

_HEAVY = ("words", "latest__bundle", "latest__problems", "latest__settings")
_MOST_WORDS = 10


@dataclass
class Folder:
    """A folder of names: a namespace, or a part of one. `path` is the full one, `count` all templates below."""

    name: str
    path: str
    count: int = 0
    folders: list["Folder"] = field(default_factory=list)


def get_template(actor: Actor, name: str) -> Template:
    """The template with its namespace and latest version, or NotFound, for outsiders too.

    For whoever reads its newest text, samples or requests: a narrow key is refused, and goes through `key_views`.
    """
    return find_template(actor, Verb.READ, name)


def find_template(actor: Actor, verb: Verb, name: str, *, lock: bool = False) -> Template:
    """The template, with the right to do this to it checked; locked until commit where the caller is about to write."""
    if lock:
        lock_template(name)
    rows = Template.objects.select_related("namespace", "latest").filter(name=name)
    template = rows.defer("words").first()
    if template is None:
        raise _unknown(name)
    try:
        permissions.require_verb(actor, verb, template.namespace)
    except NotFound as error:
        raise _unknown(name) from error
    return template


def lock_template(name: str) -> bool:
    """Lock the template's row until commit; whether there is one.

    What is read with it has to be read after: PostgreSQL gives a row it waited for as it is now, but what is joined to
    it as it was before.
    """
    return Template.objects.select_for_update(no_key=True).filter(name=name).values_list("pk").first() is not None


def search_templates(  # noqa: PLR0913  # the filters of the browse page and the API, each with its own meaning
    actor: Actor,
    *,
    q: str = "",
    namespace: str | None = None,
    tag: str | None = None,
    label: str | None = None,
    folder: str | None = None,
    archived: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Template]:
    """Templates by name that the actor may read and that meet every filter given.

    q: words that must all occur in the name, description, tags or latest document, in any case. folder: a full path
    such as `support/refunds`, all below it counts. label: templates that carry this label. The newest text is looked
    through, so a narrow key is refused: `key_views.search` is for both.
    """
    limit = check_limit(limit)
    rows = filter_templates(_visible(actor), namespace=namespace, label=label, folder=folder, archived=archived)
    for word in search_words(q):
        rows = rows.filter(words__contains=word)
    if tag:
        rows = rows.filter(tags__name=tag)
    if after := read_text(cursor):
        rows = rows.filter(name__gt=after)
    rows = rows.select_related("namespace", "latest", "latest__author").defer(*_HEAVY).prefetch_related("tags")
    return cut(rows.order_by("name")[: limit + 1], limit, lambda template: template.name)


def search_words(q: str) -> list[str]:
    """The words that a search looks for, in lower case."""
    return q.replace("\0", "").casefold().split()[:_MOST_WORDS]


def filter_templates(
    rows: QuerySet[Template],
    *,
    namespace: str | None = None,
    label: str | None = None,
    folder: str | None = None,
    archived: bool = False,
) -> QuerySet[Template]:
    """The rows that meet the filters which look at no text."""
    rows = rows.filter(archived_at__isnull=not archived)
    if namespace:
        rows = rows.filter(namespace__name=namespace)
    if folder:
        rows = rows.filter(name__startswith=folder.rstrip("/") + "/")
    if label and label != LATEST:
        rows = rows.filter(labels__name=label)
    return rows


def browsable_templates(actor: Actor) -> QuerySet[Template]:
    """The templates whose names and labels the actor may see, by name; what they say is told by `key_views`."""
    rows = Template.objects.filter(
        namespace__in=namespace_queries.visible_namespaces(actor, Verb.BROWSE), latest__isnull=False
    )
    rows = rows.select_related("namespace", "latest", "latest__author").defer("words", "latest__bundle")
    return rows.prefetch_related("tags", "labels").order_by("name")


def folder_tree(actor: Actor) -> list[Folder]:
    """Every namespace the actor may read in with its folders, sorted by name; archived templates don't count."""
    roots = {
        space.name: Folder(space.name, space.name)
        for space in namespace_queries.visible_namespaces(actor).order_by("name")
    }
    known = dict(roots)
    for name in _visible(actor).filter(archived_at=None).order_by("name").values_list("name", flat=True):
        folders = name.split("/")[:-1]
        for depth in range(1, len(folders) + 1):
            path = "/".join(folders[:depth])
            if path not in known:
                known[path] = Folder(folders[depth - 1], path)
                known["/".join(folders[: depth - 1])].folders.append(known[path])
            known[path].count += 1
    return list(roots.values())


def list_tags(actor: Actor) -> list[tuple[str, int]]:
    """Every tag in use with the number of templates that carry it, the most used first."""
    rows = Tag.objects.filter(
        template__namespace__in=namespace_queries.visible_namespaces(actor), template__archived_at=None
    )
    return list(rows.values_list("name").annotate(count=Count("id")).order_by("-count", "name"))


def _visible(actor: Actor) -> QuerySet[Template]:
    return Template.objects.filter(namespace__in=namespace_queries.visible_namespaces(actor), latest__isnull=False)


def _unknown(name: str) -> NotFound:
    return NotFound(f"There is no template {name[:600]}, or you may not read it.")
