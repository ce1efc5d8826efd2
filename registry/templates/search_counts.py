"""Queries of the search index's counts: folders, values in use, and suggestions for mistyped values.

Each takes the same time regardless of the number of templates.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet, Sum

from registry.accounts.actor import Actor
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.templates.search_entries import FILTER_KINDS
from registry.templates.search_models import SearchCount, SearchEntry

__all__ = ["Folder", "find_similar_words", "list_flat_folders", "list_folder_paths", "list_values", "read_folder_tree"]

_MAX_FOLDERS = 500  # the most shown in one folder of the tree
_MAX_LEAVES = 50  # the most templates below a folder, subfolders included, for the tree to list them
_MAX_COMPARED = 2_000


@dataclass
class Folder:
    """A namespace or a folder in one. `path` is its full path, `count` the number of templates below it.

    `folders` is filled in only on the path to the open folder; `has_folders` says whether there are any. `templates`
    are the full names of the templates directly in it, for folders on that path that are small enough.
    """

    name: str
    path: str
    count: int = 0
    has_folders: bool = False
    folders: list["Folder"] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)


def list_flat_folders(actor: Actor, namespace: str = "") -> list[Folder]:
    """Every folder the actor may read in, namespaces among them, by full path: the first 500.

    namespace: only those of this one. Archived templates don't count.
    """
    rows = SearchCount.objects.filter(kind="in", namespace__in=_select_visible(actor, namespace)).order_by("value")
    return [Folder(path, path, count) for path, count in rows.values_list("value", "count")[:_MAX_FOLDERS]]


def read_folder_tree(actor: Actor, open_folder: str = "", *, with_templates: bool = True) -> list[Folder]:
    """Every namespace the actor may read in, and the folders on the path to the open one with their siblings.

    Sorted by name; archived templates don't count.
    """
    names = list(permissions.list_visible_namespaces(actor).order_by("name").values_list("name", flat=True))
    segments = open_folder.split("/") if open_folder else []
    open_paths = ["/".join(segments[: depth + 1]) for depth in range(len(segments))]
    folders = SearchCount.objects.filter(kind="in", namespace__name__in=names)
    roots = {name: Folder(name, name) for name in names}
    folders_by_path = dict(roots)
    for path, count in folders.filter(parent="").values_list("value", "count"):
        roots[path].count = count
    below = folders.filter(parent__in=open_paths).order_by("value")
    for path, parent, count in below.values_list("value", "parent", "count")[:_MAX_FOLDERS]:
        if parent in folders_by_path:
            folders_by_path[path] = Folder(path.rpartition("/")[2], path, count)
            folders_by_path[parent].folders.append(folders_by_path[path])
    parents = folders.filter(parent__in=list(folders_by_path)).values_list("parent", flat=True).distinct()
    for path in parents:
        folders_by_path[path].has_folders = True
    if with_templates:
        _add_templates([folders_by_path[path] for path in open_paths if path in folders_by_path])
    return list(roots.values())


def _add_templates(opened: Sequence[Folder]) -> None:
    """Fill in the templates of the opened folders, from the outermost one that is small enough. opened: outermost
    first.
    """
    small = {folder.path: folder for folder in opened if 0 < folder.count <= _MAX_LEAVES}
    if not small:
        return
    # A range query on the index of names, which is sorted by code point: 0 follows /.
    outermost = next(iter(small))
    names = SearchEntry.objects.filter(is_archived=False, name__gt=f"{outermost}/", name__lt=f"{outermost}0")
    for name in names.order_by("name").values_list("name", flat=True):
        folder = small.get(name.rpartition("/")[0])
        if folder is not None:
            folder.templates.append(name)


def list_folder_paths(namespace: Namespace) -> list[str]:
    """The namespace's folders that contain templates, as paths inside it; the caller has checked the right."""
    rows = SearchCount.objects.filter(kind="in", namespace=namespace).exclude(parent="").order_by("value")
    return [path.partition("/")[2] for path in rows.values_list("value", flat=True)[:_MAX_FOLDERS]]


def list_values(
    actor: Actor, kinds: Sequence[str] = FILTER_KINDS, *, namespace: str = "", limit: int = 40
) -> dict[str, list[tuple[str, int]]]:
    """For each kind the values in use and their numbers of templates, most used first.

    namespace: only those of this one.
    """
    rows = SearchCount.objects.filter(kind__in=kinds, namespace__in=_select_visible(actor, namespace))
    sums = rows.values_list("kind", "value").annotate(total=Sum("count")).order_by("-total", "value")
    counts: dict[str, list[tuple[str, int]]] = {kind: [] for kind in kinds}
    for kind, value, total in sums:
        if len(counts[kind]) < limit:
            counts[kind].append((value, total))
    return counts


def find_similar_words(actor: Actor, kind: str, text: str) -> str | None:
    """The value in use that is most similar to an unknown one, as a suggestion, or None.

    kind: of `FILTER_KINDS`, or `word` for the words in names. Only values with a common prefix are compared.
    """
    rows = SearchCount.objects.filter(kind=kind, namespace__in=_select_visible(actor, ""), value__startswith=text[:1])
    values = rows.values_list("value", flat=True).distinct()[:_MAX_COMPARED]
    return next(iter(difflib.get_close_matches(text, list(values), n=1, cutoff=0.7)), None)


def _select_visible(actor: Actor, namespace: str) -> QuerySet[Namespace]:
    rows = permissions.list_visible_namespaces(actor)
    return rows.filter(name=namespace) if namespace else rows
