"""Command that creates a namespace, the first of a new registry for example."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from registry.accounts import actor
from registry.core.errors import PromptuaryError
from registry.namespaces import services as namespace_services
from registry.namespaces.models import Role
from registry.namespaces.rules import DEFAULT_CHECKS


class Command(BaseCommand):
    help = "Create a namespace with an admin and protected labels."

    def add_arguments(self, parser: ArgumentParser) -> None:
        defaults = ", ".join(DEFAULT_CHECKS)
        parser.add_argument(
            "name", help="name of the namespace: lower-case letters, digits and hyphens, such as support"
        )
        parser.add_argument("--admin", required=True, help="username of the namespace's admin")
        parser.add_argument(
            "--protect",
            action="append",
            default=[],
            metavar="LABEL",
            help="label to protect, such as production; can be repeated",
        )
        parser.add_argument(
            "--approvals", type=int, default=1, help="number of approvals that a change request needs. Default: 1"
        )

        parser.add_argument(
            "--check",
            action="append",
            metavar="CHECK",
            help=f"check that must pass before a protected label moves; can be repeated. Default: {defaults}",
        )
        parser.add_argument("--no-checks", action="store_true", help="require no checks")

    def handle(  # one argument per option
        self,
        *_args: Any,
        name: str,
        admin: str,
        protect: list[str],
        approvals: int,
        check: list[str] | None,
        no_checks: bool,
        **_options: Any,
    ) -> None:
        if check and no_checks:
            raise CommandError("--check and --no-checks contradict each other.")
        rules: dict[str, Any] = {
            "protected_labels": protect,
            "approvals": approvals,
            "required_checks": [] if no_checks else check,
        }
        operator = actor.build_operator_actor()
        try:
            with transaction.atomic():
                space = namespace_services.create_namespace(actor=operator, name=name, **rules)
                namespace_services.set_role(actor=operator, namespace=name, username=admin, role=Role.ADMIN)
        except PromptuaryError as error:
            raise CommandError(error.message) from error
        checks = ", ".join(space.required_checks) or "none"
        self.stdout.write(f"Created {name}. Its admin is {admin}. Checks that must pass: {checks}.")
