"""HTTP for event loops, by httpx."""

import asyncio
from collections.abc import Mapping

import httpx

from promptuary._httpx_transport import (
    BROKEN,
    HttpTransport,
    add_chunk,
    choose_tls_settings,
    make_late_error,
    make_unreachable_error,
    read_headers,
)
from promptuary._transport import Answer, Request

__all__ = ["AsyncHttpTransport"]


class AsyncHttpTransport:
    """HTTP on the running event loop."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = dict(headers)
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(self, request: Request) -> Answer:
        """Send the request. Raises `Unavailable` if no complete answer arrives within its timeout."""
        client = self._find_client(asyncio.get_running_loop())
        try:
            async with asyncio.timeout(request.timeout):
                try:
                    return await self._exchange(client, request)
                except BROKEN:
                    if request.method != "GET":
                        raise
                    return await self._exchange(client, request)
        except (TimeoutError, httpx.TimeoutException):
            raise make_late_error(request) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            raise make_unreachable_error(self._url, error) from error

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def blocking(self) -> HttpTransport:
        """A blocking transport to the same registry."""
        return HttpTransport(self._url, self._headers)

    def _find_client(self, loop: asyncio.AbstractEventLoop) -> httpx.AsyncClient:
        # Connections belong to the loop that opened them, and a later `asyncio.run` has a new one.
        if self._client is None or self._loop is not loop:
            self._client = httpx.AsyncClient(
                base_url=self._url, headers=self._headers, verify=choose_tls_settings(self._url)
            )
            self._loop = loop
        return self._client

    async def _exchange(self, client: httpx.AsyncClient, request: Request) -> Answer:
        async with client.stream(
            request.method, request.path, headers=dict(request.headers), content=request.body, timeout=request.timeout
        ) as response:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                add_chunk(body, chunk)
            return Answer(response.status_code, read_headers(response.headers), bytes(body))
