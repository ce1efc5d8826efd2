"""Responses of the fetch path: serialized versions, refusals, and the bounded cache of their bytes."""

import json
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import NamedTuple

from registry.core.errors import PromptuaryError
from registry.core.problem_details import CONTENT_TYPE, Problem, describe_error, describe_missing_sign_in
from registry.serving.credentials import Unauthenticated
from registry.templates.label_moves import Approval

__all__ = [
    "APPROVAL",
    "BUDGET",
    "FOREVER",
    "Answer",
    "ServedRollout",
    "ServedVersion",
    "VersionCache",
    "VersionRow",
    "build_refusal",
    "make_answer",
    "make_served",
    "matches_etag",
]

BUDGET = 64 * 1024 * 1024  # bytes of responses that a process caches
FOREVER = "private, max-age=31536000, immutable"
_REVALIDATE = "max-age=0, must-revalidate"
APPROVAL = "Promptuary-Approval"  # for what a protected label serves: how it got that


class VersionRow(NamedTuple):
    """The serialized parts of a version, and its row's id."""

    pk: int
    name: str
    number: int
    digest: str
    bundle: str
    settings: str
    message: str
    created_at: datetime | str
    author: str


class ServedRollout(NamedTuple):
    """What clients need to choose between what a label serves and the candidate of its rollout.

    version, digest: of the candidate. share: in ten-thousandths.
    """

    number: int
    salt: str
    share: int
    version: int
    digest: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Status line, headers and body, independent of the server."""

    status: int
    line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class ServedVersion:
    """A version under one ref: the full response, and the one for a client that has it. `version` is the row's id.

    approval: for a protected label how it got this version, else None. rollout: the one that divides the label's
    callers. former_name: the requested name, if the template was renamed since; else empty.
    """

    version: int
    number: int
    digest: str
    etag: str
    answer: Answer
    unchanged: Answer
    approval: Approval | None = None
    rollout: ServedRollout | None = None
    former_name: str = ""


class VersionCache:
    """The versions that a process serves: at most `budget` bytes of the recently used ones. Needs no lock: each step is
    atomic.

    Two generations: used entries move to the young one; when that reaches half the budget, the old one is dropped.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._half = budget // 2
        self._young: dict[str, ServedVersion] = {}
        self._old: dict[str, ServedVersion] = {}
        self._size = 0

    def find(self, target: str) -> ServedVersion | None:
        """The version of this `<name>@<ref>`, or None."""
        version = self._young.get(target)
        if version is None:
            version = self._old.get(target)
            if version is not None:
                self.keep(target, version)
        return version

    def keep(self, target: str, version: ServedVersion) -> None:
        """Cache it, and drop the old generation when there is no more room."""
        self._young[target] = version
        self._size += len(version.answer.body) + 1000  # headers and the objects themselves
        if self._size > self._half:
            self._old, self._young, self._size = self._young, {}, 0

    def clear(self) -> None:
        """Drop everything."""
        self._old, self._young, self._size = {}, {}, 0


def make_answer(status: int, body: bytes, content_type: str, headers: dict[str, str]) -> Answer:
    """A response with its length and type."""
    full = dict(headers)
    if status != 304:
        full |= {"Content-Type": content_type, "Content-Length": str(len(body)), "X-Content-Type-Options": "nosniff"}
    return Answer(status, f"{status} {HTTPStatus(status).phrase}", tuple(full.items()), body)


def make_served(
    row: VersionRow,
    pinned: bool,
    approval: Approval | None,
    rollout: ServedRollout | None = None,
    former_name: str = "",
) -> ServedVersion:
    """The version under one ref; pinned: whether the ref always means the same bytes. former_name: the former name
    requested, if any; the response then has that name, as before the renaming.
    """
    state = f"{row.number}.{row.digest}" + (f".{rollout.number}.{rollout.share}" if rollout else "")
    etag = f'"{row.digest}"' if pinned else f'"{state}"'
    headers = {"ETag": etag, "Cache-Control": FOREVER if pinned else _REVALIDATE, "Vary": "Authorization"}
    if approval:
        headers[APPROVAL] = approval.value
    full = make_answer(
        200, _build_body(row._replace(name=former_name or row.name), rollout), "application/json", headers
    )
    unchanged = make_answer(304, b"", "", headers)
    return ServedVersion(row.pk, row.number, row.digest, etag, full, unchanged, approval, rollout, former_name)


def build_refusal(error: PromptuaryError) -> Answer:
    """The response for a domain error."""
    problem: Problem = (
        describe_missing_sign_in(error.message) if isinstance(error, Unauthenticated) else describe_error(error)
    )
    headers = {**problem.headers, "Cache-Control": "no-store", "Vary": "Authorization"}
    return make_answer(problem.status, problem.to_bytes(), CONTENT_TYPE, headers)


def matches_etag(if_none_match: str, etag: str) -> bool:
    """Weak comparison, as RFC 9110 requires for If-None-Match."""
    if if_none_match == etag:
        return True
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return etag in tags or "*" in tags


def _build_body(row: VersionRow, rollout: ServedRollout | None) -> bytes:
    """The body; the bundle and the settings are already canonical JSON and inserted unchanged."""
    head = _write({"name": row.name, "version": row.number, "digest": row.digest})
    facts = {"author": row.author, "message": row.message, "created_at": _format_moment(row.created_at)}
    tail = _write(facts | ({"rollout": rollout._asdict()} if rollout else {}))
    return f'{head[:-1]},{row.bundle[1:-1]},"settings":{row.settings},{tail[1:]}'.encode()


def _write(fields: dict[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _format_moment(value: datetime | str) -> str:
    """Format a time; SQLite returns the text that it stores."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
