"""Spending on model calls, and the caps that are checked before each call."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F, Q, Sum
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.connections import queries
from registry.connections.endpoint import Endpoint, Price
from registry.connections.models import Spending, SpendingCap
from registry.core.errors import Conflict, TooMany
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb

__all__ = [
    "ModelSpending",
    "SpendingAccount",
    "SpentAmounts",
    "count_or_estimate",
    "find_refusals",
    "format_amount",
    "list_spending",
    "record_tokens",
    "require_within_caps",
    "sum_spent",
]

_BYTES_A_TOKEN = 3  # for texts whose tokens the provider didn't count: overestimates rather than underestimates


@dataclass(frozen=True)
class SpentAmounts:
    """The amounts spent in the cap's currency: by the person since midnight UTC, in total since the first of the
    month.
    """

    person_day: Decimal
    namespace_month: Decimal


@dataclass(frozen=True)
class SpendingAccount:
    """Where spending is counted: whose calls of which model, at what price, on which day (UTC)."""

    namespace_id: int
    person_id: int
    model: str
    price: Price | None
    day: date


@dataclass(frozen=True)
class ModelSpending:
    """The cost of one model's calls in the namespace this month."""

    model: str
    currency: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal


def require_within_caps(namespace: Namespace, person: User, endpoint: Endpoint) -> None:
    """Raise TooMany if a cap is reached, Conflict if one is set and the model's price can't be counted against it.
    Checked before each call, so that a cap is exceeded at most by the calls in flight.
    """
    if refusal := find_refusals(namespace, person, [endpoint]).get(endpoint.name):
        raise refusal


def find_refusals(namespace: Namespace, person: User, endpoints: Iterable[Endpoint]) -> dict[str, Conflict | TooMany]:
    """Map the name of each model that the caps prevent the person from calling now to the error."""
    cap = queries.find_cap(namespace)
    capped = [endpoint for endpoint in endpoints if endpoint.kind == "http"]
    if not capped or (cap.person_day is None and cap.namespace_month is None):
        return {}
    reached = _find_reached_cap(cap, namespace, person)
    off = _refuse_switched_off(cap, namespace)
    refusals = {endpoint.name: off or _refuse_price(endpoint, cap, namespace) or reached for endpoint in capped}
    return {name: refusal for name, refusal in refusals.items() if refusal is not None}


def _refuse_switched_off(cap: SpendingCap, namespace: Namespace) -> Conflict | None:
    """The error for a cap of 0, which never resets."""
    if cap.person_day == 0:
        sentence = gettext("{name} has a spending cap of 0 per person and day, which switches calls of models off.")
    elif cap.namespace_month == 0:
        sentence = gettext("{name} has a spending cap of 0 per month, which switches calls of models off.")
    else:
        return None
    return Conflict(sentence.format(name=namespace.name))


def _refuse_price(endpoint: Endpoint, cap: SpendingCap, namespace: Namespace) -> Conflict | None:
    if endpoint.price is None:
        return Conflict(
            gettext("{name} has a spending cap, and {endpoint_name} has no price: it can't be asked.").format(
                name=namespace.name, endpoint_name=endpoint.name
            )
        )
    if endpoint.price.currency == cap.currency:
        return None
    return Conflict(
        gettext(
            "{name} caps its spending in {currency}; the price of {endpoint_name} is in {endpoint_price_currency}."
        ).format(
            name=namespace.name,
            currency=cap.currency,
            endpoint_name=endpoint.name,
            endpoint_price_currency=endpoint.price.currency,
        )
    )


def _find_reached_cap(cap: SpendingCap, namespace: Namespace, person: User) -> TooMany | None:
    now = log.now()
    spent = sum_spent(namespace, person, cap.currency, now.date())
    if cap.person_day is not None and spent.person_day >= cap.person_day:
        return TooMany(
            gettext(
                "The daily limit of {username} is reached: {spent} of {cap} {currency}. It resets at 00:00 UTC."
            ).format(
                username=person.username,
                spent=format_amount(spent.person_day),
                cap=format_amount(cap.person_day),
                currency=cap.currency,
            ),
            retry_after=_count_seconds_until(now, now.date() + timedelta(days=1)),
        )
    if cap.namespace_month is None or spent.namespace_month < cap.namespace_month:
        return None
    following = (now.date().replace(day=1) + timedelta(days=32)).replace(day=1)
    return TooMany(
        gettext(
            "The monthly limit of {name} is reached: {spent} of {cap} {currency}. It resets on {isoformat}."
        ).format(
            name=namespace.name,
            spent=format_amount(spent.namespace_month),
            cap=format_amount(cap.namespace_month),
            currency=cap.currency,
            isoformat=following.isoformat(),
        ),
        retry_after=_count_seconds_until(now, following),
    )


def format_amount(amount: Decimal) -> str:
    """The amount with at least two decimals, and as many as it has: `0.50`, `0.000052`."""
    whole, _, decimals = f"{amount.normalize():f}".partition(".")
    return f"{whole}.{decimals:0<2}"


def sum_spent(namespace: Namespace, person: User, currency: str, day: date) -> SpentAmounts:
    """The amounts spent up to and including this day."""
    month = Spending.objects.filter(namespace=namespace, currency=currency, day__gte=day.replace(day=1), day__lte=day)
    sums = month.aggregate(all=Sum("cost"), own=Sum("cost", filter=Q(person=person, day=day)))
    return SpentAmounts(sums["own"] or Decimal(0), sums["all"] or Decimal(0))


def record_tokens(account: SpendingAccount, calls: int, prompt_tokens: int, completion_tokens: int) -> None:
    """Count tokens as spent. Negative numbers correct an overestimate on the account's day."""
    price = account.price
    cost = price.compute_cost(prompt_tokens, completion_tokens) if price else Decimal(0)
    place: dict[str, Any] = {
        "namespace_id": account.namespace_id,
        "person_id": account.person_id,
        "model": account.model,
        "day": account.day,
        "currency": price.currency if price else "",
    }
    with transaction.atomic():
        Spending.objects.bulk_create([Spending(**place)], ignore_conflicts=True)
        Spending.objects.filter(**place).update(
            calls=F("calls") + calls,
            prompt_tokens=F("prompt_tokens") + prompt_tokens,
            completion_tokens=F("completion_tokens") + completion_tokens,
            cost=F("cost") + cost,
        )


def list_spending(actor: Actor, namespace: str) -> list[ModelSpending]:
    """The cost of each model in the namespace since the first of the month (UTC), highest first; for its admins."""
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    since = log.now().date().replace(day=1)
    rows = Spending.objects.filter(namespace=space, day__gte=since).values("model", "currency")
    sums = rows.annotate(
        all_calls=Sum("calls"),
        all_prompt_tokens=Sum("prompt_tokens"),
        all_completion_tokens=Sum("completion_tokens"),
        all_cost=Sum("cost"),
    )
    return [
        ModelSpending(
            row["model"],
            row["currency"],
            row["all_calls"],
            row["all_prompt_tokens"],
            row["all_completion_tokens"],
            row["all_cost"],
        )
        for row in sums.order_by("-all_cost", "model")
    ]


def count_or_estimate(count: int | None, text: str) -> int:
    """The provider's count of a text's tokens, else a conservative estimate."""
    return count if count is not None else len(text.encode()) // _BYTES_A_TOKEN + 1


def _count_seconds_until(now: datetime, day: date) -> int:
    midnight = datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)
    return int((midnight - now).total_seconds()) + 1
