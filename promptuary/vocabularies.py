"""Vocabularies that no installed package contains, from the vendored file or, by digest, from the registry."""

import hashlib
from collections.abc import Callable

from promptuary._fetching import make_answer_error
from promptuary._transport import Request, Transport
from promptuary.errors import DigestMismatch, NotFound, PromptuaryError
from promptuary.renderer.errors import TokenizerError
from promptuary.vendored import Vendored

__all__ = ["RegistryVocabularies"]

TIMEOUT_FACTOR = 10.0  # a file may have 20 MB, so its timeout is this many times that of another answer
MAX_TIMEOUT = 60.0  # seconds, the upper bound of that timeout
RETRY_PAUSE = 5.0  # seconds before the registry is asked again after a failure


class RegistryVocabularies:
    """A `renderer.tokens.vocabularies.VocabularySource`. Thread-safe.

    `timeout` is the client's own, in seconds; `url` is the registry's address, for errors.
    """

    def __init__(
        self,
        transport: Transport,
        url: str,
        timeout: float,
        clock: Callable[[], float],
        vendored: Vendored | None = None,
    ) -> None:
        self._transport = transport
        self._url = url
        self._seconds = min(TIMEOUT_FACTOR * timeout, MAX_TIMEOUT)
        self._clock = clock
        self._vendored = vendored
        self._failures: dict[str, tuple[float, str]] = {}

    def read(self, digest: str) -> bytes:
        """Read the file. Raises TokenizerError if it isn't available, DigestMismatch if it doesn't match the digest."""
        data = self._vendored.read_vocabulary(digest) if self._vendored is not None else None
        return self._download(digest) if data is None else data

    def _download(self, digest: str) -> bytes:
        retry_at, reason = self._failures.get(digest, (0.0, ""))
        if reason and self._clock() < retry_at:
            raise TokenizerError(reason)
        request = Request(
            "GET", f"/api/v1/vocabularies/{digest}", self._seconds, {"Accept": "application/octet-stream"}
        )
        try:
            answer = self._transport.send(request)
            if answer.status != 200:
                raise make_answer_error(answer)
        except NotFound as error:
            raise self._fail(digest, f"the registry {self._url} does not have it") from error
        except PromptuaryError as error:
            raise self._fail(digest, f"the registry could not give it: {error}") from error
        actual = "sha256:" + hashlib.sha256(answer.body).hexdigest()
        if actual != digest:
            raise DigestMismatch(f"the vocabulary from {self._url}", expected=digest, actual=actual)
        self._failures.pop(digest, None)
        return answer.body

    def _fail(self, digest: str, reason: str) -> TokenizerError:
        self._failures[digest] = self._clock() + RETRY_PAUSE, reason
        return TokenizerError(reason)
