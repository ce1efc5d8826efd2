"""Services of connections: making, changing, trying and removing them, and setting the spending caps. For admins."""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.translation import gettext

from promptuary.evaluation import ModelError
from registry.accounts.actor import Actor
from registry.connections import queries
from registry.connections.counted_calls import CountedCall
from registry.connections.events import ConnectionRemoved, ConnectionSet, SpendingCapped
from registry.connections.fields import FIELDS, check_amount, check_currency, check_fields
from registry.connections.models import Connection, SpendingCap
from registry.core import safe_http
from registry.core.encryption import seal
from registry.core.errors import Conflict
from registry.core.sentences import end_sentence
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb

__all__ = [
    "LIMIT",
    "TryResult",
    "change_connection",
    "create_connection",
    "remove_connection",
    "set_caps",
    "try_connection",
]

LIMIT = 50  # the most connections of one namespace
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that are easily confused
_MAX_TRY_SECONDS = 15.0  # seconds that a page waits for data of a model in a trial; twice as long for the whole answer
_QUESTION = "Answer with the one word: ready"


@dataclass(frozen=True)
class TryResult:
    """The result of trying a connection."""

    text: str
    milliseconds: int
    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True)
class _Question:
    messages: list[dict[str, Any]]


def create_connection(  # noqa: PLR0913  # each a thing that an admin says of a model
    *,
    actor: Actor,
    namespace: str,
    name: str,
    base_url: str,
    model: str,
    protocol: str = Connection.OPENAI,
    key: str = "",
    prompt_price: str | None = None,
    completion_price: str | None = None,
    currency: str = "USD",
    timeout: int = 60,
    concurrency: int = 4,
    per_second: float | None = None,
) -> Connection:
    """Connect a model; admins only. The key is sealed and never shown again.

    base_url: https, to a public address, or to a host that the operator allows. Prices are per million tokens. Raises
    Invalid with each wrong field, Conflict if the name is taken.
    """
    values = check_fields(
        {
            "name": name,
            "base_url": base_url,
            "model": model,
            "protocol": protocol,
            "key": key,
            "prompt_price": prompt_price,
            "completion_price": completion_price,
            "currency": currency,
            "timeout": timeout,
            "concurrency": concurrency,
            "per_second": per_second,
        }
    )
    at = log.now()
    with transaction.atomic():
        log.lock()
        space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        permissions.require_proof(actor)
        _require_room(space, name)
        identifier = "".join(secrets.choice(_LETTERS) for _ in range(8))
        row = Connection(id=identifier, namespace=space, created_by=actor.person, created_at=at)
        _set_fields(row, values)
        row.save(force_insert=True)
        log.append(actor, _describe(row), namespace=space, at=at)
    return row


def _require_room(space: Namespace, name: str) -> None:
    """Raise Conflict if the namespace has a connection of this name, or the most connections."""
    if space.connections.count() >= LIMIT:
        sentence = gettext("{namespace} has {most} connections: remove one first.")
        raise Conflict(sentence.format(namespace=space.name, most=LIMIT))
    if space.connections.filter(name=name).exists():
        sentence = gettext("{namespace} has a connection {name} already.")
        raise Conflict(sentence.format(namespace=space.name, name=name))


def change_connection(*, actor: Actor, connection_id: str, **changes: Any) -> Connection:
    """Change the given fields, those of `create_connection`; admins only. An empty key removes it.

    A new address without a key drops the key: it must not be sent to another host.
    """
    at = log.now()
    with transaction.atomic():
        log.lock()
        row = queries.find_connection(actor, connection_id)
        permissions.require_proof(actor)
        before = {name: getattr(row, name) for name in FIELDS if name != "key"}
        values = check_fields({**before, **changes})
        if _find_origin(values["base_url"]) != _find_origin(row.base_url) and row.has_key:
            values.setdefault("key", "")
        others = row.namespace.connections.exclude(pk=row.pk)
        if others.filter(name=values["name"]).exists():
            raise Conflict(
                gettext("{namespace} has a connection {name} already.").format(
                    namespace=row.namespace.name, name=values["name"]
                )
            )
        _set_fields(row, values)
        row.save()
        log.append(actor, _describe(row, rotated=bool(values.get("key"))), namespace=row.namespace, at=at)
    return row


def remove_connection(*, actor: Actor, connection_id: str) -> None:
    """Remove a connection and its key; runs that it answered stay. Admins only."""
    with transaction.atomic():
        log.lock()
        row = queries.find_connection(actor, connection_id)
        event = ConnectionRemoved(id=row.id, name=row.name)
        log.append(actor, event, namespace=row.namespace, at=log.now())
        row.delete()


def try_connection(*, actor: Actor, connection_id: str) -> TryResult:
    """Ask the model for one word; admins only. Counts against the caps. Raises Conflict with what went wrong.

    There is one attempt. It ends after 15 seconds without data and after 30 seconds in any case.
    """
    row = queries.find_connection(actor, connection_id)
    endpoint = queries.make_endpoint(row)
    timeout = min(endpoint.timeout, _MAX_TRY_SECONDS)
    endpoint = replace(endpoint, attempts=1, timeout=timeout, longest=2 * _MAX_TRY_SECONDS)
    call = CountedCall(row.namespace, actor.person, endpoint, _QUESTION)
    model, began = endpoint.open(), time.monotonic()
    call.count_try()
    try:
        reply = model.complete(_Question([{"role": "user", "content": _QUESTION}]), {})
    except (ModelError, safe_http.Refused) as error:
        call.settle(error.spent if isinstance(error, ModelError) else ())
        raise Conflict(end_sentence(str(error))) from error
    milliseconds = int((time.monotonic() - began) * 1000)
    call.settle([reply, *reply.spent])
    return TryResult(reply.text[:500], milliseconds, reply.prompt_tokens, reply.completion_tokens)


def set_caps(
    *, actor: Actor, namespace: str, person_day: str | None, namespace_month: str | None, currency: str = "USD"
) -> SpendingCap:
    """Set the caps on the cost of model calls: per person and day, and in total per month; None for no cap. Admins
    only.
    """
    values = {
        "person_day": check_amount("person_day", person_day),
        "namespace_month": check_amount("namespace_month", namespace_month),
        "currency": check_currency("currency", currency),
    }
    with transaction.atomic():
        log.lock()
        space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        permissions.require_proof(actor)
        cap, _ = SpendingCap.objects.update_or_create(namespace=space, defaults=values)
        event = SpendingCapped(
            person_day=_format_amount(cap.person_day),
            namespace_month=_format_amount(cap.namespace_month),
            currency=cap.currency,
        )
        log.append(actor, event, namespace=space, at=log.now())
    return cap


def _set_fields(row: Connection, values: Mapping[str, Any]) -> None:
    for field, value in values.items():
        if field == "key":
            row.sealed_key, row.has_key = (seal(value), True) if value else ("", False)
        else:
            setattr(row, field, value)


def _find_origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def _describe(row: Connection, *, rotated: bool = False) -> ConnectionSet:
    return ConnectionSet(
        id=row.id,
        name=row.name,
        protocol=row.protocol,
        base_url=row.base_url,
        model=row.model,
        key=row.has_key,
        prompt_price=_format_amount(row.prompt_price),
        completion_price=_format_amount(row.completion_price),
        currency=row.currency,
        timeout=row.timeout,
        concurrency=row.concurrency,
        per_second=row.per_second,
        rotated=True if rotated else None,
    )


def _format_amount(amount: Decimal | None) -> str | None:
    return None if amount is None else format(amount.normalize(), "f")
