"""Every request has an id: the caller's own, else one made here. It is in the answer and in each line of the
log.
"""

import contextvars
import itertools
import logging
import re
import secrets

from promptuary.renderer.after_fork import run_after_fork

__all__ = ["HEADER", "InLog", "choose", "current", "fresh"]

HEADER = "X-Request-Id"
_ALLOWED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}")
_numbers = itertools.count(1)
_prefix = secrets.token_hex(6)

current: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="-")


def fresh() -> str:
    """An id that no other request has: random once a process, then counted."""
    return f"{_prefix}-{next(_numbers):x}"


def choose(sent: str | None) -> str:
    """What the caller sent as X-Request-Id when that is one, else a fresh one."""
    return sent if sent and _ALLOWED.fullmatch(sent) else fresh()


class InLog(logging.Filter):
    """Gives each line of the log the id of the request it belongs to, or `-`."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a line."""
        record.request_id = current.get()
        return True


def _renew_prefix() -> None:
    global _prefix  # noqa: PLW0603  # two processes must not count on from one prefix
    _prefix = secrets.token_hex(6)


run_after_fork(_renew_prefix)
