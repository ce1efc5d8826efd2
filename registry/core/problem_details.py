"""RFC 9457 problem documents: the one table from a domain error to its HTTP status, its type and its title.

`type` is a short stable identifier, relative to the API's reference page; programs use it, people `detail`. Pages
take their status from the same table.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext, gettext_noop

from promptuary.renderer import LimitError, RenderError
from registry.core.errors import (
    AddressNotAllowed,
    ApprovalRequired,
    Busy,
    Conflict,
    Gone,
    Halted,
    Invalid,
    NotAllowed,
    NotFound,
    PreconditionRequired,
    PromptuaryError,
    ProofRequired,
    Stale,
    TooLarge,
    TooMany,
    TwoStepRequired,
)
from registry.core.help_links import describe_problem

__all__ = ["CONTENT_TYPE", "Problem", "describe_error", "describe_missing_sign_in", "find_status"]

CONTENT_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Problem:
    """A problem document; `extra` has additional members, `headers` those of the response."""

    status: int
    type: str
    title: str
    detail: str
    extra: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        standard = {"type": self.type, "title": self.title, "status": self.status, "detail": self.detail}
        return {**self.extra, **standard}

    def to_bytes(self) -> bytes:
        """The response body."""
        return json.dumps(self.to_dict(), ensure_ascii=False).encode("utf-8", "backslashreplace")


# Specific classes first: the first match determines status, type and title. The last row is for all other errors.
_TABLE: tuple[tuple[type[PromptuaryError], int, str, str], ...] = (
    (NotFound, 404, "not-found", gettext_noop("Not found")),
    (Gone, 410, "gone", gettext_noop("Redacted")),
    (ApprovalRequired, 403, "approval-required", gettext_noop("Approval required")),
    (TwoStepRequired, 403, "two-step-required", gettext_noop("Two-step sign-in required")),
    (AddressNotAllowed, 403, "address-not-allowed", gettext_noop("Not from this address")),
    (ProofRequired, 403, "proof-required", gettext_noop("Confirm that it is you")),
    (NotAllowed, 403, "not-allowed", gettext_noop("Not allowed")),
    (Stale, 412, "stale", gettext_noop("Made from a version that is not the latest")),
    (Conflict, 409, "conflict", gettext_noop("Conflict")),
    (PreconditionRequired, 428, "precondition-required", gettext_noop("Precondition required")),
    (Invalid, 422, "invalid", gettext_noop("Not valid")),
    (TooLarge, 413, "too-large", gettext_noop("Too large")),
    (TooMany, 429, "too-many", gettext_noop("Too many requests")),
    (Busy, 503, "busy", gettext_noop("Busy")),
    (Halted, 503, "halted", gettext_noop("Nothing was written")),
    (PromptuaryError, 500, "internal", gettext_noop("Failed")),
)


def find_status(error: PromptuaryError) -> int:
    """The HTTP status of a domain error, the same in the API and on every page."""
    return _find_row(error)[0]


def describe_error(error: PromptuaryError | RenderError) -> Problem:
    """The problem document of a domain error."""
    if isinstance(error, RenderError):
        return _describe_rendering_error(error)
    status, kind, title = _find_row(error)
    extra = {name: value for name, value in error.facts.items() if _is_json(value)}
    headers = {}
    if isinstance(error, Invalid):
        extra["problems"] = [describe_problem(problem) for problem in error.problems]
        if error.fields:
            extra["fields"] = error.fields
    if isinstance(error, TooMany | Busy):
        headers["Retry-After"] = str(error.facts.get("retry_after", 1))
    if isinstance(error, Halted):
        headers["Retry-After"] = "60"  # seconds; an operator has to act first
    return Problem(status, kind, gettext(title), error.message, extra, headers)


def describe_missing_sign_in(detail: str = "") -> Problem:
    """The 401 that pages, API and fetch path share."""
    sentence = detail or gettext("Give an API key as `Authorization: Bearer <key>`, or sign in.")
    headers = {"WWW-Authenticate": 'Bearer realm="promptuary"'}
    return Problem(401, "unauthenticated", gettext("Not signed in"), sentence, headers=headers)


def _find_row(error: PromptuaryError) -> tuple[int, str, str]:
    """Status, type and title of a domain error."""
    return next((status, kind, title) for cls, status, kind, title in _TABLE if isinstance(error, cls))


def _describe_rendering_error(error: RenderError) -> Problem:
    kind = "limit" if isinstance(error, LimitError) else "invalid"
    facts = {name: value for name, value in error.facts.items() if _is_json(value)}
    problems = [describe_problem(error.to_problem())]
    return Problem(422, kind, gettext("Cannot be rendered"), str(error), {**facts, "problems": problems})


def _is_json(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool | list | dict)
