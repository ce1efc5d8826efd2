"""The process that bounded rendering forks from: `python -m promptuary.renderer.isolation.fork_server <descriptor>`.

It imports the renderer and loads vocabularies once, then forks a child for every request received over a control
socket. The child confines itself, reads one request from its own socket, answers and exits; no state outlives it.

The descriptor is a control socket, or a listening one if several processes share the fork server: then each connection
by a process of the same user is a control socket. The fork server ends when its only control socket closes, or with the
process that started it.
"""

import ctypes
import faulthandler
import gc
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import threading
from typing import Any

import jsonschema  # noqa: F401 - children find it loaded
import re2  # noqa: F401

from promptuary import renderer
from promptuary.renderer.errors import RenderError
from promptuary.renderer.free_memory import release_memory
from promptuary.renderer.interop import reading, writing
from promptuary.renderer.isolation import methods, process
from promptuary.renderer.isolation.confinement import Confinement
from promptuary.renderer.jinja import program
from promptuary.renderer.tokens import tokenizers

__all__ = ["main"]

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_ORDER_BYTES = 64 * 1024
# A child lives for one request and makes little garbage. It collects the young objects after so many new ones, where
# Python's 700 would walk the growing tree of a long document again and again.
_GARBAGE_THRESHOLDS = (50_000, 20, 100)
_CREDENTIALS = struct.Struct("3i")  # of the peer process: its id, its user, its group


def main() -> None:
    """Serve the control socket whose descriptor is the first argument until it closes."""
    first = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the children
    _import_everything()
    confinement = Confinement()
    gc.collect()
    release_memory()
    gc.freeze()  # keeps the garbage collector off pages shared with the children
    is_shared = bool(first.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
    sockets = [first]
    while sockets:
        ready, _, _ = select.select(sockets, [], [])
        for ready_socket in ready:
            if is_shared and ready_socket is first:
                sockets += _accept(first)
            elif not _take_order(ready_socket, sockets, confinement):
                ready_socket.close()
                sockets.remove(ready_socket)


def _accept(listener: socket.socket) -> list[socket.socket]:
    """Accept the connection of another process of this user; None for anything else."""
    connection, _ = listener.accept()
    if hasattr(socket, "SO_PEERCRED"):
        _, user, _ = _CREDENTIALS.unpack(
            connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        )
        if user != os.getuid():
            connection.close()
            return []
    return [connection]


def _take_order(control: socket.socket, sockets: list[socket.socket], confinement: Confinement) -> bool:
    """Read a pending order and fork a child for it. Returns whether the control socket is still open."""
    try:
        message, descriptors, _, _ = socket.recv_fds(control, _ORDER_BYTES, 1)
        if not message:
            return False
        control.sendall(b"\1")
    except OSError:  # the peer process has exited
        return False
    order = json.loads(message)
    _warm(order["vocabularies"])
    if not descriptors:
        return True
    if os.fork() == 0:
        for open_socket in sockets:
            open_socket.close()
        _serve(socket.socket(fileno=descriptors[0]), order, confinement)
    os.close(descriptors[0])
    return True


def _import_everything() -> None:
    """Import what is otherwise imported on first use, so that no child has to."""
    for name in renderer.__all__:
        getattr(renderer, name)
    front = "---\ninputs: {a: {type: string, pattern: x}}\noutput: {schema: {type: object}}\n---\n"
    sample = {"a": "no"}
    renderer.validate(front + "- name: a\n  content: {{ a }}\n", {"sample": sample})
    renderer.load(front + "- name: a\n  content: b\n").read('{"x": 1', sample)
    reading.read_files({"a.txt": b"Hi {name}", "a.py": b"PROMPT = 'x'", "a.md": b"---\na: 1\n---\n{{#if a}}b{{/if}}"})
    for form in writing.EXPORT_FORMATS:
        writing.convert_document(form, "---\nformat: text\n---\nHi {{ name }}", "a", {})
    "".encode("cp437")  # names inside archives


def _warm(names: list[str]) -> None:
    """Load vocabularies before the fork, which saves each child the time and shares their memory."""
    for name in names:
        try:
            tokenizer = tokenizers.find_tokenizer(name)
            if isinstance(tokenizer, tokenizers.VocabularyTokenizer):
                tokenizer.load()
            tokenizer.count("warm")
        except RenderError:
            continue  # the child hits the same error and reports it


def _confine(order: dict[str, Any]) -> None:
    """Drop the privileges that rendering doesn't need."""
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        with open("/proc/self/statm", encoding="ascii") as file:
            used_bytes = int(file.read().split()[0]) * resource.getpagesize()
        _limit(resource.RLIMIT_AS, used_bytes + order["memory_bytes"])
    seconds = int(order["cpu_seconds"]) + 2
    _limit(resource.RLIMIT_CPU, seconds)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, 16)


def _limit(kind: int, value: int) -> None:
    try:
        resource.setrlimit(kind, (value, value))
    except (OSError, ValueError):
        pass  # a lower limit is already in force, or this system has no such limit


def _serve(connection: socket.socket, order: dict[str, Any], confinement: Confinement) -> None:
    """Answer one request and exit, whatever happens."""
    status = 1
    try:
        _confine(order)
        connection.sendall(process.pack_frame(process.NOTE, {"started": os.getpid()}))
        request = process.read_frame(connection)
        gc.set_threshold(*_GARBAGE_THRESHOLDS)
        program.on_compiled = lambda file, lines: connection.sendall(
            process.pack_frame(process.NOTE, {"file": file, "lines": lines})
        )
        _arm(connection, order["cpu_seconds"], order["clock_seconds"])
        confinement.apply()  # last, because arming needs a thread
        connection.sendall(process.pack_frame(process.ANSWER, methods.answer_request(request)))
        status = 0
    except (OSError, EOFError):
        pass  # the caller has gone, so nobody is left to answer
    finally:
        os._exit(status)


def _arm(connection: socket.socket, cpu_seconds: float, clock_seconds: float) -> None:
    """Make sure that this process ends in time, with its stack on the socket, even inside a single long C call."""
    faulthandler.enable(file=connection)
    # A CPU timer: its handler, in C, writes the stack and then lets the signal end the process.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    faulthandler.register(signal.SIGPROF, file=connection, all_threads=False, chain=True)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    faulthandler.dump_traceback_later(clock_seconds, exit=True, file=connection)
    _limit_threads()
    # As a fallback, a kernel timer, which needs neither a thread nor the interpreter.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, clock_seconds + 0.3)


def _limit_threads() -> None:
    if hasattr(resource, "RLIMIT_NPROC") and threading.active_count() == 1:
        _limit(resource.RLIMIT_NPROC, 0)


if __name__ == "__main__":
    main()
