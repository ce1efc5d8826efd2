"""The token counts of a prompt: known, or counted when somebody first asks.

A prompt that surely fits its limit is handed out uncounted, so that whoever wants its text needs no vocabulary for it.
"""

from collections.abc import Callable

__all__ = ["Counts"]


class Counts:
    """The tokens of one prompt: each part's, and the whole with its chat markup. Threads may share it.

    Give either the total, or `count`, which returns the total and the parts' counts when they are wanted.
    """

    __slots__ = ("_count", "_found", "_listeners", "_total")

    def __init__(self, total: int | None = None, count: Callable[[], tuple[int, list[int]]] | None = None) -> None:
        if (total is None) == (count is None):
            raise ValueError("give either the total or what counts it")
        self._total = total
        self._count = count
        self._found: list[int] = []
        self._listeners: list[Callable[[int], object]] = []

    @property
    def known(self) -> int | None:
        """The number, or None while nobody has asked for it."""
        return self._total

    @property
    def total(self) -> int:
        """The number, counted now if need be. Raises TokenizerError (MissingVocabularyError) where it can't be."""
        count = self._count
        if count is not None:
            total, self._found = count()
            self._total, self._count = total, None
            while self._listeners:
                self._listeners.pop()(total)
        return self._total or 0

    def of_part(self, index: int) -> int:
        """The tokens of one part of a prompt that was not counted at first. Raises as `total`."""
        if self._count is not None:
            self.total  # noqa: B018  # counts all of them
        return self._found[index]

    def when_known(self, listener: Callable[[int], object]) -> None:
        """Call the listener with the number, now or when it is counted."""
        if self._total is None:
            self._listeners.append(listener)
        else:
            listener(self._total)
