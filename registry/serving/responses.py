"""A version as it goes over the wire, and the bounded memory that keeps such bytes."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import NamedTuple

from django.db import connection
from django.db.models import F

from registry.core.errors import Invalid, NotFound
from registry.core.names import LATEST, Ref, parse_ref
from registry.templates import approvals, version_queries
from registry.templates.approvals import Approval
from registry.templates.models import TOMBSTONE, Label, Template, Version

__all__ = [
    "APPROVAL",
    "BUDGET",
    "FOREVER",
    "Answer",
    "Memory",
    "Served",
    "explain",
    "is_approved",
    "is_pin",
    "load",
    "load_label",
    "make_answer",
]

BUDGET = 64 * 1024 * 1024  # bytes of answers that a process keeps
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
_SELECT = (
    "SELECT v.id, t.name, v.number, v.digest, v.bundle, v.settings, v.message, v.created_at, u.username "
    "FROM registry_version v JOIN registry_template t ON t.id = v.template_id JOIN registry_user u ON u.id = v.author_id "
    "WHERE t.name = %s"
)
FOREVER = "private, max-age=31536000, immutable"
_ASK_AGAIN = "max-age=0, must-revalidate"
APPROVAL = "Promptuary-Approval"  # on what a protected label serves: how it came to that


class Row(NamedTuple):
    """What of a version goes over the wire, and its row's id."""

    pk: int
    name: str
    number: int
    digest: str
    bundle: str
    settings: str
    message: str
    created_at: datetime | str
    author: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Status line, headers and body, ready for any server."""

    status: int
    line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Served:
    """A version under one ref: the full answer, and the one for who has it already. `version` is the row's id.

    approval: for a protected label how it came to this version, else None.
    """

    version: int
    number: int
    digest: str
    etag: str
    answer: Answer
    unchanged: Answer
    approval: Approval | None = None


class Memory:
    """Keeps at most `budget` bytes, forgetting what was not asked for lately. Needs no lock: each step is atomic.

    Two generations: what is used moves to the young one; when that is half the budget, the old one is dropped.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._half = budget // 2
        self._young: dict[str, Served] = {}
        self._old: dict[str, Served] = {}
        self._size = 0

    def find(self, target: str) -> Served | None:
        """What was kept, or None."""
        found = self._young.get(target)
        if found is None:
            found = self._old.get(target)
            if found is not None:
                self.keep(target, found)
        return found

    def keep(self, target: str, found: Served) -> None:
        """Keep it, and drop the old generation when there is no more room."""
        self._young[target] = found
        self._size += len(found.answer.body) + 1000  # headers and the objects themselves
        if self._size > self._half:
            self._old, self._young, self._size = self._young, {}, 0

    def clear(self) -> None:
        """Drop everything."""
        self._old, self._young, self._size = {}, {}, 0


def is_pin(ref: str) -> bool:
    """Whether a ref names the same bytes for ever."""
    return ref[:1].isdigit() or ref.startswith("sha256:")


def load(name: str, ref: str) -> Served | None:
    """Read one version from the database in one query; None when there is none, NotFound for an ill-formed ref.

    Gone where it was redacted.
    """
    try:
        row = _find(name, parse_ref(ref))
    except Invalid as error:
        raise NotFound(error.message) from None
    if row is None:
        return None
    if row.bundle == TOMBSTONE:
        Version.objects.select_related("template").get(pk=row.pk).require_text()
    return _serve(row, is_pin(ref), None if is_pin(ref) or ref == LATEST else approvals.of_refs([name], ref).get(name))


def load_label(names: Iterable[str], label: str) -> dict[str, Served]:
    """What the label means for each of these templates, in two queries; a redacted version is left out."""
    names = list(names)
    rows = Version.objects.filter(template__name__in=names)
    known = {} if label == LATEST else approvals.of_refs(names, label)
    rows = rows.filter(pk=F("template__latest")) if label == LATEST else rows.filter(labels__name=label)
    found = (Row(*values) for values in rows.values_list(*_FIELDS))
    return {row.name: _serve(row, False, known.get(row.name)) for row in found if row.bundle != TOMBSTONE}


def _serve(row: Row, pinned: bool, approval: Approval | None) -> Served:
    etag = f'"{row.digest}"' if pinned else f'"{row.number}.{row.digest}"'
    headers = {"ETag": etag, "Cache-Control": FOREVER if pinned else _ASK_AGAIN, "Vary": "Authorization"}
    if approval:
        headers[APPROVAL] = approval.value
    full = make_answer(200, _body(row), "application/json", headers)
    return Served(row.pk, row.number, row.digest, etag, full, make_answer(304, b"", "", headers), approval)


def is_approved(version: int) -> bool:
    """Whether a key limited to approved versions gets these bytes; `version` is the row's id."""
    row = Version.objects.select_related("template__namespace").defer("bundle", "template__words").get(pk=version)
    return version_queries.is_approved(row.template, row)


def explain(name: str, ref: str) -> NotFound:
    """Why a member's fetch found nothing."""
    template = Template.objects.filter(name=name).only("pk").first()
    if template is None:
        return NotFound(f"There is no template {name[:600]}, or you may not read it.")
    if is_pin(ref):
        return NotFound(f"{name} has no version {ref}.")
    labels = Label.objects.filter(template=template).order_by("name").values_list("name", flat=True)
    return NotFound(f"{name} has no label {ref}; it has {', '.join([*labels, LATEST])}.")


def make_answer(status: int, body: bytes, content_type: str, headers: dict[str, str]) -> Answer:
    """An answer with its length and type."""
    full = dict(headers)
    if status != 304:
        full |= {"Content-Type": content_type, "Content-Length": str(len(body)), "X-Content-Type-Options": "nosniff"}
    return Answer(status, f"{status} {HTTPStatus(status).phrase}", tuple(full.items()), body)


def _find(name: str, ref: Ref) -> Row | None:
    value: object
    if ref.number is not None:
        condition, value = "v.number = %s", ref.number
    elif ref.digest is not None:
        condition, value = "v.digest = %s ORDER BY v.number LIMIT 1", ref.digest
    elif ref.label == LATEST:
        condition, value = "v.number >= %s ORDER BY v.number DESC LIMIT 1", 1
    else:
        condition, value = (
            "v.id = (SELECT version_id FROM registry_label WHERE template_id = t.id AND name = %s)",
            ref.label,
        )
    # A miss costs mostly what it takes to put a query together, so this one is written out.
    with connection.cursor() as cursor:
        cursor.execute(f"{_SELECT} AND {condition}", [name, value])
        found = cursor.fetchone()
    return None if found is None else Row(*found)


def _body(row: Row) -> bytes:
    """The bundle and the settings are canonical JSON already and go in as they are."""
    head = _write({"name": row.name, "version": row.number, "digest": row.digest})
    tail = _write({"author": row.author, "message": row.message, "created_at": _moment(row.created_at)})
    return f'{head[:-1]},{row.bundle[1:-1]},"settings":{row.settings},{tail[1:]}'.encode()


def _write(fields: dict[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _moment(value: datetime | str) -> str:
    """SQLite gives the text that it keeps."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
