"""Delivery of webhook messages: in order per webhook, retried with increasing delays, every attempt logged."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx
from django.db import connection, transaction
from django.db.models import Q

from promptuary.evaluation.connection_failures import describe_failure
from registry.core import safe_http
from registry.core.errors import PromptuaryError
from registry.journal import log
from registry.webhooks import messages
from registry.webhooks.models import Attempt, Delivery, Webhook

__all__ = ["PAUSES", "delete_old_deliveries", "deliver_due", "send_delivery"]

# The delays recommended by Standard Webhooks; after the last one the delivery fails. About three days in total.
PAUSES = tuple(timedelta(seconds=seconds) for seconds in (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400))
_TIMEOUT = 10.0  # seconds until the status, and again for the body, however slowly they come
_CLAIM = timedelta(seconds=60)  # how long a killed worker can block a webhook
_TURN = 20.0  # seconds per webhook before others get their turn
_AT_ONCE = 8  # webhooks served concurrently
_SAID = 1000  # characters of a response that are kept
_KEPT = timedelta(days=30)
_busy = threading.Lock()


@dataclass(frozen=True)
class _Answer:
    status: int | None
    said: str
    retry_after: timedelta | None = None


def deliver_due() -> int:
    """Send what is due, with one worker per webhook. Return the number of attempts. One call at a time per process."""
    if not _busy.acquire(blocking=False):
        return 0
    try:
        count = 0
        while webhooks := _list_due_webhooks():
            if len(webhooks) == 1:
                rounds = [_serve(webhooks[0])]
            else:
                with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="webhooks") as pool:
                    rounds = list(pool.map(_serve_in_thread, webhooks))
            count += sum(rounds)
            if not any(rounds):
                break  # another worker has everything that is due
        return count
    finally:
        _busy.release()


def send_delivery(delivery: Delivery) -> Attempt:
    """Make one attempt and log its result."""
    at, began = log.now(), time.monotonic()
    answer = _post(delivery, at)
    attempt = Attempt(
        delivery=delivery,
        at=at,
        status=answer.status,
        milliseconds=int((time.monotonic() - began) * 1000),
        said=answer.said,
    )
    delivery.attempts_made += 1
    with transaction.atomic():
        attempt.save()
        _settle(delivery, answer, log.now())
    return attempt


def delete_old_deliveries() -> int:
    """Delete old finished deliveries from the log."""
    settled = Delivery.objects.exclude(state=Delivery.PENDING)
    return settled.filter(finished_at__lt=log.now() - _KEPT).delete()[0]


def _list_due_webhooks() -> list[str]:
    at = log.now()
    deliveries = Delivery.objects.filter(state=Delivery.PENDING, due_at__lte=at, webhook__paused_at=None)
    free = deliveries.filter(Q(webhook__claimed_until=None) | Q(webhook__claimed_until__lt=at))
    return list(free.values_list("webhook_id", flat=True).distinct())


def _serve_in_thread(webhook_id: str) -> int:
    try:
        return _serve(webhook_id)
    finally:
        connection.close()


def _serve(webhook_id: str) -> int:
    """Send what is due for one webhook until its turn is over, under an exclusive claim."""
    at = log.now()
    free = Webhook.objects.filter(pk=webhook_id).filter(Q(claimed_until=None) | Q(claimed_until__lt=at))
    if not free.update(claimed_until=at + _CLAIM):
        return 0
    ends, count = time.monotonic() + _TURN, 0
    try:
        while time.monotonic() < ends and (delivery := _find_next(webhook_id)):
            send_delivery(delivery)
            count += 1
    finally:
        Webhook.objects.filter(pk=webhook_id).update(claimed_until=None)
    return count


def _find_next(webhook_id: str) -> Delivery | None:
    deliveries = Delivery.objects.filter(
        webhook=webhook_id, webhook__paused_at=None, state=Delivery.PENDING, due_at__lte=log.now()
    )
    return deliveries.select_related("webhook").order_by("pk").first()


def _post(delivery: Delivery, at: datetime) -> _Answer:
    try:
        headers, address = messages.sign_headers(delivery, at), delivery.webhook.address
        return asyncio.run(_send(address, delivery.body.encode(), headers, at))
    except PromptuaryError as error:
        return _Answer(None, error.message)
    except (httpx.TimeoutException, TimeoutError):
        return _Answer(None, f"The receiver did not answer within {_TIMEOUT:.0f} seconds.")
    except (httpx.InvalidURL, UnicodeError):
        return _Answer(None, "The address isn't a valid URL.")
    except httpx.HTTPError as error:
        return _Answer(None, f"{describe_failure('The receiver', address, error)}."[:_SAID])


async def _send(address: str, content: bytes, headers: dict[str, str], at: datetime) -> _Answer:
    """Post the message and read the answer. asyncio, because only it can limit the time of a whole attempt."""
    async with safe_http.open_client(timeout=_TIMEOUT) as client:
        headers = {**headers, "accept-encoding": "identity"}
        request = client.build_request("POST", address, content=content, headers=headers)
        async with asyncio.timeout(_TIMEOUT):
            response = await client.send(request, stream=True)
        try:
            return _Answer(response.status_code, await _read(response), _read_asked_pause(response, at))
        finally:
            await response.aclose()


async def _read(response: httpx.Response) -> str:
    """Read the beginning of the response, so that neither a long nor a slow one blocks the worker.

    A compressed body stays compressed: decompressed, a small one can fill the memory. If the body breaks off, the
    status counts all the same.
    """
    body = b""
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(_TIMEOUT):
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) >= _SAID:
                    break
    return body[:_SAID].decode("utf-8", "replace").replace("\0", "\ufffd")


def _read_asked_pause(response: httpx.Response, at: datetime) -> timedelta | None:
    """The delay that the receiver requests, at most a day."""
    header = response.headers.get("retry-after", "").strip()
    if response.status_code not in (429, 503) or not header:
        return None
    try:
        pause = timedelta(seconds=int(header)) if header.isdigit() else parsedate_to_datetime(header) - at
    except (ValueError, OverflowError, TypeError):
        return None
    return min(max(pause, timedelta()), timedelta(days=1))


def _settle(delivery: Delivery, answer: _Answer, at: datetime) -> None:
    if answer.status is not None and 200 <= answer.status < 300:
        delivery.state, delivery.finished_at = Delivery.DELIVERED, at
    elif answer.status == 410 or delivery.attempts_made > len(PAUSES):
        delivery.state, delivery.finished_at = Delivery.FAILED, at
        reason = (
            "The receiver answered 410 Gone."
            if answer.status == 410
            else f"Message {delivery.message} was not taken in {delivery.attempts_made} attempts."
        )
        Webhook.objects.filter(pk=delivery.webhook_id, paused_at=None).update(paused_at=at, pause_reason=reason)
    else:
        pause = PAUSES[delivery.attempts_made - 1]
        delivery.due_at = at + max(pause, answer.retry_after or timedelta())
    delivery.save(update_fields=["state", "finished_at", "due_at", "attempts_made"])
