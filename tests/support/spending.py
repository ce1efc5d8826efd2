"""A person's spending on model calls."""

from decimal import Decimal

from registry.accounts.models import User
from registry.connections import spending
from registry.connections.endpoint import Price
from registry.connections.spending import SpendingAccount
from registry.journal import log
from registry.namespaces.models import Namespace

__all__ = ["spend_one_dollar"]


def spend_one_dollar(person: User, namespace: str = "support") -> None:
    """Record a model call of one dollar by this person in the namespace today."""
    space, price = Namespace.objects.get(name=namespace), Price(Decimal(1000), Decimal(1000), "USD")
    spending.record_tokens(SpendingAccount(space.pk, person.pk, "small", price, log.now().date()), 1, 1000, 0)
