"""The operator's list of models, a file that only the operator edits. It refers to keys but doesn't contain them.

small:
  base_url: http://127.0.0.1:9000/v1          # up to and without /chat/completions
  protocol: openai                             # or responses, anthropic
  model: gpt-4o-mini                           # its id at the endpoint; default: the name
  key_env: OPENAI_API_KEY                      # or key_file: /run/secrets/openai
  price: {prompt: 0.15, completion: 0.60, currency: USD}      # a million tokens
  namespaces: [support]                        # default: all
  concurrency: 4
  per_second: 5
  timeout: 60
  attempts: 5
replayed:
  replies: replies.jsonl                       # lines {"prompt": "sha256:…", "reply": "…"}, next to this file
"""

import functools
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext

from promptuary.evaluation.protocols import PROTOCOLS
from promptuary.renderer.syntax.yaml_reader import YamlError, compose, read_value
from registry.connections.endpoint import ECHO, MAX_CONCURRENT, Endpoint, Price, read_bytes
from registry.core.errors import Conflict

__all__ = ["list_operator_models"]

_FIELDS = {
    "base_url",
    "protocol",
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


def list_operator_models(namespace: str) -> list[Endpoint]:
    """The operator's models for the namespace, by name. Raises Conflict if the list can't be used."""
    endpoints = [model for model in _read_file() if model.namespaces is None or namespace in model.namespaces]
    return sorted(endpoints, key=lambda endpoint: endpoint.name)


def _read_file() -> tuple[Endpoint, ...]:
    path = Path(settings.MODELS_PATH)
    try:
        stamp = path.stat()
    except OSError:
        return ()
    return _read(path, stamp.st_mtime_ns, stamp.st_size)


@functools.lru_cache(maxsize=4)
def _read(path: Path, _changed: int, _size: int) -> tuple[Endpoint, ...]:
    try:
        content = read_value(compose(read_bytes(path).decode()))
    except (YamlError, UnicodeDecodeError) as error:
        raise _refuse_file(path, str(error)) from error
    if content is None:
        return ()
    if not isinstance(content, Mapping):
        raise _refuse_file(path, gettext("it must be a mapping of names to models"))
    return tuple(_read_endpoint(path, str(name), entry) for name, entry in content.items())


def _read_endpoint(path: Path, name: str, entry: Any) -> Endpoint:
    if not isinstance(entry, Mapping) or name == ECHO:
        raise _refuse_file(
            path,
            gettext("{name} must be a mapping").format(name=name) if name != ECHO else gettext("echo is there already"),
        )
    if unknown := sorted(set(entry) - _FIELDS):
        raise _refuse_file(
            path,
            gettext("{name} has no {value!r}, only {names}").format(
                name=name, value=unknown[0], names=", ".join(sorted(_FIELDS))
            ),
        )
    if ("base_url" in entry) == ("replies" in entry):
        raise _refuse_file(path, gettext("{name} needs either base_url or replies").format(name=name))
    try:
        if "replies" in entry:
            return Endpoint(
                name, "recorded", model=name, replies=str(path.parent / str(entry["replies"])), **_read_access(entry)
            )
        return _read_http_endpoint(name, entry)
    except ValueError as error:
        raise _refuse_file(
            path, gettext("{name} has a value that can't be used ({error})").format(name=name, error=error)
        ) from error


def _read_http_endpoint(name: str, entry: Mapping[str, Any]) -> Endpoint:
    parts = urlsplit(str(entry["base_url"]))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise ValueError("base_url must be an http(s) address without a user name")
    price = entry.get("price")
    concurrency = int(_read_number(entry, "concurrency", 4))
    if not 1 <= concurrency <= MAX_CONCURRENT:
        raise ValueError(f"concurrency must be from 1 to {MAX_CONCURRENT}")
    protocol = str(entry.get("protocol", "openai"))
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}")
    return Endpoint(
        name,
        "http",
        protocol=protocol,
        model=str(entry.get("model", name)),
        base_url=str(entry["base_url"]).rstrip("/"),
        key_env=str(entry.get("key_env", "")),
        key_file=str(entry.get("key_file", "")),
        price=_read_price(price) if price is not None else None,
        concurrency=concurrency,
        per_second=float(_read_number(entry, "per_second", 0)) or None,
        timeout=float(_read_number(entry, "timeout", 60)),
        attempts=max(1, int(_read_number(entry, "attempts", 5))),
        **_read_access(entry),
    )


def _read_access(entry: Mapping[str, Any]) -> dict[str, Any]:
    names = entry.get("namespaces")
    if names is not None and not isinstance(names, list):
        raise ValueError("namespaces must be a list of names")
    return {"namespaces": None if names is None else tuple(map(str, names))}


def _read_price(entry: Any) -> Price:
    if not isinstance(entry, Mapping):
        raise ValueError("price must be a mapping with prompt and completion")
    prompt, completion = (_read_number(entry, field, None, "price.") for field in ("prompt", "completion"))
    return Price(prompt, completion, str(entry.get("currency", "USD"))[:3])


def _read_number(entry: Mapping[str, Any], field: str, default: int | None, where: str = "") -> Decimal:
    """The number in the field. Raises ValueError naming the field for other values and for negative ones."""
    try:
        number = Decimal(str(default if entry.get(field) is None else entry[field]))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number < 0:
        raise ValueError(f"{where}{field} must be a number, 0 or more")
    return number


def _refuse_file(path: Path, why: str) -> Conflict:
    return Conflict(
        gettext("The operator's list of models ({name}) can't be used: {why}.").format(name=path.name, why=why)
    )
