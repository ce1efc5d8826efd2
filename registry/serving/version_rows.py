"""Rows of versions for the fetch path: a cache miss reads them from the database, in one query if possible."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import F
from django.utils.translation import gettext

from promptuary.renderer.names import is_pin
from registry.core.errors import Invalid, NotFound
from registry.core.names import LATEST, Ref, parse_ref
from registry.serving.responses import ServedRollout, ServedVersion, VersionRow, make_served
from registry.templates import version_queries
from registry.templates.approved_versions import find_approvals_of_refs
from registry.templates.former_names import FormerName
from registry.templates.label_models import Label
from registry.templates.models import TOMBSTONE, Template, Version

__all__ = ["explain_missing_version", "find_current_name", "is_version_approved", "load_label_versions", "load_version"]

_FIELDS = (
    "pk",
    "template__name",
    "number",
    "digest",
    "bundle",
    "settings",
    "message",
    "created_at",
    "author__username",
)
_ROLLOUT_FIELDS = (
    "labels__rollout__number",
    "labels__rollout__salt",
    "labels__rollout__share",
    "labels__rollout__candidate__number",
    "labels__rollout__candidate__digest",
)
_COLUMNS = "SELECT v.id, t.name, v.number, v.digest, v.bundle, v.settings, v.message, v.created_at, u.username"
_TABLES = (
    "FROM registry_version v JOIN registry_template t ON t.id = v.template_id JOIN registry_user u ON u.id = "
    "v.author_id"
)
_SELECT = f"{_COLUMNS} {_TABLES} WHERE t.name = %s"
# A candidate whose text was redacted is left out, so that all callers get the stable version.
_SELECT_LABEL = (
    f"{_COLUMNS}, r.number, r.salt, r.share, c.number, c.digest {_TABLES} "  # noqa: S608  # of constants only
    "JOIN registry_label l ON l.template_id = t.id AND l.version_id = v.id "
    "LEFT JOIN registry_rollout r ON r.number = l.rollout_id AND NOT EXISTS "
    "(SELECT 1 FROM registry_redaction d WHERE d.version_id = r.candidate_id) "
    "LEFT JOIN registry_version c ON c.id = r.candidate_id "
    "WHERE t.name = %s AND l.name = %s"
)


def find_current_name(name: str) -> str | None:
    """The current name of the template that had this name; None if none had."""
    return FormerName.objects.filter(name=name).values_list("template__name", flat=True).first()


def load_version(name: str, ref: str, former_name: str = "") -> ServedVersion | None:
    """Read one version from the database in one query; None if it doesn't exist.

    Raises NotFound for an ill-formed ref, Gone if it was redacted. former_name: the name that the caller used, if it is
    not `name`.
    """
    try:
        row, rollout = _find_row(name, parse_ref(ref))
    except Invalid as error:
        raise NotFound(error.message) from None
    if row is None:
        return None
    if row.bundle == TOMBSTONE:
        Version.objects.select_related("template").get(pk=row.pk).require_text()
    approval = None if is_pin(ref) or ref == LATEST else find_approvals_of_refs([name], ref).get(name)
    return make_served(row, is_pin(ref), approval, rollout, former_name)


def load_label_versions(names: Iterable[str], label: str) -> dict[str, ServedVersion]:
    """What the label serves for each of these templates, in two queries; redacted versions are left out."""
    names = list(names)
    rows = Version.objects.filter(template__name__in=names)
    approvals_by_name = {} if label == LATEST else find_approvals_of_refs(names, label)
    if label == LATEST:
        versions = [_split(values) for values in rows.filter(pk=F("template__latest")).values_list(*_FIELDS)]
    else:
        fields = (*_FIELDS, *_ROLLOUT_FIELDS, "labels__rollout__candidate__bundle")
        rows_read = rows.filter(labels__name=label).values_list(*fields)
        versions = [_split(values[:-1] if values[-1] != TOMBSTONE else values[: len(_FIELDS)]) for values in rows_read]
    return {
        row.name: make_served(row, False, approvals_by_name.get(row.name), rollout)
        for row, rollout in versions
        if row.bundle != TOMBSTONE
    }


def is_version_approved(version: int) -> bool:
    """Whether a key limited to approved versions may fetch these bytes; `version` is the row's id."""
    row = Version.objects.select_related("template__namespace").defer("bundle").get(pk=version)
    return version_queries.is_version_approved(row.template, row)


def explain_missing_version(name: str, ref: str) -> NotFound:
    """Why a member's fetch found nothing."""
    template = Template.objects.filter(name=name).only("pk").first()
    if template is None:
        return NotFound(gettext("There is no template {name}, or you don't have access to it.").format(name=name[:600]))
    if is_pin(ref):
        return NotFound(gettext("{name} has no version {number}.").format(name=name, number=ref))
    labels = Label.objects.filter(template=template).order_by("name").values_list("name", flat=True)
    sentence = gettext("{name} has no label {ref}; it has {labels}.")
    return NotFound(sentence.format(name=name, ref=ref, labels=", ".join([*labels, LATEST])))


def _split(columns: Sequence[Any]) -> tuple[VersionRow, ServedRollout | None]:
    """Split a row into a version's columns and those of its label's rollout, which are null without one."""
    count = len(_FIELDS)
    rollout = columns[count:]
    return VersionRow(*columns[:count]), ServedRollout(*rollout) if rollout and rollout[0] is not None else None


def _find_row(name: str, ref: Ref) -> tuple[VersionRow | None, ServedRollout | None]:
    value: object
    select = _SELECT
    if ref.number is not None:
        condition, value = "v.number = %s", ref.number
    elif ref.digest is not None:
        condition, value = "v.digest = %s ORDER BY v.number LIMIT 1", ref.digest
    elif ref.label == LATEST:
        condition, value = "v.number >= %s ORDER BY v.number DESC LIMIT 1", 1
    else:
        select, condition, value = _SELECT_LABEL, "", ref.label
    # Building a query with the ORM is most of the cost of a miss, so this one is raw SQL.
    with connection.cursor() as cursor:
        cursor.execute(f"{select} AND {condition}" if condition else select, [name, value])
        columns = cursor.fetchone()
    return (None, None) if columns is None else _split(columns)
