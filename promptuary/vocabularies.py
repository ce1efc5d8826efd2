"""Vocabularies that no installed package holds: read from the vendored file or fetched from the registry by digest."""

import hashlib
from collections.abc import Callable

from promptuary._fetching import error_of_answer
from promptuary._transport import Request, Transport
from promptuary.errors import DigestMismatch, NotFound, PromptuaryError
from promptuary.renderer.errors import TokenizerError
from promptuary.vendored import Vendored

__all__ = ["RegistryVocabularies"]

PATIENCE = 10.0  # a file of up to 20 MB is waited for this many times as long as another answer
LONGEST = 60.0  # seconds, and no longer than this
PAUSE = 5.0  # seconds before the registry is asked again for what it could not give


class RegistryVocabularies:
    """A `renderer.tokens.vocabularies.VocabularySource`. Threads may share it.

    `timeout` is the client's own, in seconds; `url` names the registry in errors.
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
        self._seconds = min(PATIENCE * timeout, LONGEST)
        self._clock = clock
        self._vendored = vendored
        self._failures: dict[str, tuple[float, str]] = {}

    def read(self, digest: str) -> bytes:
        """The file. Raises TokenizerError if it can't be had, DigestMismatch if it is not what the digest
        says.
        """
        data = self._vendored.read_vocabulary(digest) if self._vendored is not None else None
        return self._download(digest) if data is None else data

    def _download(self, digest: str) -> bytes:
        until, reason = self._failures.get(digest, (0.0, ""))
        if reason and self._clock() < until:
            raise TokenizerError(reason)
        request = Request(
            "GET", f"/api/v1/vocabularies/{digest}", self._seconds, {"Accept": "application/octet-stream"}
        )
        try:
            answer = self._transport.send(request)
            if answer.status != 200:
                raise error_of_answer(answer)
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
        self._failures[digest] = self._clock() + PAUSE, reason
        return TokenizerError(reason)
