"""OpenTelemetry spans around fetches, renderings and saves. Only its API is needed; without a provider they cost
nothing.

Attributes: `gen_ai.prompt.name`, `gen_ai.prompt.version` (the number, as text), `promptuary.ref`, `promptuary.digest`.
Never data, never the text of a prompt.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode

from registry.core.errors import PromptuaryError

__all__ = ["describe", "is_on", "span"]

_NAME, _VERSION = "gen_ai.prompt.name", "gen_ai.prompt.version"


def is_on() -> bool:
    """Whether somebody takes the spans."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider | trace.NoOpTracerProvider)


@contextmanager
def span(doing: str, name: str | None = None, ref: str | None = None) -> Iterator[Span]:
    """A span `promptuary.<doing>` around the block; a domain error marks it with its sentence's class."""
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


def describe(current: Span, number: int | None, digest: str | None) -> None:
    """Say which version it turned out to be."""
    if number is not None:
        current.set_attribute(_VERSION, str(number))
    if digest:
        current.set_attribute("promptuary.digest", digest)
