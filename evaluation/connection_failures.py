"""Plain sentences for failed connections to a model, without error numbers or the operating system's wording."""

import re
import socket
import ssl
from collections.abc import Iterator

import httpx

__all__ = ["describe_failure", "describe_unreadable", "find_place"]

_PORTS = {"https": 443, "http": 80}
_EXPIRED, _OTHER_NAMES = 10, (62, 64)  # X509_V_ERR_CERT_HAS_EXPIRED, _HOSTNAME_MISMATCH, _IP_ADDRESS_MISMATCH
_END = re.compile("closed connection|disconnected")  # what h11 and httpcore call an answer that ends too early
_CLOSED = (httpx.ReadError, httpx.WriteError, httpx.CloseError, httpx.RemoteProtocolError)


def find_place(base_url: str) -> str:
    """The host of an address, with its port if given: the part of the address that a message may show."""
    return httpx.URL(base_url).netloc.decode()


def describe_failure(title: str, base_url: str, error: httpx.HTTPError) -> str:
    """Name the model and what failed, as a sentence without a full stop. The error must not be a timeout."""
    if isinstance(error, httpx.RemoteProtocolError) and not _END.search(str(error)):
        return f"{title} at {find_place(base_url)} sent an answer that is not valid HTTP"
    if isinstance(error, _CLOSED):
        return f"{title} at {find_place(base_url)} closed the connection before it answered"
    if isinstance(error, httpx.ProxyError):
        return f"{title} can't be reached: the proxy on the way to {find_place(base_url)} refused"
    if isinstance(error, httpx.DecodingError):
        return f"{title} at {find_place(base_url)} sent an answer that can't be unpacked"
    return f"{title} can't be reached: {_describe_cause(httpx.URL(base_url), error)}"


def describe_unreadable(title: str, base_url: str, response: httpx.Response, *, is_empty: bool) -> str:
    """Describe a 200 answer that isn't a reply, as a sentence without a full stop."""
    if is_empty:
        return f"{title} at {find_place(base_url)} sent an empty answer"
    if response.headers.get("content-type", "").startswith("text/html"):
        return f"{title} at {find_place(base_url)} sent a web page, not a reply: the address may be wrong"
    return f"{title} sent an answer of an unknown form"


def _describe_cause(url: httpx.URL, error: BaseException) -> str:
    host, port = url.host, url.port or _PORTS.get(url.scheme, 0)
    causes = [each for each in _list_causes(error) if isinstance(each, OSError)]
    for cause in causes:
        match cause:
            case ssl.SSLCertVerificationError(verify_code=code) if code == _EXPIRED:
                return f"the certificate of {host} has expired"
            case ssl.SSLCertVerificationError(verify_code=code) if code in _OTHER_NAMES:
                return f"the certificate at {host} is for another name"
            case ssl.SSLCertVerificationError():
                return f"the certificate of {host} is from nobody who is trusted here"
            case ssl.SSLError():
                return f"{host} speaks no TLS that is understood here on port {port}"
            case socket.gaierror():
                return f"the name {host} is not found"
            case ConnectionRefusedError():
                return f"nothing answers at {host} on port {port}"
            case ConnectionError():
                return f"{host} closed the connection on port {port}"
    return f"there is no connection to {host} on port {port}"


def _list_causes(error: BaseException | None) -> Iterator[BaseException]:
    """List the error, its cause, that one's cause and so on; asyncio groups the errors of several addresses."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for exception in error.exceptions:
                yield from _list_causes(exception)
        error = error.__cause__ or error.__context__
