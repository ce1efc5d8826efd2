"""Command that switches off the second sign-in step of a person who lost app and recovery codes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.accounts import actor
from registry.core.errors import PromptuaryError
from registry.people import administration


class Command(BaseCommand):
    help = "Turn off a person's two-step sign-in, so that they sign in with the password alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="username of the person")

    def handle(self, *_args: Any, username: str, **_options: Any) -> None:
        try:
            administration.reset_second_step(actor=actor.build_operator_actor(), username=username)
        except PromptuaryError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"The second step of {username} is off, and their sessions are ended.")
