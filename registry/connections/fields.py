"""The fields of a connection and of a spending cap, as an admin enters them: each checked by its own rule."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext

from registry.connections.endpoint import ECHO, MAX_CONCURRENT
from registry.connections.models import Connection
from registry.core import safe_http
from registry.core.errors import Invalid
from registry.core.input_checks import check_text

__all__ = ["FIELDS", "check_amount", "check_currency", "check_fields"]

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
_MAX_SECONDS = 600


def check_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the values to columns. Raises Invalid with each wrong field."""
    faults: dict[str, str] = {}
    checked: dict[str, Any] = {}
    for field, value in values.items():
        check = FIELDS.get(field)
        if check is None:
            faults[field] = gettext("a connection has no such field.")
            continue
        try:
            checked[field] = check(field, value)
        except Invalid as error:
            faults[field] = "; ".join(error.fields.values()) or error.message
    if not faults and (checked["prompt_price"] is None) != (checked["completion_price"] is None):
        faults["completion_price"] = gettext("give both prices, or none.")
    if faults:
        raise Invalid(fields=faults)
    return checked


def _check_name(field: str, value: Any) -> str:
    name = check_text(field, value, 64).strip()
    if name == ECHO:
        raise Invalid(fields={field: gettext("echo is the model that every namespace has: choose another name.")})
    if not _NAME.fullmatch(name):
        raise Invalid(
            fields={field: gettext("use lower-case letters, digits, and - . _ between them, as in gpt-4.1-mini.")}
        )
    return name


def _check_url(field: str, value: Any) -> str:
    url = check_text(field, value, 2000).strip().rstrip("/")
    parts = urlsplit(url)
    if parts.query or parts.fragment:
        raise Invalid(fields={field: gettext("write the address up to its path, without ? or #.")})
    safe_http.check_url(url)
    return url


def _check_model(field: str, value: Any) -> str:
    model = check_text(field, value, 200).strip()
    if not model:
        raise Invalid(fields={field: gettext("write the provider's id of the model, as in gpt-4o-mini.")})
    return model


def _check_protocol(field: str, value: Any) -> str:
    if value not in Connection.PROTOCOLS:
        raise Invalid(fields={field: gettext("one of {names}.").format(names=", ".join(Connection.PROTOCOLS))})
    return str(value)


def _check_key(field: str, value: Any) -> str:
    key = check_text(field, value, 1000, may_hold_secrets=True).strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Invalid(fields={field: gettext("a key has no blanks, and only ASCII characters.")})
    return key


def check_amount(field: str, value: Any) -> Decimal | None:
    if value is None or value == "":
        return None
    try:
        amount = Decimal(str(value)).quantize(Decimal("0.000001"))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 <= amount < 10_000_000:
        raise Invalid(fields={field: gettext("an amount from 0 to 9,999,999, as in 0.15.")})
    return amount


def check_currency(field: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) != 3 or not value.isascii() or not value.isupper():
        raise Invalid(fields={field: gettext("three capital letters, as in USD.")})
    return value


def _check_seconds(field: str, value: Any) -> int:
    return _check_whole(field, value, _MAX_SECONDS)


def _check_concurrency(field: str, value: Any) -> int:
    return _check_whole(field, value, MAX_CONCURRENT)


def _check_whole(field: str, value: Any, maximum: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= maximum:
        raise Invalid(fields={field: gettext("a whole number from 1 to {most}.").format(most=maximum)})
    return value


def _check_rate(field: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.01 <= value <= 1000:
        raise Invalid(fields={field: gettext("a number from 0.01 to 1000, or nothing for no limit.")})
    return float(value)


FIELDS: Mapping[str, Callable[[str, Any], Any]] = {
    "name": _check_name,
    "base_url": _check_url,
    "model": _check_model,
    "protocol": _check_protocol,
    "key": _check_key,
    "prompt_price": check_amount,
    "completion_price": check_amount,
    "currency": check_currency,
    "timeout": _check_seconds,
    "concurrency": _check_concurrency,
    "per_second": _check_rate,
}
