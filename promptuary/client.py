"""The blocking client.

from promptuary import Promptuary

registry = Promptuary("https://prompts.example.org", key)
prompt = registry.get("support/refunds/reply").render({"question": "..."})
"""

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from promptuary import renderer
from promptuary._base_client import BaseClient, Ref
from promptuary._bulk_fetch import fetch_many
from promptuary._dataset_rows import add_rows, compute_rows_timeout
from promptuary._fetching import Fallback, Fetched, fetch_template, from_memory, use_fallback_template
from promptuary._row_sender import AddedRows, Row
from promptuary._single_flight import SingleFlight
from promptuary._transport import Flow, Transport, run_flow
from promptuary.errors import NotFound, Refused, Unavailable
from promptuary.lockfile import DEFAULT
from promptuary.names import check_bucket
from promptuary.template import Template

__all__ = ["Promptuary"]

Result = TypeVar("Result")


class Promptuary(BaseClient[Transport]):
    """Fetches and renders templates. Blocking, and safe to share between threads and across forks."""

    _transport_kind = "_http_transport", "HttpTransport"
    _flights_kind = SingleFlight

    def get(
        self, name: str, ref: Ref = None, *, bucket: str | None = None, fallback: Fallback | None = None
    ) -> Template:
        """Return the template at a version number, label or digest, with its digest verified.

        Without a ref it is what the lock file pins, or else what `production` points to. `fallback` (a template, a
        document's text, or a callable returning either) is used when the registry can't be reached or has no such
        template, but never after a digest mismatch or a refused key. Raises `PromptuaryError`.

        `bucket` identifies the caller, such as a user's id: during a rollout of the label, callers in one bucket stay
        on one side. Without a bucket they get the stable version.
        """
        template = self._find_in_memory(name, ref) if bucket is None else None
        return self.fetch(name, ref, bucket=bucket, fallback=fallback).template if template is None else template

    def fetch(
        self, name: str, ref: Ref = None, *, bucket: str | None = None, fallback: Fallback | None = None
    ) -> Fetched:
        """As `get`, with where the template came from and whether it is stale."""
        target = self._resolve_target(name, ref)
        fetched = self._fetch_target(target, fallback)
        candidate = self._find_candidate(fetched, check_bucket(bucket))
        if candidate is None:
            return fetched
        try:
            return self._fetch_target(candidate, None)
        except (Unavailable, Refused) as error:
            return self._fall_back_to_stable(fetched, error)

    def _fetch_target(self, target: tuple[str, str], fallback: Fallback | None) -> Fetched:
        result = from_memory(self._state, *target)
        if result is not None:
            return result
        try:
            result = self._flights.join(target, lambda: self._drive(fetch_template(self._state, *target)), self.timeout)
        except (Unavailable, NotFound) as error:
            if fallback is None:
                raise
            return use_fallback_template(self._state, *target, fallback, error)
        return self._follow(result)

    def warm(self, names: Iterable[str] | None = None) -> list[Fetched]:
        """Fetch many `<name>[@<ref>]` in one request; by default everything the lock file pins.

        If one is refused, the others are still cached. Vocabularies that are needed to count their tokens and not on
        this machine yet are fetched as well. Raises `PromptuaryError`.
        """
        return self._fetch_vocabularies(self.fetch_many(names))

    def fetch_many(self, names: Iterable[str] | None = None) -> list[Fetched]:
        """As `warm`, without the vocabularies."""
        return self._follow_all(self._drive(fetch_many(self._state, self._resolve_targets(names))))

    def warm_namespace(self, namespace: str, label: str = DEFAULT) -> list[Fetched]:
        """Fetch everything that carries a label in a namespace, in one request. Raises `PromptuaryError`."""
        return self._fetch_vocabularies(self._follow_all(self._drive(self._fetch_namespace(namespace, label))))

    def render(
        self, name: str, data: Mapping[str, Any], ref: Ref = None, *, bucket: str | None = None, **options: Any
    ) -> renderer.Prompt:
        """Fetch and render in one call; `options` are those of `renderer.Template.render`."""
        return self.get(name, ref, bucket=bucket).render(data, **options)

    def add_rows(
        self, dataset: str, rows: Sequence[Row], *, template: str | None = None, message: str = ""
    ) -> AddedRows:
        """Save a dataset with 1 to 100 more rows, each {"inputs", "expected"?, "id"?, "tags"?}, after its latest ones.

        `template` names one whose inputs the rows must fit. A row whose `id` exists already with the same content is
        not added again, so a call can be retried. Raises `PromptuaryError`; ValueError for anything but JSON.
        """
        timeout = compute_rows_timeout(self.timeout)
        return self._drive(add_rows(timeout, dataset, rows, template=template, message=message))

    def close(self) -> None:
        """Send the remaining counts and close the connections."""
        self._finish()
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _drive(self, flow: Flow[Result]) -> Result:
        return run_flow(flow, self._transport)

    def _blocking(self) -> Transport:
        return self._transport
