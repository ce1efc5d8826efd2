"""The fork server process of a bounded renderer: starting it, sending it requests, ending it."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

from promptuary.renderer.errors import InputError, LimitError
from promptuary.renderer.isolation import crash_line

__all__ = [
    "ANSWER",
    "NOTE",
    "REQUEST",
    "BusyError",
    "Exchange",
    "ForkServer",
    "fork_server_command",
    "fork_server_environment",
    "pack_frame",
    "read_exactly",
    "read_frame",
    "unpack_frames",
]

# How long an order may wait: a new fork server has to import first, and an old one may load a vocabulary.
_PATIENCE_SECONDS = 60.0

# The whole environment of a renderer; anything else in this process's environment, such as secrets, stays here.
_PASSED_ON = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "PROMPTUARY_CACHE", "TMPDIR", "XDG_CACHE_HOME")


class ForkServer:
    """Connects to a fork server; starts it on the first order and restarts it when it is gone. Thread-safe.

    `address` is the path of a socket where a fork server shared by several processes listens. If none listens there,
    this process starts its own.
    """

    def __init__(self, address: str | None = None) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._ending: Any = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process_id(self) -> int | None:
        """The process id of the fork server, while this process has its own."""
        return self._process.pid if self._process else None

    def order(self, order: dict[str, Any], connection: socket.socket | None) -> None:
        """Send the fork server an order together with the socket on which the child will answer."""
        message = json.dumps(order).encode()
        descriptors = [connection.fileno()] if connection else []
        with self._lock:
            for attempt in range(2):
                control = self._ensure_running()
                try:
                    socket.send_fds(control, [message], descriptors)
                    if control.recv(1):
                        return  # taken: only one order is in transit at a time, so orders can't get mixed up
                    raise ConnectionError("the fork server has gone")
                except OSError:
                    self._end()
                    if attempt:
                        raise

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._ending is not None:
            self._ending()
        self._control = self._process = self._ending = None

    def _ensure_running(self) -> socket.socket:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._control is None:
            self._start()
        assert self._control is not None  # noqa: S101 - _start sets it or raises
        return self._control

    def _start(self) -> None:
        shared = self._connect()
        if shared is not None:
            shared.settimeout(_PATIENCE_SECONDS)
            self._control, self._ending = shared, weakref.finalize(self, shared.close)
            return
        parent_end, child_end = socket.socketpair()
        parent_end.settimeout(_PATIENCE_SECONDS)
        with child_end:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                fork_server_command(str(child_end.fileno())),
                pass_fds=[child_end.fileno()],
                env=fork_server_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # Ctrl-C in a terminal ends the caller, which ends the fork server
            )
        self._control, self._process = parent_end, process
        self._ending = weakref.finalize(self, _stop, parent_end, process, os.getpid())

    def _connect(self) -> socket.socket | None:
        if self._address is None:
            return None
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(self._address)
        except OSError:
            connection.close()
            return None
        return connection


def fork_server_command(descriptor: str) -> list[str]:
    """The command line of a fork server that inherits its socket under this descriptor."""
    return [sys.executable, "-P", "-m", "promptuary.renderer.isolation.fork_server", descriptor]


def fork_server_environment() -> dict[str, str]:
    """The whole environment of a fork server."""
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    root = str(Path(__file__).absolute().parents[__name__.count(".")])
    return {
        **passed,
        "PYTHONPATH": root,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "TOKENIZERS_PARALLELISM": "false",  # a forked child has no threads to share the work with
        "MALLOC_ARENA_MAX": "1",
    }


def _stop(control: socket.socket, process: subprocess.Popen[bytes], owner: int) -> None:
    """Close the control socket, which ends the fork server; kill it if it doesn't end."""
    control.close()
    if owner != os.getpid():
        process.returncode = 0  # another process's child, so not ours to wait for
        return
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# How long a caller waits for the fork server to start and load a vocabulary.
_START_SECONDS = 60.0
# The time a child may take beyond its own limit before its caller stops waiting.
_GRACE_SECONDS = 0.5


class BusyError(LimitError):
    """No child was available: too many renderings are in progress, or none could be started. Worth a retry."""

    default_code = "PT703"


class Exchange:
    """The state of one call. `text` is the document, whose line is reported if the child has to be stopped."""

    def __init__(self, home: ForkServer, text: str, *, output_bytes: int) -> None:
        self._home, self._text, self._output_bytes = home, text, output_bytes
        self._notes: list[dict[str, Any]] = []
        self._started = False
        self._cpu_seconds = self._clock_seconds = self._deadline = 0.0

    def run(self, order: dict[str, Any], request: bytes) -> dict[str, Any]:
        """Send the request and return the answer. Raises LimitError if the child was stopped, BusyError without one."""
        self._cpu_seconds, self._clock_seconds = order["cpu_seconds"], order["clock_seconds"]
        for attempt in range(2):
            parent_end, child_end = socket.socketpair()
            with parent_end:
                with child_end:
                    self._hand_over(order, child_end)
                rest, answer = self._listen(parent_end, request)
            if answer is not None:
                return answer
            if self._started or attempt:
                break
            # The child never started: the fork server itself was lost. Retry once with a new one.
        raise self._build_stop_error(rest)

    def _hand_over(self, order: dict[str, Any], child_end: socket.socket) -> None:
        try:
            self._home.order(order, child_end)
        except OSError as error:
            raise _build_start_error() from error

    def _listen(self, parent_end: socket.socket, request: bytes) -> tuple[bytes, dict[str, Any] | None]:
        """Read until the answer, the end of the connection or the deadline. Returns the unread bytes and the answer."""
        data = b""
        self._deadline = time.monotonic() + _START_SECONDS
        is_sent = False
        while True:
            seconds_left = self._deadline - time.monotonic()
            if seconds_left <= 0:
                return data, None
            parent_end.settimeout(seconds_left)
            try:
                piece = parent_end.recv(1 << 18)
            except (TimeoutError, ConnectionError):
                return data, None
            if not piece:
                return data, None
            frames, data = unpack_frames(data + piece, self._output_bytes)
            for tag, value in frames:
                if tag == ANSWER:
                    return data, value
                self._notes.append(value)
            if frames and not is_sent:
                is_sent = self._started = True
                # The child waits for its request, so its time runs from when it has it.
                try:
                    parent_end.sendall(request)
                except OSError:
                    return data, None
                self._deadline = time.monotonic() + self._clock_seconds + _GRACE_SECONDS

    def _build_stop_error(self, stack: bytes) -> LimitError:
        text = stack.decode("utf-8", "replace")
        if not self._started:
            return _build_start_error()
        place = crash_line.find_blamed_place(self._text, self._notes, text)
        if text.startswith("Fatal Python error"):
            return LimitError("The rendering crashed here and was stopped.", place=place)
        if not text and time.monotonic() < self._deadline - _GRACE_SECONDS:
            return LimitError("The rendering was ended from outside, perhaps for want of memory.", place=place)
        seconds = self._clock_seconds if not text or text.startswith("Timeout") else self._cpu_seconds
        return LimitError(f"This took longer than {seconds:.1f} seconds and was stopped.", place=place)


def _build_start_error() -> BusyError:
    """The document isn't to blame, and the next request starts another fork server."""
    return BusyError("The renderer's helper process could not be started; try again in a moment.")


REQUEST, NOTE, ANSWER = b"\x01", b"\x02", b"\x03"
_HEADER = 9


def pack_frame(tag: bytes, value: Any) -> bytes:
    """Write a frame. Raises InputError for a value that JSON can't represent."""
    try:
        body = json.dumps(value).encode()
    except RecursionError as error:
        raise InputError("The data are nested too deeply.") from error
    except (TypeError, ValueError) as error:
        raise InputError(f"The data are not plain JSON values: {error}.") from error
    return tag + len(body).to_bytes(_HEADER - 1, "big") + body


def unpack_frames(data: bytes, limit: int) -> tuple[list[tuple[bytes, Any]], bytes]:
    """Parse the complete frames at the start; return them and the rest, which may be malformed.

    Raises LimitError for a frame longer than `limit` bytes.
    """
    frames: list[tuple[bytes, Any]] = []
    while len(data) >= _HEADER and data[:1] in (REQUEST, NOTE, ANSWER):
        length = int.from_bytes(data[1:_HEADER], "big")
        if length > limit:
            raise LimitError(f"The result has {length:,} bytes; at most {limit:,} are allowed.")
        if len(data) < _HEADER + length:
            break
        frames.append((data[:1], json.loads(data[_HEADER : _HEADER + length])))
        data = data[_HEADER + length :]
    return frames, data


def read_exactly(connection: socket.socket, size: int) -> bytes:
    """Read exactly this many bytes. Raises EOFError if the peer closes first."""
    pieces = []
    while size:
        piece = connection.recv(min(size, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def read_frame(connection: socket.socket) -> Any:
    """Read one complete frame and return its value."""
    header = read_exactly(connection, _HEADER)
    return json.loads(read_exactly(connection, int.from_bytes(header[1:], "big")))
