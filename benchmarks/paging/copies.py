"""Copies of the generated templates and all their rows, made by SQL in the database.

Each copy has its own names, ids, numbers and timestamps. It repeats the documents and event texts of its origin, so
only the journal of the first templates is a valid hash chain. Open changes, queued jobs, drafts and the quiet namespace
aren't copied.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.color import no_style
from django.db import connection, models, transaction

from benchmarks.paging.index_builds import suspend_indexes
from benchmarks.paging.names import QUIET, count_minutes_between
from registry.changes.models import ChangeRequest, Decision, Verdict
from registry.evaluations.dataset_models import Dataset, DatasetVersion
from registry.evaluations.models import Run, RunRow
from registry.jobs.models import Job
from registry.journal.models import Commit, Event
from registry.notifications.models import Notification
from registry.releases.models import Release
from registry.rollouts.models import Rollout
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Tag, Template, Version
from registry.templates.search_models import SearchCount, SearchEntry
from registry.templates.search_terms import index_name
from registry.usage.models import Fetch, OutcomeTotal, Report
from registry.webhooks.models import Attempt, Delivery

__all__ = ["add_copies"]

_TEXTS = {  # columns that contain a name or number, such as `t777`, or are unique
    (Template, "name"),
    (Event, "template"),
    (Event, "text"),
    (Dataset, "name"),
    (Job, "subject"),
    (Notification, "sentence"),
}
_HASHES = {(Event, "hash"), (Verdict, "key"), (Run, "key"), (Delivery, "message")}
_NUMBERS = {(Event, "version"), (Event, "change")}
# Each table refers only to earlier ones, except for the latest version of a template and of a dataset.
_MODELS: tuple[type[models.Model], ...] = (Template, Version, Tag, Release, ChangeRequest, Decision, Verdict, Label)
_MODELS += (LabelMove, Event, Commit, Job, Notification, Dataset, DatasetVersion, Run, RunRow, Rollout, Fetch, Report)
_MODELS += (OutcomeTotal, Delivery, Attempt)


def add_copies(copies: int, base: int) -> None:
    """Copy the first `base` templates, whose names end in `-t0` and up, this many times, always from the same rows."""
    steps = {model: _step(model) for model in _MODELS}
    minutes = base * count_minutes_between(base * (copies + 1))
    _keep_origins(steps)
    with suspend_indexes([*_MODELS, SearchEntry, SearchCount]):
        with _disable_foreign_keys():
            for model in _MODELS:
                with transaction.atomic():
                    for copy in range(1, copies + 1):
                        _copy_rows(model, steps, copy, base, copy * minutes)
        _copy_entries(copies, base, steps[Template])
    _set_sequences()


@contextlib.contextmanager
def _disable_foreign_keys() -> Iterator[None]:
    """Don't check foreign keys in this block: a template refers to its latest version, which is copied later."""
    if connection.vendor == "sqlite":
        with connection.constraint_checks_disabled():
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        yield
        cursor.execute("SET session_replication_role = origin")


def _step(model: type[models.Model]) -> int:
    """The distance between the ids of two copies."""
    highest: int = model._default_manager.aggregate(highest=models.Max("pk"))["highest"] or 0
    return int(10 ** len(str(highest)))


def _keep_origins(steps: dict[type[models.Model], int]) -> None:
    """Keep the rows to copy in tables of their own: PostgreSQL would read each growing table again for every copy."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # without statistics, the conditions on parents become nested loops
        for model in _MODELS:
            table, condition = model._meta.db_table, _write_condition(model, steps)
            cursor.execute(f"CREATE TEMPORARY TABLE origin_{table} AS SELECT * FROM {table} WHERE {condition}")


def _copy_rows(
    model: type[models.Model], steps: dict[type[models.Model], int], copy: int, base: int, minutes: int
) -> None:
    columns, values = [], []
    for field in model._meta.concrete_fields:
        columns.append(f'"{field.column}"')
        values.append(_write_value(model, field, steps, copy, base, minutes))
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM origin_{table}")


def _write_value(
    model: type[models.Model],
    field: "models.Field[Any, Any]",
    steps: dict[type[models.Model], int],
    copy: int,
    base: int,
    minutes: int,
) -> str:
    """The SQL for a column of the copy, which is so many minutes newer."""
    column = f'"{field.column}"'
    if field.primary_key and field.related_model is None:
        return f"{column} + {copy * steps[model]}"
    if field.related_model in steps:
        return f"{column} + {copy * steps[field.related_model]}"
    if (model, field.name) in _TEXTS:
        return f"replace({column}, '-t', '-t{copy * base // 1000:03}-')"
    if (model, field.name) in _HASHES:
        return f"{column} || '.{copy}'" if model is Delivery else f"substr({column}, 1, 60) || '{copy:011}'"
    if (model, field.name) == (Event, "change"):
        return f"{column} + {copy * steps[ChangeRequest]}"
    if (model, field.name) == (Event, "at"):
        return f"{column} + {minutes * 60_000_000}"
    if isinstance(field, models.DateTimeField) and model not in (Fetch, Report, OutcomeTotal):
        return _write_later(column, minutes)
    return column


def _write_later(column: str, minutes: int) -> str:
    if connection.vendor == "sqlite":
        return f"strftime('%Y-%m-%d %H:%M:%f', {column}, '+{minutes} minutes')"
    return f"{column} + interval '{minutes} minutes'"


def _write_condition(model: type[models.Model], steps: dict[type[models.Model], int]) -> str:
    """The SQL condition for origins: rows with the first ids, of closed changes and outside the quiet namespace, whose
    parents are origins too.
    """
    wheres = [f'"{_find_primary_column(model)}" < {steps[model]}']
    columns = {field.column for field in model._meta.concrete_fields}
    if "namespace_id" in columns:
        wheres.append(f"namespace_id NOT IN (SELECT id FROM registry_namespace WHERE name = '{QUIET}')")
    if model is ChangeRequest:
        wheres.append("state = 'published'")
    if model is Job:
        wheres.append("state <> 'queued'")  # a subject is queued once only
    if model is Event:
        opened = "SELECT number FROM registry_changerequest WHERE state <> 'published'"
        wheres += [f"namespace <> '{QUIET}'", "template <> ''", f"(change IS NULL OR change NOT IN ({opened}))"]
    for field in model._meta.concrete_fields:
        parent = field.related_model
        if parent in steps and parent is not model and field.name != "latest":
            column, condition = _find_primary_column(parent), _write_condition(parent, steps)
            parents = f'SELECT "{column}" FROM {parent._meta.db_table} WHERE {condition}'
            wheres.append(f'("{field.column}" IS NULL OR "{field.column}" IN ({parents}))')
    return " AND ".join(wheres)


def _find_primary_column(model: type[models.Model]) -> str:
    return str(next(field.column for field in model._meta.concrete_fields if field.primary_key))


def _copy_entries(copies: int, base: int, step: int) -> None:
    """Copy the search entries, copy by copy so that the newest has the highest id; then update the counts."""
    origins = list(SearchEntry.objects.exclude(name__startswith=f"{QUIET}/").order_by("pk"))
    marks: Counter[tuple[int, str]] = Counter()
    for copy in range(1, copies + 1):
        rows = list(_make_entries(origins, copy, base, step))
        SearchEntry.objects.bulk_create(rows, batch_size=500)
        for row in rows:
            marks[row.namespace_id, row.name.rpartition("-")[2]] += 1
            marks[row.namespace_id, row.name.split("-")[-2]] += 1
    places = SearchCount.objects.exclude(namespace__name=QUIET)
    places.update(count=models.F("count") * (copies + 1))
    places.filter(kind="word", value__regex="^t[0-9]").update(count=1)
    known = set(places.filter(kind="word").values_list("namespace_id", "value"))
    words = [(place, count) for place, count in marks.items() if place not in known]
    counts = [SearchCount(namespace_id=space, kind="word", value=word, count=count) for (space, word), count in words]
    SearchCount.objects.bulk_create(counts, batch_size=1_000)


def _make_entries(origins: list[SearchEntry], copy: int, base: int, step: int) -> Iterator[SearchEntry]:
    for origin in origins:
        name = origin.name.replace("-t", f"-t{copy * base // 1000:03}-")
        old = set(index_name(origin.name))
        words = [*index_name(name), *(word for word in origin.words.split(" ") if word not in old)]
        row = SearchEntry(template_id=origin.template_id + copy * step, namespace_id=origin.namespace_id, name=name)
        row.facts, row.facets, row.words = origin.facts, origin.facets, " ".join(words)
        yield row


def _set_sequences() -> None:
    """Continue PostgreSQL's sequences after the ids of the copies."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), _MODELS):
                cursor.execute(statement)
