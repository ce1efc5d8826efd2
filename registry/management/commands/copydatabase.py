"""Command that copies the database to another one, SQLite to PostgreSQL or back, and proves that both are equal."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from registry.core import databases, env
from registry.database_copy import CopyRefused, DatabasesDiffer, TableDigest, compare_databases, copy_database
from registry.database_copy.aliases import SOURCE, TARGET, connect_both
from registry.database_copy.tables import find_unknown_tables

__all__ = ["Command"]

_DIFFERENT = 3  # the exit code if both were read and differ
_VARIABLE = "PROMPTUARY_COPY_TO"


class Command(BaseCommand):
    help = (
        "Copy the database to an empty one, also of another engine, and check that both contain the same data. "
        f"Set {_VARIABLE} to the address of the empty database, or {_VARIABLE}_FILE to a file that contains it, so "
        "that no list of processes shows its password. Stop everything that uses either database first. "
        "Exit codes: 0 both contain the same data, 1 refused, 3 the data differ. After 1 and 3 the target is unchanged."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--compare", action="store_true", help="copy nothing; only check that both databases contain the same data"
        )

    def handle(self, *_args: Any, compare: bool, **_options: Any) -> None:
        target = databases.describe_database(_read_target())
        connections["default"].close()
        try:
            with connect_both(settings.DATABASES["default"], target):
                digests = (compare_databases if compare else copy_database)(SOURCE, TARGET, self._write_line)
                for name in find_unknown_tables(SOURCE):
                    self.stderr.write(f"{name} isn't a table of Promptuary, so it wasn't examined.")
        except CopyRefused as error:
            raise CommandError(str(error)) from error
        except DatabasesDiffer as error:
            raise CommandError(str(error), returncode=_DIFFERENT) from error
        self._summarize(digests)

    def _summarize(self, digests: list[TableDigest]) -> None:
        rows = sum(digest.rows for digest in digests)
        self.stdout.write(
            f"Both hold the same: {len(digests)} tables, {rows:,} rows, and the journal's chain is whole in both."
        )

    def _write_line(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _read_target() -> str:
    schemes = {"sqlite", "postgres", "postgresql"}
    try:
        return env.read_url("PROMPTUARY_COPY_TO", "", schemes=schemes)
    except ImproperlyConfigured as error:
        raise CommandError(
            f"{error} For example: {_VARIABLE}=postgresql://user:password@host/name manage.py copydatabase"
        ) from error
