"""The command line's calls to the registry's JSON API."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlencode

from promptuary._config import ClientConfig
from promptuary._fetching import make_answer_error
from promptuary._http_transport import HttpTransport
from promptuary._transport import Request
from promptuary.client import Promptuary
from promptuary.errors import BadAnswer
from promptuary.renderer.tokens.vocabularies import VocabularySource

__all__ = ["Connection", "vocabulary_source"]

TIMEOUT = 30.0  # seconds: saving renders every sample


@contextmanager
def vocabulary_source(url: str, key: str) -> Iterator[VocabularySource | None]:
    """The source of missing vocabularies for documents on disk: the registry, if an address is given."""
    if not url:
        yield None
        return
    with Connection(url, key) as connection:
        yield connection.client.vocabularies


class Connection:
    """Calls to the API below /api/v1/. Raises `PromptuaryError`; refusals carry their problem documents."""

    def __init__(self, url: str, key: str, *, timeout: float = TIMEOUT) -> None:
        self._timeout = timeout
        address = ClientConfig.read(url, key)
        self.url = address.url
        self._transport = HttpTransport(address.url, address.build_headers("promptuary-cli"))
        self.client = Promptuary(
            address.url, address.key, timeout=timeout, background=False, reports=False, transport=self._transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def get(self, path: str, **query: str) -> Any:
        """GET as JSON."""
        return self.call("GET", path + (f"?{urlencode(query)}" if query else ""))

    def resolve_version(self, name: str, ref: str) -> int:
        """The number of the version that a checked ref points to. A number isn't looked up."""
        return int(ref) if ref.isdigit() else int(self.get(f"templates/{name}@{ref}")["version"])

    def pages(self, path: str, **query: str) -> Iterator[Any]:
        """Yield every result of a listing, across all pages."""
        cursor = ""
        while True:
            page = self.get(path, **query, **({"cursor": cursor} if cursor else {}))
            yield from page["results"]
            if not page.get("next"):
                return
            cursor = str(page["next"])

    def call(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Any:
        """Make one call and return the decoded answer, None if it is empty."""
        request_headers = {"Accept": "application/json", **(headers or {})}
        content = None
        if body is not None:
            request_headers["Content-Type"] = "application/json"
            content = json.dumps(body).encode()
        request = Request(method, "/api/v1/" + quote(path, safe="/?&=@:%+"), self._timeout, request_headers, content)
        answer = self._transport.send(request)
        if not 200 <= answer.status < 300:
            raise make_answer_error(answer)
        if not answer.body:
            return None
        try:
            return json.loads(answer.body)
        except ValueError:
            raise BadAnswer(
                f"{method} {path}: the answer is not JSON; is this address a Promptuary registry?"
            ) from None
