"""Command that grants a PostgreSQL role what the server needs, but nothing that could disable the triggers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from registry.journal.database_roles import grant_server_role

__all__ = ["Command"]


class Command(BaseCommand):
    help = (
        "Grant a PostgreSQL role the rights that the running server needs. "
        "Run it as the owner of the tables, after each migration."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("role", help="existing role that the server connects as")

    def handle(self, *_args: Any, role: str, **_options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("SQLite has no roles: whoever may write the file may change its triggers.")
        try:
            grant_server_role(connection, role)
        except DatabaseError as error:
            raise CommandError(f"The rights could not be granted: {error}".strip()) from error
        self.stdout.write(f"{role} may run the server.")
