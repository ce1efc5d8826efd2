"""A server's role reads and writes rows, but can't change immutable rows or disable their triggers."""

import io
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.journal import database_roles, immutable_tables
from registry.namespaces import services
from registry.templates import save as template_save
from registry.templates.models import Version

ROLE = "promptuary_server"
pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


@pytest.fixture
def server_role():
    """Continue the test's transaction as the server's role, with the rights that a deployment grants."""
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {ROLE} LOGIN")
    call_command("grantserver", ROLE, stdout=io.StringIO())
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {ROLE}")
    yield ROLE
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")


def refuse(statement: str) -> str:
    with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    return str(refused.value)


@pytest.mark.postgres
def test_the_server_saves_versions_as_its_role(server_role):
    admin = Actor(User.objects.create(username="admin"))
    services.create_namespace(actor=admin, name="support")
    saved = template_save.save_version(
        actor=admin, name="support/reply", document="- name: a\n  content: b\n", message=""
    )
    assert Version.objects.get(pk=saved.version.pk).number == 1


@pytest.mark.postgres
@pytest.mark.parametrize("table", immutable_tables.TABLES)
def test_it_can_neither_drop_nor_switch_off_a_trigger(server_role, table):
    name = f"{table}_refuses_delete"
    assert "must be owner" in refuse(f"DROP TRIGGER {name} ON {table}")
    assert "must be owner" in refuse(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
    assert "permission denied" in refuse(f"TRUNCATE {table} CASCADE")
    assert "permission denied" in refuse(f"DELETE FROM {table}")


@pytest.mark.postgres
@pytest.mark.parametrize(
    "statement",
    [
        "SET session_replication_role = replica",
        "CREATE TABLE another (id int)",
        (
            "CREATE OR REPLACE FUNCTION promptuary_refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN RETURN NEW; END'"
        ),
        "UPDATE registry_event SET person = 'x'",
        "UPDATE registry_decision SET text = 'x'",
        "DELETE FROM django_migrations",
        "ALTER TABLE registry_version RENAME TO other",
    ],
)
def test_it_can_do_nothing_else_that_would_undo_the_guards(server_role, statement):
    refusal = refuse(statement)
    assert "permission denied" in refusal or "must be owner" in refusal


@pytest.mark.postgres
def test_the_check_warns_of_an_owner_and_is_silent_about_the_servers_role(server_role):
    assert database_roles.check_server_role(["default"]) == []
    assert database_roles.may_migrate(connection) is False
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
    (warning,) = database_roles.check_server_role(["default"])
    assert "superuser" in warning.msg or "owns the tables" in warning.msg
    assert database_roles.may_migrate(connection) is True


@pytest.mark.postgres
def test_the_check_says_whether_the_role_is_a_superuser_or_owns_the_tables():
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        (owner,) = cursor.fetchone()
        cursor.execute(f"CREATE ROLE {ROLE} SUPERUSER")
        cursor.execute(f"CREATE ROLE {ROLE}_member")
        cursor.execute(f"GRANT {connection.ops.quote_name(owner)} TO {ROLE}_member")
        cursor.execute(f"SET LOCAL ROLE {ROLE}")
        assert database_roles.list_powers(connection) == ["is a superuser"]
        cursor.execute(f"SET LOCAL ROLE {ROLE}_member")
        assert database_roles.list_powers(connection) == ["owns the tables, so it may drop their triggers"]
        cursor.execute("RESET ROLE")


@pytest.mark.postgres
def test_vacuum_is_granted_where_postgresql_can_grant_it(monkeypatch):
    """Before version 17 it can't; there a redaction is run as the owner."""
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {ROLE} LOGIN")

    def may_vacuum() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT has_table_privilege(%s, 'registry_version', 'MAINTAIN')", [ROLE])
            return bool(cursor.fetchone()[0])

    with monkeypatch.context() as older:
        older.setattr(database_roles, "_MAINTAIN_SINCE", 1_000_000)
        call_command("grantserver", ROLE, stdout=io.StringIO())
        assert not may_vacuum()
    call_command("grantserver", ROLE, stdout=io.StringIO())
    assert may_vacuum()


def test_on_sqlite_there_is_nothing_to_grant():
    if connection.vendor == "postgresql":
        pytest.skip("says what SQLite lacks")
    with pytest.raises(CommandError, match="SQLite has no roles"):
        call_command("grantserver", ROLE)
    assert database_roles.check_server_role(["default"]) == []
    assert database_roles.may_migrate(connection) is True


@pytest.mark.postgres
def test_a_fresh_database_is_migrated_by_one_role_and_served_by_the_other(tmp_path):
    """Start as docker-compose does: `serve --only migrate` as the owner, then everything else as the server."""
    base, name = os.environ["PROMPTUARY_DATABASE_URL"], f"roles_{os.getpid()}"
    with connection._nodb_cursor() as cursor:
        cursor.execute("DROP ROLE IF EXISTS roles_owner, roles_server")
        cursor.execute("CREATE ROLE roles_owner LOGIN")
        cursor.execute("CREATE ROLE roles_server LOGIN")
        cursor.execute(f"CREATE DATABASE {name} OWNER roles_owner")
    try:
        done = _manage(_url(base, "roles_owner", name), tmp_path, "serve", "--only", "migrate", role="roles_server")
        assert "roles_server may run the server" in done.stdout, done.stderr
        made = _manage(_url(base, "roles_server", name), tmp_path, "createperson", "admin", "--no-password")
        assert made.returncode == 0, made.stderr
        check = _manage(
            _url(base, "roles_server", name),
            tmp_path,
            "check",
            "--deploy",
            "--database",
            "default",
            "--fail-level",
            "ERROR",
        )
        assert check.returncode == 0, check.stderr
        assert "registry.W002" not in check.stderr
        owner = _manage(_url(base, "roles_owner", name), tmp_path, "check", "--deploy", "--database", "default")
        assert "registry.W002" in owner.stderr
    finally:
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
            cursor.execute("DROP ROLE roles_owner, roles_server")


def _url(base: str, role: str, name: str) -> str:
    parts = urlsplit(base)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, f"{role}@{host}", f"/{name}", "", ""))


def _manage(url: str, home: Path, *arguments: str, role: str = "") -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PROMPTUARY_DATABASE_URL": url, "PROMPTUARY_HOME": str(home)}
    environ |= {"DJANGO_SETTINGS_MODULE": "registry.settings", "PROMPTUARY_SERVER_ROLE": role}
    manage = Path(__file__).resolve().parents[3] / "manage.py"
    command = [sys.executable, str(manage), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environ, timeout=120)
