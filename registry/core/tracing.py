"""Request tracing: the id shared by the log lines, response and OpenTelemetry spans of one request.

Every request has an id, chosen in `registry.serving.wsgi_fast_path`. It is in the response and in each log line. Spans
are created around fetches, renderings and saves; without a provider they cost nothing. Their attributes are
`gen_ai.prompt.name`, `gen_ai.prompt.version` (the number, as text), `promptuary.ref` and `promptuary.digest`: never
data, never the text of a prompt.
"""

import contextvars
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode

from registry.core.errors import PromptuaryError

__all__ = [
    "REQUEST_ID_HEADER",
    "RequestIdFilter",
    "current_request_id",
    "is_on",
    "record_version",
    "span",
]

REQUEST_ID_HEADER = "X-Request-Id"
_NAME, _VERSION = "gen_ai.prompt.name", "gen_ai.prompt.version"

current_request_id: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="-")


class RequestIdFilter(logging.Filter):
    """Adds the request's id to each log record, or `-`."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a record."""
        record.request_id = current_request_id.get()
        return True


def is_on() -> bool:
    """Whether a provider records the spans."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider | trace.NoOpTracerProvider)


@contextmanager
def span(doing: str, name: str | None = None, ref: str | None = None) -> Iterator[Span]:
    """A span `promptuary.<doing>` around the block; a domain error marks it with the error's class."""
    if not is_on():
        yield trace.INVALID_SPAN
        return
    attributes = {key: value for key, value in ((_NAME, name), ("promptuary.ref", ref)) if value}
    tracer = trace.get_tracer("promptuary")
    with tracer.start_as_current_span(
        f"promptuary.{doing}", attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield current
        except PromptuaryError as error:
            current.set_attribute("error.type", type(error).__name__)
            current.set_status(Status(StatusCode.ERROR))
            raise


def record_version(current: Span, number: int | None, digest: str | None) -> None:
    """Record which version was served."""
    if number is not None:
        current.set_attribute(_VERSION, str(number))
    if digest:
        current.set_attribute("promptuary.digest", digest)
