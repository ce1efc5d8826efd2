"""Queries of datasets: by name, by search and their versions."""

from collections import Counter
from collections.abc import Collection

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext

from promptuary.evaluation import Row
from registry.accounts.actor import Actor
from registry.core.errors import NotFound
from registry.core.pagination import Page, check_limit, cut_page, read_number, read_text
from registry.evaluations.dataset_models import Dataset, DatasetVersion
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.verbs import Verb

__all__ = [
    "find_dataset",
    "list_dataset_names",
    "list_dataset_rows",
    "list_dataset_tags",
    "list_dataset_versions",
    "list_datasets",
    "lock_dataset",
    "read_dataset",
    "read_dataset_version",
]

Placed = tuple[int, Row]
_FEW = 500  # the most datasets that a list is filtered by id for


def read_dataset(actor: Actor, name: str) -> Dataset:
    """The dataset with its namespace and latest version. Raises NotFound, to outsiders too."""
    return find_dataset(actor, Verb.READ, name)


def find_dataset(actor: Actor, verb: Verb, name: str, *, act: str = "") -> Dataset:
    """The dataset, after checking the right to `verb`. act: the action that an error message names."""
    dataset = Dataset.objects.select_related("namespace", "latest").defer("latest__text").filter(name=name).first()
    unknown = NotFound(gettext("There is no dataset {value}, or you don't have access to it.").format(value=name[:600]))
    if dataset is None:
        raise unknown
    try:
        permissions.require_verb(actor, verb, dataset.namespace, name.partition("/")[2], act=act)
    except NotFound as error:
        raise unknown from error
    return dataset


def lock_dataset(name: str) -> Dataset | None:
    """Lock the dataset until commit and return it, read after locking so that its latest version is current."""
    if Dataset.objects.select_for_update(no_key=True).filter(name=name).values_list("pk").first() is None:
        return None
    return Dataset.objects.select_related("namespace", "latest").defer("latest__text").get(name=name)


def list_datasets(
    actor: Actor,
    *,
    namespace: str | None = None,
    q: str = "",
    archived: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Dataset]:
    """Datasets that the actor may read, by name; q: part of the name. archived: list archived ones instead."""
    limit = check_limit(limit)
    datasets = Dataset.objects.filter(latest__isnull=False, archived_at__isnull=not archived)
    spaces = list_visible_namespaces(actor)
    if namespace:
        datasets = datasets.filter(namespace__in=spaces.filter(name=namespace))
    else:
        datasets = _filter_by_namespaces(datasets, spaces)
    for word in q.replace("\0", "").casefold().split():
        datasets = datasets.filter(name__contains=word)
    if after := read_text(cursor):
        datasets = datasets.filter(name__gt=after)
    datasets = datasets.select_related("namespace", "latest", "latest__author").defer("latest__text").order_by("name")
    return cut_page(datasets[: limit + 1], limit, lambda dataset: dataset.name)


def _filter_by_namespaces(datasets: QuerySet[Dataset], namespaces: QuerySet[Namespace]) -> QuerySet[Dataset]:
    """Filter datasets to those of the namespaces: a few by id, many with EXISTS along the index of names, as
    `templates.queries.filter_by_namespaces` does. With a join, SQLite may read and sort all of them.
    """
    few = datasets.filter(namespace__in=namespaces).order_by().values_list("pk", flat=True)
    keys = list(few[: _FEW + 1])
    if len(keys) > _FEW:
        return datasets.filter(Exists(namespaces.filter(pk=OuterRef("namespace"))))
    return datasets.filter(pk__in=keys)


def list_dataset_names(actor: Actor, *, namespaces: Collection[str], limit: int = 200) -> list[str]:
    """The names of the first unarchived datasets of these namespaces that the actor may read."""
    datasets = Dataset.objects.filter(namespace__in=list_visible_namespaces(actor), namespace__name__in=namespaces)
    datasets = datasets.filter(latest__isnull=False, archived_at__isnull=True).order_by("name")
    return list(datasets.values_list("name", flat=True)[:limit])


def read_dataset_version(actor: Actor, name: str, number: int | None = None) -> DatasetVersion:
    """A version with its rows: the one of that number, or the latest."""
    dataset = read_dataset(actor, name)
    versions = (
        DatasetVersion.objects.select_related("author", "key", "base").defer("base__text").filter(dataset=dataset)
    )
    version = versions.order_by("-number").first() if number is None else versions.filter(number=number).first()
    if version is None:
        if number is None:
            raise NotFound(gettext("{name} has no version yet.").format(name=name))
        raise NotFound(gettext("{name} has no version {number}.").format(name=name, number=number))
    version.dataset = dataset
    return version


def list_dataset_versions(actor: Actor, name: str, cursor: str | None = None, limit: int = 50) -> Page[DatasetVersion]:
    """The dataset's versions, newest first, without their rows."""
    dataset = read_dataset(actor, name)
    limit = check_limit(limit)
    versions = dataset.versions.select_related("author", "key", "base").defer("text", "base__text").order_by("-number")
    if before := read_number(cursor):
        versions = versions.filter(number__lt=before)
    return cut_page(versions[: limit + 1], limit, lambda version: version.number)


def list_dataset_rows(of: DatasetVersion, *, tag: str = "", cursor: str | None = None, limit: int = 50) -> Page[Placed]:
    """The rows of a version with their indexes, in order; with `tag` only those that have it."""
    limit = check_limit(limit)
    before = read_number(cursor)
    start = 0 if before is None else max(0, before + 1)
    placed = [pair for pair in enumerate(of.rows()) if not tag or tag in pair[1].tags]
    following = [pair for pair in placed if pair[0] >= start][: limit + 1]
    return cut_page(following, limit, lambda pair: pair[0])


def list_dataset_tags(of: DatasetVersion) -> list[tuple[str, int]]:
    """The tags of a version's rows by name, each with its number of rows."""
    if '"tags":' not in of.text:  # most datasets have no tags, and reading all rows is slower
        return []
    counts = Counter(tag for row in of.rows() for tag in row.tags)
    return sorted(counts.items(), key=lambda pair: pair[0].casefold())
