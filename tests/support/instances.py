"""Homes and databases for real processes, separate from the test run's own."""

import atexit
import functools
import os
import pickle
import shutil
import subprocess
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.db import connection, connections

from registry.core.parent_death import end_with_parent
from tests.support.warm_python import WarmPython

ROOT = Path(__file__).parents[2]
_FILE = "promptuary.sqlite3"
_MAKE_TABLES = "import django; django.setup(); from tests.support.schema import make_tables; make_tables()"


@dataclass(frozen=True)
class Instance:
    """One instance: its home and, on PostgreSQL, its database's URL (SQLite's file is in the home)."""

    home: Path
    database: str | None = None

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of its processes: the machine's own variables, but nothing from the test run."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PROMPTUARY_", "DJANGO_", "PORT"))
        }
        own = {
            "PROMPTUARY_HOME": str(self.home),
            "DJANGO_SETTINGS_MODULE": "registry.settings",
            "PYTHONPATH": str(ROOT),
            "PROMPTUARY_NAMESPACE_CREATORS": "everyone",
        }
        if self.database:
            own["PROMPTUARY_DATABASE_URL"] = self.database
        return {**environment, **own, **more}

    def run(self, *arguments: str, check: bool = True, **more: str) -> "subprocess.CompletedProcess[str]":
        """Run Python with these arguments in the instance's environment until it exits; `more` are variables for it."""
        done = _start_python().run(arguments, self.environment(**more), seconds=600)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done

    def run_forked(self, work: Callable[[], object]) -> Any:
        """Do this work on the instance's database in another process, and return its result, which can be pickled.

        The process is forked from this one, which has loaded Django: `run` would take 2 s of processor time for that.
        Only its database is the instance's: its home and its secret key are those of the test run.
        """
        readable, writable = os.pipe()
        pid = os.fork()
        if pid == 0:
            _work_and_exit(self, work, writable)
        os.close(writable)
        with os.fdopen(readable, "rb") as pipe:
            answer = pipe.read()
        os.waitpid(pid, 0)
        result, error = pickle.loads(answer) if answer else (None, "the process ended without an answer")
        if error:
            raise AssertionError(error)
        return result

    def manage(self, *arguments: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        """Run manage.py with these arguments."""
        return self.run("manage.py", *arguments, check=check)


def _work_and_exit(place: Instance, work: Callable[[], object], output: int) -> NoReturn:
    """Do the work in a forked child, and write its pickled result and the traceback of its error, one of them empty."""
    answer = b""
    try:
        end_with_parent()
        del connections["default"]  # the parent's is left to the parent, unclosed
        database = connections.settings["default"]
        database["NAME"] = _read_database_name(place.database) if place.database else str(place.home / _FILE)
        answer = pickle.dumps((work(), ""))
    except BaseException:  # noqa: BLE001  # whatever it is, the parent raises it
        answer = pickle.dumps((None, traceback.format_exc()))
    finally:
        with os.fdopen(output, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)  # nothing of the test run may be cleaned up here


def make_instance(home: Path, engine: str = "") -> Instance:
    """Make a new instance with empty tables, on the test run's engine or on SQLite."""
    home.mkdir(parents=True)
    prepared = _prepare_instance("sqlite" if engine == "sqlite" else connection.vendor)
    if prepared.database:
        return Instance(home, _create_database(home.name, _read_database_name(prepared.database)))
    shutil.copy(prepared.home / _FILE, home)
    return Instance(home)


def migrate_instance(home: Path) -> Instance:
    """Make a new instance whose tables are made by the migrations, as in production."""
    home.mkdir(parents=True)
    place = Instance(home, _create_database(home.name))
    place.manage("migrate", "--verbosity", "0", "--skip-checks")
    return place


@functools.cache
def _start_python() -> WarmPython:
    python = WarmPython()
    atexit.register(python.close)
    return python


@functools.cache
def _prepare_instance(vendor: str) -> Instance:
    """Prepare an instance. Tables are made once per process; later instances start with a copy of the database."""
    home = Path(tempfile.mkdtemp(prefix="promptuary-prepared-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    place = Instance(home, _create_database("prepared") if vendor == "postgresql" else None)
    atexit.register(remove_instance, place)
    make_tables(place)
    return place


def make_tables(place: Instance) -> None:
    """Make all tables in the instance's empty database, in half the time of the migrations."""
    place.run("-c", _MAKE_TABLES)


def copy_instance(place: Instance, home: Path) -> Instance:
    """Copy the instance with its database; nothing may run in the original meanwhile."""
    shutil.copytree(place.home, home)
    return Instance(home, _create_database(home.name, _read_database_name(place.database)) if place.database else None)


def remove_instance(place: Instance) -> None:
    """Drop the database; the home is removed with the test's folder."""
    if place.database:
        _execute(f'DROP DATABASE IF EXISTS "{_read_database_name(place.database)}" WITH (FORCE)')


def _read_database_name(url: str) -> str:
    return urlsplit(url).path.lstrip("/")


def _create_database(name: str, template: str | None = None) -> str | None:
    url = os.environ.get("PROMPTUARY_DATABASE_URL", "")
    if connection.vendor != "postgresql":
        return None
    fresh = f"{name}_{os.getpid()}_{os.urandom(3).hex()}"
    _execute(f'CREATE DATABASE "{fresh}"' + (f' TEMPLATE "{template}" STRATEGY FILE_COPY' if template else ""))
    return urlunsplit(urlsplit(url)._replace(path=f"/{fresh}"))


def _execute(statement: str) -> None:
    with psycopg.connect(os.environ["PROMPTUARY_DATABASE_URL"], autocommit=True) as session:
        session.execute(statement)
