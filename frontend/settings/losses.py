"""Confirmation of acts that take rights: a page shows what would be lost before the act is done."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import QueryDict

from registry.people.access_losses import AccessLosses, UnconfirmedLosses

__all__ = ["ActToConfirm", "ask_first"]


@dataclass(frozen=True)
class ActToConfirm:
    """An act that was not done yet, because something would be lost. fields: (name, value) of the form that does it.
    words: of the button.
    """

    fields: list[tuple[str, str]]
    words: str
    losses: AccessLosses


def ask_first(act: Callable[[], str], posted: QueryDict, words: Callable[[], str]) -> str | ActToConfirm:
    """What `act` did as a sentence; or what has to be confirmed, and then nothing was done. words: what the button
    says that does it all the same.
    """
    try:
        return act()
    except UnconfirmedLosses as refused:
        kept = [(name, value) for name, value in posted.items() if name not in ("csrfmiddlewaretoken", "confirmed")]
        return ActToConfirm([(name, str(value)) for name, value in kept], words(), refused.losses)
