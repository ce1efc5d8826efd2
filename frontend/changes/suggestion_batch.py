"""The batch of a change request: suggestions chosen in this session, to be applied together."""

from collections.abc import Sequence

from django.http import HttpRequest

__all__ = ["Suggestion", "add_to_batch", "drop_from_batch", "empty_batch", "read_batch"]

MOST_IN_BATCH = 100

Suggestion = tuple[int, int]  # the numbers of a thread and of its comment


def read_batch(request: HttpRequest, number: int) -> list[Suggestion]:
    """The suggestions chosen in this session, in the order they were chosen."""
    return [(thread, comment) for thread, comment in request.session.get(_batch_key(number), [])]


def add_to_batch(request: HttpRequest, number: int, suggestion: Suggestion) -> None:
    """Add a suggestion to the batch of a request."""
    chosen = read_batch(request, number)
    if suggestion not in chosen:
        _store_batch(request, number, [*chosen, suggestion][-MOST_IN_BATCH:])


def drop_from_batch(request: HttpRequest, number: int, suggestion: Suggestion) -> None:
    """Take a suggestion out of the batch."""
    _store_batch(request, number, [other for other in read_batch(request, number) if other != suggestion])


def empty_batch(request: HttpRequest, number: int) -> None:
    """Take all suggestions out of the batch."""
    request.session.pop(_batch_key(number), None)


def _store_batch(request: HttpRequest, number: int, chosen: Sequence[Suggestion]) -> None:
    request.session[_batch_key(number)] = [list(pair) for pair in chosen]


def _batch_key(number: int) -> str:
    return f"batch:{number}"
