"""Suggestions that somebody chose to put into the next version together, kept in their session until they go in."""

from collections.abc import Sequence

from django.http import HttpRequest

__all__ = ["add", "drop", "empty", "read"]

Suggestion = tuple[int, int]
_MOST = 100


def read(request: HttpRequest, number: int) -> list[Suggestion]:
    """The chosen suggestions of a request, each as (thread, comment), in the order they were chosen."""
    return [(thread, comment) for thread, comment in request.session.get(_key(number), [])]


def add(request: HttpRequest, number: int, suggestion: Suggestion) -> None:
    """Choose one more."""
    chosen = read(request, number)
    if suggestion not in chosen:
        _keep(request, number, [*chosen, suggestion][-_MOST:])


def drop(request: HttpRequest, number: int, suggestion: Suggestion) -> None:
    """Take one back."""
    _keep(request, number, [one for one in read(request, number) if one != suggestion])


def empty(request: HttpRequest, number: int) -> None:
    """Take all of them back."""
    request.session.pop(_key(number), None)


def _keep(request: HttpRequest, number: int, chosen: Sequence[Suggestion]) -> None:
    request.session[_key(number)] = [list(one) for one in chosen]


def _key(number: int) -> str:
    return f"batch:{number}"
