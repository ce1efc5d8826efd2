"""The client for services on an event loop, in its own module so that others need not load asyncio."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from promptuary import renderer
from promptuary._async_single_flight import AsyncSingleFlight
from promptuary._base_client import BaseClient, Ref
from promptuary._bulk_fetch import fetch_many
from promptuary._dataset_rows import add_rows, compute_rows_timeout
from promptuary._fetching import Fallback, Fetched, fetch_template, from_memory, use_fallback_template
from promptuary._row_sender import AddedRows, Row
from promptuary._transport import AsyncTransport, Flow, Transport, run_flow_async
from promptuary.errors import NotFound, Refused, Unavailable
from promptuary.lockfile import DEFAULT
from promptuary.names import check_bucket
from promptuary.template import Template

__all__ = ["AsyncPromptuary"]

Result = TypeVar("Result")


class AsyncPromptuary(BaseClient[AsyncTransport]):
    """Fetches and renders templates on an event loop. Options and methods are those of `Promptuary`."""

    _transport_kind = "_async_httpx_transport", "AsyncHttpTransport"
    _flights_kind = AsyncSingleFlight

    async def get(
        self, name: str, ref: Ref = None, *, bucket: str | None = None, fallback: Fallback | None = None
    ) -> Template:
        """As `Promptuary.get`."""
        template = self._find_in_memory(name, ref) if bucket is None else None
        if template is not None:
            return template
        return (await self.fetch(name, ref, bucket=bucket, fallback=fallback)).template

    async def fetch(
        self, name: str, ref: Ref = None, *, bucket: str | None = None, fallback: Fallback | None = None
    ) -> Fetched:
        """As `Promptuary.fetch`."""
        target = self._resolve_target(name, ref)
        fetched = await self._fetch_target(target, fallback)
        candidate = self._find_candidate(fetched, check_bucket(bucket))
        if candidate is None:
            return fetched
        try:
            return await self._fetch_target(candidate, None)
        except (Unavailable, Refused) as error:
            return self._fall_back_to_stable(fetched, error)

    async def _fetch_target(self, target: tuple[str, str], fallback: Fallback | None) -> Fetched:
        result = from_memory(self._state, *target)
        if result is not None:
            return result
        try:
            result = await self._flights.join(target, lambda: self._drive(fetch_template(self._state, *target)))
        except (Unavailable, NotFound) as error:
            if fallback is None:
                raise
            return use_fallback_template(self._state, *target, fallback, error)
        return self._follow(result)

    async def warm(self, names: Iterable[str] | None = None) -> list[Fetched]:
        """As `Promptuary.warm`."""
        fetched = self._follow_all(await self._drive(fetch_many(self._state, self._resolve_targets(names))))
        return await asyncio.to_thread(self._fetch_vocabularies, fetched)

    async def warm_namespace(self, namespace: str, label: str = DEFAULT) -> list[Fetched]:
        """As `Promptuary.warm_namespace`."""
        fetched = self._follow_all(await self._drive(self._fetch_namespace(namespace, label)))
        return await asyncio.to_thread(self._fetch_vocabularies, fetched)

    async def render(
        self, name: str, data: Mapping[str, Any], ref: Ref = None, *, bucket: str | None = None, **options: Any
    ) -> renderer.Prompt:
        """As `Promptuary.render`; doesn't block the event loop while a vocabulary is fetched and read."""
        template = await self.get(name, ref, bucket=bucket)
        if template.is_tokenizer_loaded(options.get("tokenizer")):
            return template.render(data, **options)
        return await asyncio.to_thread(template.render, data, **options)

    async def add_rows(
        self, dataset: str, rows: Sequence[Row], *, template: str | None = None, message: str = ""
    ) -> AddedRows:
        """As `Promptuary.add_rows`."""
        timeout = compute_rows_timeout(self.timeout)
        return await self._drive(add_rows(timeout, dataset, rows, template=template, message=message))

    async def close(self) -> None:
        """As `Promptuary.close`; doesn't block the event loop."""
        await asyncio.to_thread(self._finish)
        self._keeper.transport.close()
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _drive(self, flow: Flow[Result]) -> Result:
        return await run_flow_async(flow, self._transport)

    def _blocking(self) -> Transport:
        return self._transport.blocking()
