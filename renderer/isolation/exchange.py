"""One request to the bounded child: the request goes out, notes come back, then an answer or the stack of a stopped child."""

import socket
import time
from typing import Any

from promptuary.renderer.errors import LimitError
from promptuary.renderer.isolation import crash_line, framing, process

__all__ = ["BusyError", "Conversation"]

# How long a caller waits for the zygote to start and load a vocabulary.
_START_SECONDS = 60.0
# What a child may take beyond its own bound before its caller stops waiting.
_GRACE_SECONDS = 0.5


class BusyError(LimitError):
    """No child could be had: too many renderings are under way, or none could be started. A moment later one may."""

    default_code = "PT703"


class Conversation:
    """Holds what has come back so far. `text` is the document, whose line is named when the child has to be stopped."""

    def __init__(self, home: process.Nursery, text: str, *, seconds: float, output_bytes: int) -> None:
        self._home, self._text, self._seconds, self._output_bytes = home, text, seconds, output_bytes
        self._notes: list[dict[str, Any]] = []
        self._started = False
        self._deadline = 0.0

    def hold(self, order: dict[str, Any], request: bytes) -> dict[str, Any]:
        """Send the request and return the answer. Raises LimitError for a child that was stopped, BusyError for none."""
        for attempt in range(2):
            mine, theirs = socket.socketpair()
            with mine:
                with theirs:
                    self._hand_over(order, theirs)
                rest, answer = self._listen(mine, request)
            if answer is not None:
                return answer
            if self._started or attempt:
                break
            # No child ever spoke: the zygote itself was lost. A new one gets the request once more.
        raise self._stopped(rest)

    def _hand_over(self, order: dict[str, Any], theirs: socket.socket) -> None:
        try:
            self._home.order(order, theirs)
        except OSError as error:
            raise _not_started() from error

    def _listen(self, mine: socket.socket, request: bytes) -> tuple[bytes, dict[str, Any] | None]:
        """Read until the answer, the end of the connection or the deadline; returns what is left and the answer."""
        data = b""
        self._deadline = time.monotonic() + _START_SECONDS
        sent = False
        while True:
            left = self._deadline - time.monotonic()
            if left <= 0:
                return data, None
            mine.settimeout(left)
            try:
                piece = mine.recv(1 << 18)
            except (TimeoutError, ConnectionError):
                return data, None
            if not piece:
                return data, None
            found, data = framing.unpack(data + piece, self._output_bytes)
            for tag, value in found:
                if tag == framing.ANSWER:
                    return data, value
                self._notes.append(value)
            if found and not sent:
                sent = self._started = True
                # The child waits for its request; its time runs from when it has it.
                if not _send(mine, request):
                    return data, None
                self._deadline = time.monotonic() + self._seconds + _GRACE_SECONDS

    def _stopped(self, stack: bytes) -> LimitError:
        text = stack.decode("utf-8", "replace")
        if not self._started:
            return _not_started()
        place = crash_line.blamed_place(self._text, self._notes, text)
        if text.startswith("Fatal Python error"):
            return LimitError("The rendering crashed here and was stopped.", place=place)
        if not text and time.monotonic() < self._deadline - _GRACE_SECONDS:
            return LimitError("The rendering was ended from outside, perhaps for want of memory.", place=place)
        return LimitError(f"This took longer than {self._seconds:.1f} seconds and was stopped.", place=place)


def _not_started() -> BusyError:
    """No document is to blame, and the next request starts another zygote."""
    return BusyError("The renderer's helper process could not be started; try again in a moment.")


def _send(mine: socket.socket, request: bytes) -> bool:
    try:
        mine.sendall(request)
    except OSError:
        return False
    return True
