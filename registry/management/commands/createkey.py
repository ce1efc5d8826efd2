"""An API key from the command line, for scripts and the first service."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry import access
from registry.errors import PromptuaryError
from registry.models import Key
from registry.services import keys


class Command(BaseCommand):
    help = "Issue an API key for a member of a namespace and print it, alone. It can't be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("namespace", help="the key is good for this namespace only")
        parser.add_argument(
            "--person", required=True, help="username of the member the key acts for, never above their role"
        )
        parser.add_argument("--scope", required=True, choices=Key.SCOPES, help="write includes read")
        parser.add_argument("--name", default="command line", help="which service the key is for")

    def handle(self, *_args: Any, namespace: str, person: str, scope: str, name: str, **_options: Any) -> None:
        try:
            issued = keys.issue(actor=access.operator(), namespace=namespace, name=name, scope=scope, person=person)
        except PromptuaryError as error:
            raise CommandError(error.message) from error
        self.stdout.write(issued.secret)
