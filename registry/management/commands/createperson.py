"""Command that creates a person's account, as there is no self-registration."""

import sys
from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.accounts import actor, people
from registry.core.errors import PromptuaryError
from registry.namespaces.models import Namespace


class Command(BaseCommand):
    help = "Create an account. The password is prompted for, or read from standard input if it is not a terminal."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "username",
            help="name to sign in with: lower-case letters, digits and inner dots, hyphens or underscores; "
            "it can't be changed later",
        )
        parser.add_argument(
            "--email", default="", help="email address, for notifications and for sign-in with an OpenID provider"
        )
        parser.add_argument("--name", default="", help="full name of the person")
        parser.add_argument(
            "--no-password", action="store_true", help="no password: the person signs in with the OpenID provider only"
        )

    def handle(self, *_args: Any, username: str, email: str, name: str, no_password: bool, **_options: Any) -> None:
        password = None if no_password else self._ask(username)
        try:
            people.create_person(
                actor=actor.build_operator_actor(), username=username, password=password, email=email, full_name=name
            )
        except PromptuaryError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{username} can sign in now. {_describe_next_step(username)}")

    def _ask(self, username: str) -> str:
        if not sys.stdin.isatty():
            return sys.stdin.readline().rstrip("\n")
        password = getpass(f"Password for {username}: ")
        if getpass("Again: ") != password:
            raise CommandError("The two passwords differ.")
        return password


def _describe_next_step(username: str) -> str:
    if Namespace.objects.exists():
        return "An admin can make them a member of a namespace."
    return (
        f"Next, create a namespace: manage.py createnamespace support --admin {username} --protect production\n"
        f"To let {username} manage all accounts: manage.py installationadmin {username}"
    )
