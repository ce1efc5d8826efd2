"""The models that evaluations may ask: those that the operator lists in a file, and one that echoes.

Authors choose a model by its name and can't name an address, so no request goes where the operator did not send it. A
credential is in the environment or in a file of its own; the list names it, and nothing shows or keeps it.

    small:
      base_url: http://127.0.0.1:9000/v1          # up to and without /chat/completions
      model: gpt-4o-mini                           # what the endpoint calls it; default: the name
      key_env: OPENAI_API_KEY                      # or key_file: /run/secrets/openai
      price: {prompt: 0.15, completion: 0.60, currency: USD}      # a million tokens
      namespaces: [support]                        # default: all
      concurrency: 4
      per_second: 5
      timeout: 60
      attempts: 5
    replayed:
      replies: replies.jsonl                       # lines {"prompt": "sha256:…", "reply": "…"}, beside this file
"""

import functools
import hashlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from promptuary.evaluation.http_models import HTTPModel
from promptuary.evaluation.models import EchoModel, Model, RecordedModel
from promptuary.renderer.syntax.yaml_reader import YamlError, compose, value_of
from registry.core.errors import Conflict, Invalid
from registry.journal.log import canonical, digest_of

__all__ = ["ECHO", "Endpoint", "Price", "find_endpoint", "list_endpoints"]

ECHO = "echo"
_FIELDS = {
    "base_url",
    "model",
    "key_env",
    "key_file",
    "price",
    "namespaces",
    "concurrency",
    "per_second",
    "timeout",
    "attempts",
    "replies",
}
_MOST_CONCURRENT = 32


@dataclass(frozen=True)
class Price:
    """What a million tokens cost."""

    prompt: Decimal
    completion: Decimal
    currency: str

    def of(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """What these tokens cost."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1_000_000


@dataclass(frozen=True)
class Endpoint:
    """A model by its name. kind: http, recorded or echo."""

    name: str
    kind: str
    model: str = ""
    base_url: str = ""
    key_env: str = ""
    key_file: str = ""
    replies: str = ""
    price: Price | None = None
    namespaces: tuple[str, ...] | None = None
    concurrency: int = 4
    per_second: float | None = None
    timeout: float = 60.0
    attempts: int = 5

    @property
    def digest(self) -> str:
        """`sha256:…` over what answers: the address and the id, or the recorded replies. Not over the credential."""
        recorded = hashlib.sha256(_read_bytes(Path(self.replies))).hexdigest() if self.replies else ""
        return digest_of(
            canonical({"kind": self.kind, "base_url": self.base_url, "model": self.model, "replies": recorded})
        )

    def open(self) -> Model:
        """The model itself, one for each process, so that its rate holds over all runs. Conflict where it can't be
        used.
        """
        with _opening:
            return _open(self, self._secret())

    def _secret(self) -> str | None:
        if self.key_env:
            if not os.environ.get(self.key_env):
                raise Conflict(f"The model {self.name} needs the variable {self.key_env}, which is not set here.")
            return os.environ[self.key_env]
        return _read_bytes(Path(self.key_file)).decode().strip() if self.key_file else None


_opening = threading.Lock()
_echo = Endpoint(ECHO, "echo", model=ECHO)


def list_endpoints(namespace: str) -> list[Endpoint]:
    """The models that runs in the namespace may ask, by name; the one that echoes is always among them."""
    endpoints = [endpoint for endpoint in _listed() if endpoint.namespaces is None or namespace in endpoint.namespaces]
    return [*sorted(endpoints, key=lambda endpoint: endpoint.name), _echo]


def find_endpoint(name: str, namespace: str) -> Endpoint:
    """The model of that name; Invalid names those that there are."""
    for endpoint in list_endpoints(namespace):
        if endpoint.name == name:
            return endpoint
    names = ", ".join(endpoint.name for endpoint in list_endpoints(namespace))
    raise Invalid(fields={"model": f"{namespace} has no model {name[:80]!r}; it has {names}. The operator lists them."})


def _listed() -> tuple[Endpoint, ...]:
    path = Path(settings.MODELS_PATH)
    try:
        stamp = path.stat()
    except OSError:
        return ()
    return _read(path, stamp.st_mtime_ns, stamp.st_size)


@functools.lru_cache(maxsize=4)
def _read(path: Path, _changed: int, _size: int) -> tuple[Endpoint, ...]:
    try:
        content = value_of(compose(_read_bytes(path).decode()))
    except (YamlError, UnicodeDecodeError) as error:
        raise _unreadable(path, str(error)) from error
    if content is None:
        return ()
    if not isinstance(content, Mapping):
        raise _unreadable(path, "it must be a mapping of names to models")
    return tuple(_endpoint(path, str(name), entry) for name, entry in content.items())


def _endpoint(path: Path, name: str, entry: Any) -> Endpoint:
    if not isinstance(entry, Mapping) or name == ECHO:
        raise _unreadable(path, f"{name} must be a mapping" if name != ECHO else "echo is there already")
    if unknown := sorted(set(entry) - _FIELDS):
        raise _unreadable(path, f"{name} has no {unknown[0]!r}, only {', '.join(sorted(_FIELDS))}")
    if ("base_url" in entry) == ("replies" in entry):
        raise _unreadable(path, f"{name} needs either base_url or replies")
    try:
        if "replies" in entry:
            return Endpoint(
                name, "recorded", model=name, replies=str(path.parent / str(entry["replies"])), **_whom(entry)
            )
        return _http(name, entry)
    except (TypeError, ValueError, KeyError, InvalidOperation) as error:
        raise _unreadable(path, f"{name} holds a value that can't be used ({error})") from error


def _http(name: str, entry: Mapping[str, Any]) -> Endpoint:
    parts = urlsplit(str(entry["base_url"]))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise ValueError("base_url is no http(s) address without a user name")
    price = entry.get("price")
    concurrency = int(entry.get("concurrency", 4))
    if not 1 <= concurrency <= _MOST_CONCURRENT:
        raise ValueError(f"concurrency is 1 to {_MOST_CONCURRENT}")
    return Endpoint(
        name,
        "http",
        model=str(entry.get("model", name)),
        base_url=str(entry["base_url"]).rstrip("/"),
        key_env=str(entry.get("key_env", "")),
        key_file=str(entry.get("key_file", "")),
        price=_price(price) if price is not None else None,
        concurrency=concurrency,
        per_second=float(entry["per_second"]) if entry.get("per_second") else None,
        timeout=float(entry.get("timeout", 60)),
        attempts=max(1, int(entry.get("attempts", 5))),
        **_whom(entry),
    )


def _whom(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"namespaces": tuple(map(str, entry["namespaces"])) if "namespaces" in entry else None}


def _price(entry: Mapping[str, Any]) -> Price:
    return Price(
        Decimal(str(entry["prompt"])), Decimal(str(entry["completion"])), str(entry.get("currency", "USD"))[:3]
    )


@functools.lru_cache(maxsize=64)
def _open(endpoint: Endpoint, secret: str | None) -> Model:
    if endpoint.kind == "echo":
        return EchoModel()
    if endpoint.kind == "recorded":
        return RecordedModel(_replies(Path(endpoint.replies)), name=endpoint.name)
    return HTTPModel(
        endpoint.model,
        endpoint.base_url,
        key=secret,
        attempts=endpoint.attempts,
        timeout=endpoint.timeout,
        per_second=endpoint.per_second,
    )


def _replies(path: Path) -> dict[str, str]:
    replies = {}
    for number, line in enumerate(_read_bytes(path).decode().split("\n"), start=1):
        if line.strip():
            try:
                entry = json.loads(line)
                replies[str(entry["prompt"])] = str(entry["reply"])
            except (ValueError, KeyError, TypeError) as error:
                raise Conflict(f'{path.name}, line {number}: needs {{"prompt": "sha256:…", "reply": "…"}}.') from error
    return replies


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Conflict(f"{path.name}, which the operator's list of models names, can't be read.") from error


def _unreadable(path: Path, why: str) -> Conflict:
    return Conflict(f"The operator's list of models ({path.name}) can't be used: {why}.")
