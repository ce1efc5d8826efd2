"""Command that starts everything one machine needs: the web server and the worker, in one terminal."""

import json
import os
import socket
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, connections

from promptuary.renderer.isolation import process as isolation_process
from registry import forked_process, web_server, worker_process
from registry.accounts import people
from registry.core import databases, env, migration_lock, poolers, port_guard, private_files
from registry.core.renderer_pool import find_renderer
from registry.journal import database_roles, log
from registry.starter import demo_connection
from registry.starter import load as starter_load

_LATER = 5  # niceness of background processes
_MAX_EARLY_ENDS = 5  # of the web server in a row: restarting more often won't help


class Command(BaseCommand):
    help = "Migrate, then run the web server and the Celery worker until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load the starter library on the first start")
        parser.add_argument(
            "--only", choices=["web", "worker", "migrate"], help="run only this part, for example in a container"
        )

    def handle(self, *_args: Any, demo: bool, only: str | None, **_options: Any) -> None:
        host = env.read_text("PROMPTUARY_HOST", "127.0.0.1")
        if demo:
            os.environ.setdefault("PROMPTUARY_EMAIL_URL", "console:")  # mail shows in this terminal
        self.stdout.write(f"Promptuary keeps its data in {settings.PROMPTUARY_HOME}")
        if count := private_files.tighten_tree(settings.PROMPTUARY_HOME, _list_database_files()):
            self.stdout.write(
                f"{count} files and folders in it were open to other users; now they are the owner's only."
            )
        _refuse_unknown_pooler()
        if only == "migrate":
            _migrate()
            return
        guard = _take_port(host, settings.PORT) if only != "worker" else None
        _prepare(only)
        is_loading = False
        if complaint := log.describe_disagreement():
            self.stderr.write(complaint)
        elif demo and only != "worker" and not starter_load.is_starter_loaded():
            starter_load.prepare_starter()
            is_loading = True
        model_port = demo_connection.choose_demo_port() if demo and only != "worker" else None
        if model_port is not None and not demo_connection.write_demo_model(model_port):
            model_port = None  # the operator's own list of models is kept
        self.stdout.flush()
        banner = _build_banner(demo) if only != "worker" else []
        if guard is not None:
            os.set_inheritable(guard.fileno(), True)  # the supervisor keeps the port while it runs
        _become_supervisor(host, only, banner, model_port, is_loading=is_loading)


def _prepare(only: str | None) -> None:
    """Migrate the database if this process may, and remove the metrics of earlier web processes."""
    if only != "worker":
        for figures in settings.METRICS_PATH.glob("*.db"):  # of ended processes
            figures.unlink(missing_ok=True)
    if only == "worker" or not database_roles.may_migrate(connection):
        # The process with the right to migrate does it; one that starts earlier exits here and is restarted.
        call_command("migrate", check_unapplied=True, verbosity=0)
    else:
        connections.close_all()  # a child must not use them
        forked_process.run_forked(_migrate_in_child, meanwhile=web_server.load_pages)


def _migrate_in_child() -> None:
    """Migrate in a child process: the states of all models take memory that the server's processes would share."""
    try:
        _migrate()
    except CommandError as error:
        raise SystemExit(f"CommandError: {error}") from error
    except DatabaseError as error:
        if sentence := databases.describe_failure(error):
            raise SystemExit(sentence) from error
        raise


def _migrate() -> None:
    """Migrate as the tables' owner, then grant the server's role its rights, if one is configured."""
    with migration_lock.hold_migration_lock(), migration_lock.apply_all_or_none():
        call_command("migrate", verbosity=0, interactive=False)
        _grant_rights()


def _grant_rights() -> None:
    if role := env.read_text("PROMPTUARY_SERVER_ROLE", ""):
        call_command("grantserver", role)


def _refuse_unknown_pooler() -> None:
    try:
        poolers.require_pooling_known(connection)
    except ImproperlyConfigured as error:
        raise CommandError(str(error)) from error


def _list_database_files() -> list[Path]:
    """The files of a SQLite database, which may be outside the home."""
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("sqlite3"):
        return []
    return [Path(f"{database['NAME']}{suffix}") for suffix in ("", "-wal", "-shm", "-journal")]


def _become_supervisor(
    host: str, only: str | None, banner: list[str], model_port: int | None, *, is_loading: bool
) -> NoReturn:
    """Replace this process with the supervisor of the server's processes, which doesn't load Django."""
    find_renderer().close()
    find_renderer.cache_clear()  # the web server takes the one that all processes share
    connections.close_all()
    folder = tempfile.mkdtemp(prefix="promptuary-")  # only this user may enter it; a socket needs a short path
    listener = _listen_for_renderer(folder)
    os.environ["PROMPTUARY_REPLY_SOCKET"] = os.path.join(folder, "replies.sock")
    # An arena per thread would keep the memory that each has freed; two are enough for mostly waiting threads.
    os.environ.setdefault("MALLOC_ARENA_MAX", "2")
    forked_process.share_memory()
    plan = {
        "processes": _plan_processes(host, only, model_port, is_loading=is_loading),
        "folder": folder,
        "listener": "renderer",
        "socket": listener.fileno(),
        "host": host,
        "port": settings.PORT,
        "banner": banner,
    }
    # Passed in an unnamed file: the banner contains the demo's key, and command lines are public.
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(plan).encode())
        file.seek(0)
        os.set_inheritable(file.fileno(), True)
        os.set_inheritable(listener.fileno(), True)
        os.chdir(settings.BASE_DIR)
        os.execv(sys.executable, [sys.executable, "-m", "registry.supervisor", str(file.fileno())])  # noqa: S606


def _plan_processes(
    host: str, only: str | None, model_port: int | None, *, is_loading: bool
) -> dict[str, dict[str, Any]]:
    """The processes that the supervisor starts, by name, each with its command and when it is restarted."""
    processes: dict[str, dict[str, Any]] = {
        "renderer": {
            "argv": isolation_process.fork_server_command("{socket}"),
            "environment": isolation_process.fork_server_environment(),
            "restart": True,
        }
    }
    if only in (None, "web"):
        workers = env.read_int("PROMPTUARY_WORKERS", 2, minimum=1, maximum=64)
        processes["web"] = {
            "forked": web_server.fork_web_server(host, settings.PORT, workers).pass_on(),
            "argv": web_server.make_command(host, settings.PORT, workers),
            # Restarted if it ends after having served. Run alone it ends this process, as the worker does.
            "restart": only is None,
            "most_early_ends": _MAX_EARLY_ENDS,
        }
    if only in (None, "worker"):
        # Pages and fetches take precedence over background work.
        waits, niceness = only is None, _LATER if only is None else 0
        processes["worker"] = {
            "forked": worker_process.fork_worker(waits=waits, niceness=niceness).pass_on(),
            "argv": worker_process.COMMAND,
            # Restarted without the web server, which keeps serving. Run alone it ends this process too, so that the
            # process's own supervisor notices.
            "restart": only is None,
            "waits": waits,
            "niceness": niceness,
        }
    if model_port is not None:
        argv = [sys.executable, "-m", "registry.starter.demo_model", str(model_port)]
        processes["model"] = {"argv": argv, "restart": True, "waits": True}
    if is_loading:
        # It ends when everything is loaded; people using the pages meanwhile take precedence.
        argv = [sys.executable, "manage.py", "loadstarter"]
        processes["demo"] = {"argv": argv, "ends": True, "waits": True, "niceness": _LATER}
    return processes


def _listen_for_renderer(folder: str) -> socket.socket:
    """The socket on which the renderer is reached. It listens immediately, so that early callers wait for the
    renderer.
    """
    path = os.path.join(folder, "render.sock")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(64)
    os.environ["PROMPTUARY_RENDER_SOCKET"] = path
    return listener


def _take_port(host: str, port: int) -> socket.socket:
    """Bind the port exclusively. Raises CommandError if another process has it, even one that doesn't serve yet."""
    try:
        return port_guard.take_port(host, port)
    except OSError as error:
        raise CommandError(
            f"Port {port} on {host} can't be used ({error.strerror}). Choose another: PORT={port + 1} make run"
        ) from error


def _build_banner(demo: bool) -> list[str]:
    lines = ["", f"  Promptuary is at {settings.BASE_URL}", ""]
    key = starter_load.read_demo_key() if demo else None
    if demo:
        lines += [f"  log in as {name:<9} password {name}-promptuary" for name in starter_load.PEOPLE]
    if key:
        url = f"{settings.BASE_URL}/api/v1/templates/support/refunds/reply@production"
        lines += ["", f"  curl -H 'Authorization: Bearer {key}' {url}"]
    if not demo and not settings.OIDC_ISSUER and not people.has_people():
        lines += ["  Nobody has an account yet. Create the first one in another terminal:", ""]
        lines += ["  .venv/bin/python manage.py createperson admin"]
    return [*lines, "", "  Ctrl-C stops everything.", ""]
