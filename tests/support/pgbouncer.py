"""PgBouncer in transaction mode in front of the tests' PostgreSQL, if the program is installed."""

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.support.child_process import start_child
from tests.support.postgres_server import UNPRIVILEGED
from tests.support.server_process import wait_until

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
_SETTINGS = """[databases]
{name} = host={host} dbname={name} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
logfile = {folder}/log
pidfile = {folder}/pid
"""


@contextlib.contextmanager
def run_pgbouncer(url: str, *, size: int) -> Iterator[str]:
    """Share `size` connections to the database at a URL between transactions; yields the URL to use instead."""
    parts = urlsplit(url)
    host, name = unquote(parts.netloc.rpartition("@")[2]), parts.path.lstrip("/")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    folder = Path(tempfile.mkdtemp(prefix="promptuary-pgbouncer-"))
    settings = folder / "pgbouncer.ini"
    settings.write_text(_SETTINGS.format(name=name, host=host, port=port, size=size, folder=folder))
    command = [str(PROGRAM), "-q", str(settings)]
    if os.geteuid() == 0:  # it refuses to run as root
        for path in (folder, settings):
            shutil.chown(path, UNPRIVILEGED)
        command = ["setpriv", f"--reuid={UNPRIVILEGED}", "--regid=65534", "--clear-groups", *command]
    process = start_child(command)
    try:
        wait_until(lambda: _is_listening(port))
        yield f"postgresql://postgres@127.0.0.1:{port}/{name}"
    finally:
        process.kill()
        process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def _is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
