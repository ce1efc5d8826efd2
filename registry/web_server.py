"""The web server: granian, whose web processes are forked from one that has loaded Django and all pages.

`manage.py serve` has loaded most of that when the web server starts. A fork inherits it, and its children share the
memory: on two idle cores the first page is ready three seconds earlier, and the web processes need less memory.

A web process that ends is forked again. One that ends twice within 6 seconds ends the web server.
"""

import multiprocessing
import os
import signal
import sys
from typing import Any

import django
from django.urls import get_resolver
from django.utils.module_loading import import_string
from granian import Granian
from granian.constants import Interfaces, Loops
from granian.log import LogLevels

from registry.core.parent_death import end_with_parent
from registry.forked_process import ForkedProcess, fork_process, share_memory

__all__ = ["fork_web_server", "load_pages", "make_command"]

_BACKPRESSURE = 4096  # enough connections for open streams
_KILL_SECONDS = 5


def fork_web_server(host: str, port: int, workers: int) -> ForkedProcess:
    """Fork the web server from this process; see `fork_process` for the preconditions."""
    return fork_process("web", lambda: _serve(host, port, workers))


def make_command(host: str, port: int, workers: int) -> list[str]:
    """The command that restarts an ended web server, when the process to fork it from no longer exists."""
    return [sys.executable, "-m", "registry.web_server", host, str(port), str(workers)]


def load_pages() -> None:
    """Load the modules of all pages."""
    get_resolver().url_patterns  # noqa: B018  # reading it loads them


def _serve(host: str, port: int, workers: int) -> None:
    load_pages()
    share_memory()
    # This requires forked web processes; later Python versions have another default.
    multiprocessing.set_start_method("fork", force=True)
    Granian(
        "registry.rsgi:application",
        address=host,
        port=port,
        interface=Interfaces.RSGI,
        workers=workers,
        loop=Loops.asyncio,  # because `registry.live.server` uses its API
        backpressure=_BACKPRESSURE,
        websockets=False,
        log_level=LogLevels.error,
        workers_kill_timeout=_KILL_SECONDS,
        respawn_failed_workers=True,
    ).serve(target_loader=_load_application)


def _load_application(target: str) -> Any:
    """Load the application in a web process, which from now on ends with the web server, even if that is killed."""
    # The fork has the web server's handler, which only swallows the signal, until granian sets that of a web process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server = multiprocessing.parent_process()
    end_with_parent(server.pid if server else None)
    return import_string(target.replace(":", "."))


def _main() -> None:
    """Serve according to the arguments, in a separate process."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    django.setup()
    host, port, workers = sys.argv[1:]
    _serve(host, int(port), int(workers))


if __name__ == "__main__":
    _main()
