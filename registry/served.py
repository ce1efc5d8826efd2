"""A version as it goes over the wire, and the bounded memory that keeps such bytes."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from registry.errors import Invalid, NotFound
from registry.models import Label, Template, Version
from registry.names import LATEST, Ref, parse_ref
from registry.queries import versions

__all__ = [
    "BUDGET",
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
_FOREVER = "private, max-age=31536000, immutable"
_ASK_AGAIN = "max-age=0, must-revalidate"


@dataclass(frozen=True, slots=True)
class Answer:
    """Status line, headers and body, ready for any server."""

    status: int
    line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Served:
    """A version under one ref: the full answer, and the one for who has it already. `version` is the row's id."""

    version: int
    number: int
    digest: str
    etag: str
    answer: Answer
    unchanged: Answer


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
    """Read one version from the database in one query; None when there is none, NotFound for an ill-formed ref."""
    try:
        version = _find(name, parse_ref(ref))
    except Invalid as error:
        raise NotFound(error.message) from None
    return None if version is None else _serve(name, version, is_pin(ref))


def load_label(names: Iterable[str], label: str) -> dict[str, Served]:
    """What the label means for each of these templates, in one query; a redacted version is left out."""
    rows = Version.objects.select_related("author", "template").defer("template__words")
    if label == LATEST:
        found = rows.filter(pk__in=Template.objects.filter(name__in=list(names)).values("latest"))
    else:
        found = rows.filter(labels__name=label, template__name__in=list(names))
    return {row.template.name: _serve(row.template.name, row, False) for row in found if not row.is_redacted}


def _serve(name: str, version: Version, pinned: bool) -> Served:
    etag = f'"{version.digest}"' if pinned else f'"{version.number}.{version.digest}"'
    headers = {"ETag": etag, "Cache-Control": _FOREVER if pinned else _ASK_AGAIN, "Vary": "Authorization"}
    return Served(
        version.pk,
        version.number,
        version.digest,
        etag,
        make_answer(200, _body(name, version), "application/json", headers),
        make_answer(304, b"", "", headers),
    )


def is_approved(version: int) -> bool:
    """Whether the version's bytes were approved for a protected label of its template; `version` is the row's id."""
    row = Version.objects.select_related("template__namespace").defer("bundle", "template__words").get(pk=version)
    return versions.is_approved(row.template, row)


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


def _find(name: str, ref: Ref) -> Version | None:
    rows = Version.objects.select_related("author").filter(template__name=name)
    if ref.number is not None:
        return rows.filter(number=ref.number).first()
    if ref.digest is not None:
        return rows.filter(digest=ref.digest).order_by("number").first()
    if ref.label == LATEST:
        return rows.order_by("-number").first()
    return rows.filter(labels__name=ref.label).first()


def _body(name: str, version: Version) -> bytes:
    fields = {
        "name": name,
        "version": version.number,
        "digest": version.digest,
        **version.unpacked(),
        "settings": json.loads(version.settings),
        "author": version.author.username,
        "message": version.message,
        "created_at": version.created_at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
