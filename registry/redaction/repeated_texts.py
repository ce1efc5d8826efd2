"""Copies of a removed text outside the version itself, found by its passages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.apps import apps
from django.db.models import Model, Q
from django.utils.translation import gettext

from registry.changes.models import ChangeRequest, Decision
from registry.changes.thread_models import Comment, CommentRevision, Remark
from registry.evaluations.dataset_models import DatasetVersion
from registry.evaluations.models import PersonScore
from registry.journal.models import Event
from registry.namespaces.models import Namespace
from registry.notifications.models import Notification
from registry.redaction.column_contents import Holds
from registry.redaction.passages import find_passages
from registry.redaction.run_texts import REMOVED, contains_passage
from registry.redaction.text_columns import list_columns
from registry.releases.models import ReleaseComment, ReleaseCommentRevision
from registry.templates.label_models import LabelMove
from registry.templates.models import SampleSet, Template, Version

__all__ = ["find_unique_passages", "list_remaining_copies", "redact_copies"]

_MAX_COMPARED = 300  # remaining documents whose text is compared for common passages
_MAX_NAMED = 10  # rows per table


def find_unique_passages(versions: Sequence[Version]) -> tuple[str, ...]:
    """Passages of these versions that neither other versions of their templates nor nearby templates' latest have."""
    going = [row.pk for row in versions]
    templates = {row.template_id for row in versions}
    spaces = {row.template.namespace_id for row in versions}
    same_templates = (
        Version.objects.filter(template__in=templates).exclude(pk__in=going).order_by("-pk")[:_MAX_COMPARED]
    )
    latest = Template.objects.filter(namespace__in=spaces).exclude(latest__in=going).exclude(latest=None)
    latest_versions = Version.objects.filter(pk__in=latest.values("latest"))[:_MAX_COMPARED]
    staying = [row.document for row in (*same_templates, *latest_versions) if not row.is_redacted]
    return find_passages([row.document for row in versions], staying)


def list_remaining_copies(passages: Sequence[str]) -> Iterator[str]:
    """What contains a passage and remains, in words; at most ten of a kind, then the number of others."""
    for model, columns in _list_columns_by_model(Holds.WORDS, Holds.OWN):
        rows = model._default_manager.filter(_match_any(columns, passages)).order_by("pk")
        count = rows.count()
        for row in rows[:_MAX_NAMED]:
            yield _describe_row(row)
        if count > _MAX_NAMED:
            yield f"{count - _MAX_NAMED} more {model._meta.verbose_name_plural}"


def redact_copies(passages: Sequence[str]) -> None:
    """Delete unsent remarks that repeat a passage, and clear work notes that do."""
    Remark.objects.filter(_match_any(["text", "suggestion", "quote"], passages)).delete()
    for model, columns in _list_columns_by_model(Holds.BLANKED):
        for column in columns:
            text = REMOVED if model is Notification else ""
            model._base_manager.filter(contains_passage(column, passages)).update(**{column: text})


def _list_columns_by_model(*holds: Holds) -> Iterator[tuple[type[Model], list[str]]]:
    models = {model._meta.db_table: model for model in apps.get_models()}
    texts_by_model: dict[str, list[str]] = {}
    for table, column in list_columns(*holds):
        texts_by_model.setdefault(table, []).append(column)
    for table, columns in texts_by_model.items():
        yield models[table], columns


def _match_any(columns: Sequence[str], passages: Sequence[str]) -> Q:
    condition = Q(pk__in=[])
    for column in columns:
        condition |= contains_passage(column, passages)
    return condition


def _describe_row(row: Any) -> str:
    """A row's name for people."""
    describe = _NAMES.get(type(row))
    return describe(row) if describe else f"{row._meta.verbose_name} {row.pk}"


_NAMES: Mapping[type[Model], Any] = {
    Version: lambda row: gettext("the message of {name}@{number}").format(name=row.template.name, number=row.number),
    Comment: lambda row: gettext("comment {number} of thread {thread} in change {change}").format(
        number=row.number, thread=row.thread.number, change=row.thread.change_id
    ),
    CommentRevision: lambda row: gettext("a later text of comment {number} in change {change}").format(
        number=row.comment, change=row.change_id
    ),
    ReleaseComment: lambda row: gettext("comment {number} on release {release}").format(
        number=row.number, release=row.release_id
    ),
    ReleaseCommentRevision: lambda row: gettext("a later text of comment {number} on release {release}").format(
        number=row.comment, release=row.release_id
    ),
    ChangeRequest: lambda row: gettext("the message of change {number}").format(number=row.number),
    Decision: lambda row: gettext("decision {number} in change {change_id}").format(
        number=row.number, change_id=row.change_id
    ),
    LabelMove: lambda row: gettext("the reason of a move of {label} of {name}").format(
        label=row.label, name=row.template.name
    ),
    SampleSet: lambda row: gettext("samples {number} of {name}").format(number=row.number, name=row.template.name),
    DatasetVersion: lambda row: gettext("version {number} of the dataset {name}").format(
        number=row.number, name=row.dataset.name
    ),
    PersonScore: lambda row: gettext("the comment of {username} on row {row} of run {run_id}").format(
        username=row.person.username, row=row.index + 1, run_id=row.run_id
    ),
    Namespace: lambda row: gettext("the standards of the namespace {name}").format(name=row.name),
    Event: lambda row: gettext("event {number} of the journal ({kind}), as its words were written").format(
        number=row.number, kind=row.kind
    ),
}
