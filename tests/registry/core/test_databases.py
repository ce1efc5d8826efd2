"""A process's database connections, and the messages about an unusable database."""

import contextlib
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest
from django.db import (
    DatabaseError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    close_old_connections,
    connection,
    transaction,
)

from registry.core import databases

ROOT = Path(__file__).parents[3]


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_request_after_a_restart_of_the_database_does_not_get_the_ended_connection():
    settings, answers = connection.get_connection_params(), []

    def handle_two_requests():  # in a thread, as the test's own connection is in a transaction
        try:
            for _request in range(2):
                close_old_connections()
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_backend_pid()")
                    answers.append(cursor.fetchone()[0])
                end_session(settings, answers[-1])
        finally:
            connection.close()

    server = threading.Thread(target=handle_two_requests)
    server.start()
    server.join()
    assert len(set(answers)) == 2


def end_session(settings, pid):
    """End a connection at the server, as its restart does."""
    names = ("host", "port", "user", "password", "dbname")
    with psycopg.connect(**{name: settings[name] for name in names if name in settings}) as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "url", "expected"),
    [
        (["serve"], "postgres://user:secret@127.0.0.1:1/name", "Connection refused"),
        (["migrate"], "postgres://user:secret@127.0.0.1:1/name", "Connection refused"),
        (["serve"], "sqlite:////absent/folder/database.sqlite3", "unable to open database file"),
        (["serve"], "sqlite:///{file}", "file is not a database"),
        (["createperson", "author"], "sqlite:///{home}/empty.sqlite3", "python manage.py migrate"),
    ],
)
def test_an_operator_is_told_in_sentences_of_a_database_that_cant_be_used(tmp_path, command, url, expected):
    file, home = tmp_path / "notes.txt", tmp_path / "home"
    file.write_text("This is a text, and no database. " * 40)
    ended = run_command(command, home, url.format(file=file, home=home))
    assert ended.returncode == 1
    assert expected in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "secret" not in ended.stderr
    assert file.read_text().startswith("This is a text")


@pytest.mark.slow
def test_the_place_of_the_error_is_shown_when_asked_for(tmp_path):
    ended = run_command(["migrate", "--traceback"], tmp_path / "home", "postgres://user:secret@127.0.0.1:1/name")
    assert "Traceback" in ended.stderr


def run_command(command, home, url):
    environment = {**os.environ, "PROMPTUARY_HOME": str(home), "PROMPTUARY_DATABASE_URL": url, "PORT": "1024"}
    environment |= {"DJANGO_SETTINGS_MODULE": "registry.settings"}
    whole = [sys.executable, "manage.py", *command]
    return subprocess.run(whole, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.django_db
@pytest.mark.dialect
def test_a_missing_table_is_distinguished_from_a_fault_of_the_program():
    assert "migrate" in databases.describe_failure(fail("SELECT * FROM registry_absent"))
    assert databases.describe_failure(IntegrityError("UNIQUE constraint failed")) == ""
    assert databases.describe_failure(ProgrammingError("syntax error")) == ""


def test_a_full_disk_is_reported_as_one():
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError) as raised:
            database.execute("CREATE TABLE words AS SELECT zeroblob(100000)")
    error = OperationalError("database or disk is full")
    error.__cause__ = raised.value
    assert databases.describe_failure(error).startswith("The disk of the database is full")


def test_a_damaged_file_is_reported_with_the_way_out(tmp_path):
    file = tmp_path / "damaged.sqlite3"
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE words (word TEXT)")
        database.executemany("INSERT INTO words VALUES (?)", [("word " * 50,)] * 100)
    content = file.read_bytes()
    file.write_bytes(content[:8192] + b"\xff" * 8192 + content[16384:])
    with contextlib.closing(sqlite3.connect(file)) as database, pytest.raises(sqlite3.DatabaseError) as raised:
        database.execute("SELECT * FROM words").fetchall()
    assert "recovery.md says how to restore it" in databases.describe_failure(DatabaseError(str(raised.value)))


def fail(statement):
    with pytest.raises(DatabaseError) as raised, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    return raised.value
