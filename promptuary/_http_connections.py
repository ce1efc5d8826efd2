"""Connections to one registry by the standard library's http.client, through the environment's proxy if it has one.

httpx takes 9 MB and loads asyncio, so only the client for event loops uses it.
"""

import base64
import http.client
import os
import selectors
import socket
import ssl
import sys
import time
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote, urlsplit

from promptuary.renderer.lazy_import import Deferred

if TYPE_CHECKING:
    import urllib.request as urllib_request

    import certifi
else:
    certifi = Deferred("certifi")
    urllib_request = Deferred("urllib.request")

__all__ = ["Connections", "find_proxy", "make_tls_context"]

IDLE_SECONDS = 5.0  # less than the time after which servers close a connection that nobody uses
MAX_IDLE = 20


class Connections:
    """Opens connections to one address and keeps them for later requests.

    Safe to share between threads, but not with a child process. An address's path comes before each request's path.
    """

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url)
        self._proxy = find_proxy(self._address)
        self._tls = make_tls_context() if self._address.scheme == "https" else None
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []
        self._closed = False
        self._credentials = _write_proxy_credentials(self._proxy)

    def take(self, seconds: float, *, fresh: bool = False) -> http.client.HTTPConnection:
        """An idle connection, or a new one that is opened by its first request; its time limit is set to `seconds`."""
        connection = None if fresh else self._find_idle()
        if connection is None:
            return self._make_connection(seconds)
        connection.timeout = seconds
        connection.sock.settimeout(seconds)
        return connection

    def give_back(self, connection: http.client.HTTPConnection) -> None:
        """Keep a connection whose answer was read to its end."""
        if self._closed or len(self._idle) >= MAX_IDLE:
            connection.close()
        elif connection.sock is not None:  # None: the server closes it
            self._idle.append((time.monotonic(), connection))

    def close(self) -> None:
        """Close the idle connections; those in use are closed when they are given back."""
        self._closed = True
        while (connection := self._pop_idle()) is not None:
            connection[1].close()

    def write_target(self, path: str) -> str:
        """The request line's target for a path: the whole address if a proxy has to read it."""
        target = quote(self._address.path, safe="/%:@!$&'()*+,;=~") + path
        return f"http://{self._address.netloc}{target}" if self._proxy and not self._tls else target

    @property
    def proxy_headers(self) -> dict[str, str]:
        """The headers for a proxy that reads the requests."""
        return {} if self._tls else self._credentials

    def _find_idle(self) -> http.client.HTTPConnection | None:
        while (entry := self._pop_idle()) is not None:
            given_back, connection = entry
            if time.monotonic() - given_back < IDLE_SECONDS and not _has_input(connection.sock):
                return connection
            connection.close()
        return None

    def _pop_idle(self) -> tuple[float, http.client.HTTPConnection] | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _make_connection(self, seconds: float) -> http.client.HTTPConnection:
        address, end = self._address, self._proxy or self._address
        if self._tls is None:
            return http.client.HTTPConnection(end.hostname or "", end.port or 80, timeout=seconds)
        port = end.port or (80 if self._proxy else 443)
        connection = http.client.HTTPSConnection(end.hostname or "", port, timeout=seconds, context=self._tls)
        if self._proxy:
            connection.set_tunnel(address.hostname or "", address.port or 443, self._credentials)
        return connection


def find_proxy(address: SplitResult) -> SplitResult | None:
    """The proxy for an address, from the environment or the system's settings.

    Raises OSError if it is reached by anything else than http.
    """
    is_configured = any(name.lower().endswith("_proxy") for name in os.environ)
    if not is_configured and sys.platform not in ("darwin", "win32"):
        return None  # there, proxies are settings of the environment only
    proxies = urllib_request.getproxies()
    chosen = proxies.get(address.scheme) or proxies.get("all")
    if not chosen or urllib_request.proxy_bypass(address.netloc.rpartition("@")[2]):
        return None
    proxy = urlsplit(chosen if "://" in chosen else f"http://{chosen}")
    if proxy.scheme != "http":
        raise OSError(f"the environment names a proxy of the form {proxy.scheme}://; only http:// is supported")
    return proxy


def make_tls_context() -> ssl.SSLContext:
    """Settings that verify certificates: by SSL_CERT_FILE and SSL_CERT_DIR if set, or else by Mozilla's list."""
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if not file and not folder:
        file = certifi.where()
    context = ssl.create_default_context(cafile=file, capath=folder)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _write_proxy_credentials(proxy: SplitResult | None) -> dict[str, str]:
    if proxy is None or proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}


def _has_input(connected: socket.socket) -> bool:
    """Whether an idle connection can be read: the server has closed it, or has sent what nobody asked for."""
    with selectors.DefaultSelector() as selector:
        selector.register(connected, selectors.EVENT_READ)
        return bool(selector.select(0))
