"""Errors of the client.

    PromptuaryError
    |-- ConfigurationError   an invalid address, key, name or ref
    |-- Unavailable          no usable answer in time: network, server error, rate limit
    |-- BadAnswer            the answer doesn't come from this API
    |-- DigestMismatch       the content is not what its digest says
    `-- Refused              the registry said no; `.status`, `.type`, `.detail`
        |-- NotAllowed       401, 403
        |-- NotFound         404
        |   `-- Gone         410: the version was redacted; `.reason`, `.redacted_at`, `.redacted_by`
        |-- Conflict         409, 412, 428
        `-- Invalid          400, 413, 422; `.problems`

Errors of rendering are `renderer.RenderError` and pass through as they are.
"""

from collections.abc import Mapping
from typing import Any

__all__ = [
    "BadAnswer",
    "ConfigurationError",
    "Conflict",
    "DigestMismatch",
    "Gone",
    "Invalid",
    "NotAllowed",
    "NotFound",
    "PromptuaryError",
    "Refused",
    "Unavailable",
    "build_refusal",
]


class PromptuaryError(Exception):
    """Any error of this package about the registry, its answers or the client's own settings."""


class ConfigurationError(PromptuaryError):
    """An invalid address, key, template name or ref."""


class Unavailable(PromptuaryError):
    """No usable answer within the time limit, and no cached bundle to use instead."""


class BadAnswer(PromptuaryError):
    """An answer that this API can't have given: wrong form, wrong template, too large."""


class DigestMismatch(PromptuaryError):
    """Content whose recomputed digest differs from the one it carries or was requested by."""

    def __init__(self, subject: str, *, expected: str, actual: str) -> None:
        super().__init__(f"{subject}: the content hashes to {actual}, not to {expected}")
        self.expected = expected
        self.actual = actual


class Refused(PromptuaryError):
    """The registry refused the request; the attributes are from its problem document."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        title = str(problem.get("title") or f"HTTP {status}")
        detail = str(problem.get("detail") or "")
        super().__init__(f"{title}: {detail}" if detail and detail != title else title)
        self.status = status
        self.problem = dict(problem)
        self.type = str(problem.get("type") or "about:blank")
        self.detail = detail or title


class NotAllowed(Refused):
    """The key is unknown, expired or revoked (401), or lacks the permission (403)."""


class NotFound(Refused):
    """No such template, version, label or change request for this key."""


class Gone(NotFound):
    """The version exists, but its text was removed for good."""

    @property
    def reason(self) -> str:
        """The reason given by the admin."""
        return str(self.problem.get("reason", ""))

    @property
    def redacted_at(self) -> str:
        """UTC, ISO 8601."""
        return str(self.problem.get("redacted_at", ""))

    @property
    def redacted_by(self) -> str:
        """The admin's username."""
        return str(self.problem.get("redacted_by", ""))


class Conflict(Refused):
    """Somebody else was first: the state that the call was based on has changed."""


class Invalid(Refused):
    """The call or the document in it is wrong; `.problems` lists the errors, with lines and columns."""

    @property
    def problems(self) -> list[dict[str, Any]]:
        entries = self.problem.get("problems")
        return [item for item in entries if isinstance(item, dict)] if isinstance(entries, list) else []


_BY_STATUS: dict[int, type[Refused]] = {
    400: Invalid,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    410: Gone,
    412: Conflict,
    413: Invalid,
    422: Invalid,
    428: Conflict,
}


def build_refusal(status: int, problem: Mapping[str, Any]) -> Refused:
    """Make the error for a 4xx answer."""
    return _BY_STATUS.get(status, Refused)(status, problem)
