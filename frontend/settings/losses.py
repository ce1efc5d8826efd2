"""Confirmation of actions that remove rights: a page shows what would be lost before the action is performed."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import QueryDict

from registry.people.access_losses import AccessLosses, UnconfirmedLosses

__all__ = ["ActToConfirm", "ask_first"]


@dataclass(frozen=True)
class ActToConfirm:
    """An action that wasn't performed yet, because something would be lost. fields: (name, value) of the form that
    performs it. words: the text of the button.
    """

    fields: list[tuple[str, str]]
    words: str
    losses: AccessLosses


def ask_first(act: Callable[[], str], posted: QueryDict, words: Callable[[], str]) -> str | ActToConfirm:
    """Return the message of `act`, or what to confirm if it was refused because of losses. words: the text of the
    button that confirms.
    """
    try:
        return act()
    except UnconfirmedLosses as refused:
        hidden_fields = [
            (name, value) for name, value in posted.items() if name not in ("csrfmiddlewaretoken", "confirmed")
        ]
        return ActToConfirm([(name, str(value)) for name, value in hidden_fields], words(), refused.losses)
