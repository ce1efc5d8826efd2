"""Granian with an RSGI application in its own process, for tests of the bytes on the wire."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support import instances
from tests.support.child_process import start_child
from tests.support.server_process import wait_until


@contextmanager
def serve_rsgi(target: str, environment: dict[str, str]) -> Iterator[int]:
    """Serve `target` (`module:name`) with one worker while the block runs; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "granian", "--interface", "rsgi", "--loop", "asyncio", "--port", str(port)]
    options = ["--no-ws", "--log-level", "error", "--workers-kill-timeout", "5"]
    with start_child(
        [*command, *options, target], cwd=instances.ROOT, env=environment, start_new_session=True
    ) as process:
        try:
            wait_until(lambda: _is_listening(port, process))
            yield port
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)


def _is_listening(port: int, process: "subprocess.Popen[bytes]") -> bool:
    assert process.poll() is None, "the server ended by itself"
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
