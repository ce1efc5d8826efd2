"""Command that sets the admins of the installation, who manage accounts."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.accounts import actor
from registry.core.errors import PromptuaryError
from registry.people import administration


class Command(BaseCommand):
    help = "Let a person manage all accounts: list, deactivate and reactivate them, and reset two-step sign-in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="username of the person")
        parser.add_argument("--off", action="store_true", help="stop letting them manage accounts")

    def handle(self, *_args: Any, username: str, off: bool, **_options: Any) -> None:
        try:
            administration.set_installation_admin(
                actor=actor.build_operator_actor(), username=username, is_admin=not off
            )
        except PromptuaryError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{username} {'no longer manages' if off else 'manages'} the accounts of this installation.")
