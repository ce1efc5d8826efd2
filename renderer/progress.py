"""Notes on where a rendering is, for whoever runs it from outside and may have to stop it.

In an ordinary process nobody watches and a note costs one comparison. The bounded child sends its notes to the process
that waits for it, so that a child that had to be killed still tells the author's line.
"""

from collections.abc import Callable, Iterable

__all__ = ["at", "compiled", "start"]

Note = dict[str, object]
_send: Callable[[Note], None] | None = None


def start(send: Callable[[Note], None]) -> None:
    """Send every note to `send` from here on."""
    global _send  # noqa: PLW0603 - one process renders one request, and its watcher with it
    _send = send


def at(line: int, what: str) -> None:
    """Say what is about to be done, and the document's line it is done for."""
    if _send is not None:
        _send({"line": line, "what": what})


def compiled(filename: str, lines: Callable[[], Iterable[tuple[int, int]]]) -> None:
    """Say which line of the document each line of generated code comes from: (code line, document line), ascending."""
    if _send is not None:
        _send({"file": filename, "lines": list(lines())})
