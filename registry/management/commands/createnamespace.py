"""The first namespace of a new registry, from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from registry import access
from registry.access import Role
from registry.errors import PromptuaryError
from registry.services import members, namespaces


class Command(BaseCommand):
    help = "Make a namespace, name its admin, and protect labels in it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="lower-case letters, digits and hyphens")
        parser.add_argument("--admin", required=True, help="username of the person who manages it")
        parser.add_argument(
            "--protect", action="append", default=[], metavar="LABEL", help="may be given several times"
        )
        parser.add_argument("--approvals", type=int, default=1, help="approvals a change request needs (default 1)")

    def handle(self, *_args: Any, name: str, admin: str, protect: list[str], approvals: int, **_options: Any) -> None:
        operator = access.operator()
        try:
            with transaction.atomic():
                namespaces.create(actor=operator, name=name, protected_labels=protect, approvals=approvals)
                members.set_role(actor=operator, namespace=name, username=admin, role=Role.ADMIN)
        except PromptuaryError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{name} is there; {admin} is its admin.")
