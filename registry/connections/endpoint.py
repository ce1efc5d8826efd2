"""A model that can be called: from the operator's list, a namespace's connection, recorded, or echoing."""

import functools
import hashlib
import json
import os
import threading
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from django.utils.translation import gettext

from promptuary.evaluation.http_models import HTTPModel
from promptuary.evaluation.models import EchoModel, Model, RecordedModel
from promptuary.evaluation.streaming_models import HTTPStream, StreamingModel, WordStream
from registry.core import safe_http
from registry.core.encryption import unseal
from registry.core.errors import Conflict
from registry.journal.event import compute_digest, format_canonical_json

__all__ = ["ECHO", "MAX_CONCURRENT", "Endpoint", "Price", "read_bytes"]

ECHO = "echo"
MAX_CONCURRENT = 32
_opening = threading.Lock()


@dataclass(frozen=True)
class Price:
    """The price of a million tokens."""

    prompt: Decimal
    completion: Decimal
    currency: str

    def compute_cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """The cost of these tokens."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1_000_000


@dataclass(frozen=True)
class Endpoint:
    """A model by its name. kind: http, recorded or echo.

    The key is in the environment variable `key_env`, in the file `key_file`, or sealed in `sealed_key`. needs_key:
    whether a connection has one. is_guarded: whether its address was set by someone other than the operator, and so
    must be public at each call. timeout, longest: seconds, as in `HTTPModel`.
    """

    name: str
    kind: str
    protocol: str = "openai"
    model: str = ""
    base_url: str = ""
    key_env: str = ""
    key_file: str = ""
    sealed_key: str = field(default="", repr=False)
    needs_key: bool = False
    is_guarded: bool = False
    replies: str = ""
    price: Price | None = None
    namespaces: tuple[str, ...] | None = None
    concurrency: int = 4
    per_second: float | None = None
    timeout: float = 60.0
    longest: float = 900.0
    attempts: int = 5

    @property
    def digest(self) -> str:
        """`sha256:…` over what determines the replies: the address and the id, or the recorded replies. The key is
        excluded.
        """
        recorded = hashlib.sha256(read_bytes(Path(self.replies))).hexdigest() if self.replies else ""
        identity = {"kind": self.kind, "base_url": self.base_url, "model": self.model, "replies": recorded}
        if self.protocol != "openai":  # left out, so that digests from before other protocols stay the same
            identity["protocol"] = self.protocol
        return compute_digest(format_canonical_json(identity))

    def open(self) -> Model:
        """The model itself, one per process, so that its rate limit applies across runs. Raises Conflict if it can't be
        used.
        """
        with _opening:
            return _open(self, self._read_key())

    def open_stream(self) -> StreamingModel:
        """The model for streamed replies, one per process, without retries. Raises Conflict if it can't be used."""
        with _opening:
            return _open_stream(self, self._read_key())

    def _build_key_conflict(self) -> Conflict:
        """The error if its key was lost in a restore, or sealed under another secret key of the server."""
        return Conflict(
            gettext("The connection {name} needs its key again: an admin of the namespace enters it.").format(
                name=self.name
            )
        )

    def _read_key(self) -> str | None:
        if self.sealed_key:
            try:
                return unseal(self.sealed_key)
            except Conflict as error:
                raise self._build_key_conflict() from error
        if self.needs_key:
            raise self._build_key_conflict()
        if self.key_env:
            if not os.environ.get(self.key_env):
                raise Conflict(
                    gettext("The model {name} needs the variable {key_env}, which is not set here.").format(
                        name=self.name, key_env=self.key_env
                    )
                )
            return os.environ[self.key_env]
        return read_bytes(Path(self.key_file)).decode().strip() if self.key_file else None


@functools.lru_cache(maxsize=64)
def _open_stream(endpoint: Endpoint, key: str | None) -> StreamingModel:
    if endpoint.kind != "http":
        return WordStream(_open(endpoint, key))
    return HTTPStream(
        endpoint.model,
        endpoint.base_url,
        key=key,
        protocol=endpoint.protocol,
        timeout=endpoint.timeout,
        per_second=endpoint.per_second,
        transport=safe_http.AsyncTransport if endpoint.is_guarded else None,
        title=endpoint.name,
    )


@functools.lru_cache(maxsize=64)
def _open(endpoint: Endpoint, key: str | None) -> Model:
    if endpoint.kind == "echo":
        return EchoModel()
    if endpoint.kind == "recorded":
        return RecordedModel(_read_replies(Path(endpoint.replies)), name=endpoint.name)
    return HTTPModel(
        endpoint.model,
        endpoint.base_url,
        key=key,
        protocol=endpoint.protocol,
        attempts=endpoint.attempts,
        timeout=endpoint.timeout,
        longest=endpoint.longest,
        per_second=endpoint.per_second,
        transport=safe_http.AsyncTransport if endpoint.is_guarded else None,
        title=endpoint.name,
    )


def _read_replies(path: Path) -> dict[str, str]:
    replies = {}
    for number, line in enumerate(read_bytes(path).decode().split("\n"), start=1):
        if line.strip():
            try:
                entry = json.loads(line)
                replies[str(entry["prompt"])] = str(entry["reply"])
            except (ValueError, KeyError, TypeError) as error:
                raise Conflict(
                    gettext('{name}, line {number}: needs {{"prompt": "sha256:…", "reply": "…"}}.').format(
                        name=path.name, number=number
                    )
                ) from error
    return replies


def read_bytes(path: Path) -> bytes:
    """The bytes of a file named in the operator's list, or of the list itself. Raises Conflict if it can't be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Conflict(
            gettext("{name}, which the operator's list of models names, can't be read.").format(name=path.name)
        ) from error
