"""HTTP for event loops, by httpx. Only this module of the client imports httpx."""

import asyncio
import ssl
from collections.abc import Mapping

import httpx

from promptuary._http_transport import HttpTransport, add_chunk, make_late_error, make_unreachable_error
from promptuary._transport import Answer, Request

__all__ = ["AsyncHttpTransport", "choose_tls_settings"]

# Raised on a kept-alive connection that the server has since closed: retry if the request is idempotent.
BROKEN = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)


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
        """Close the connections. Those that another event loop opened ended with it and can't be closed here."""
        if self._client is not None and self._loop is asyncio.get_running_loop():
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
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status_code, headers, bytes(body))


def choose_tls_settings(url: str) -> bool | ssl.SSLContext:
    """The `verify` of an httpx client that connects to this address only.

    For plain http it is a context that trusts no certificate, since loading the system's certificates takes 20 ms.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if url.lower().startswith("http:") else True
