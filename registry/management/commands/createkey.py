"""Command that issues an API key, for scripts and the first service."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.accounts import actor
from registry.accounts.models import Key
from registry.core.errors import PromptuaryError
from registry.journal import log
from registry.namespaces import keys, verbs
from registry.namespaces.verbs import KEY_VERBS


class Command(BaseCommand):
    help = "Issue an API key for a member of a namespace and print it, alone. It can't be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("namespace", help="the key is good for this namespace only")
        parser.add_argument(
            "--person", required=True, help="username of the member the key acts for, never above their role"
        )
        owner = parser.add_mutually_exclusive_group()
        owner.add_argument(
            "--scope",
            choices=sorted(verbs.SCOPES),
            help="write includes read, but not rolling back; without this and --verbs the key may fetch only",
        )
        owner.add_argument(
            "--verbs",
            help=f"instead: some of {','.join(KEY_VERBS)}, separated by commas; the only way to give roll_back",
        )
        parser.add_argument("--labels", default="", help="the only labels it acts on, separated by commas")
        parser.add_argument(
            "--addresses",
            default="",
            help="the only IP addresses and networks it is used from, such as 203.0.113.0/24, separated by commas",
        )
        end = parser.add_mutually_exclusive_group()
        end.add_argument("--days", type=int, help=f"days until it expires; without this {keys.DEFAULT_DAYS}")
        end.add_argument("--never-expires", action="store_true", help="valid until it is revoked")
        versions = parser.add_mutually_exclusive_group()
        versions.add_argument(
            "--approved-only",
            action="store_const",
            const=True,
            dest="approved_only",
            help="approved versions only, as keys that read are if the namespace protects a label",
        )
        versions.add_argument(
            "--any-version",
            action="store_const",
            const=False,
            dest="approved_only",
            help="any version, approved or not",
        )
        parser.add_argument("--name", default="command line", help="which service the key is for")

    def handle(self, *_args: Any, **options: Any) -> None:
        days: int | None = options["days"]
        if days is not None and not 1 <= days <= 3650:
            raise CommandError("--days is a number from 1 to 3650.")
        try:
            issued = keys.issue_key(
                actor=actor.operator_actor(),
                namespace=options["namespace"],
                name=options["name"],
                person=options["person"],
                scope=options["scope"] or ("" if options["verbs"] is None else Key.CHOSEN),
                verbs=_split(options["verbs"] or ""),
                labels=_split(options["labels"]),
                expires_at=None if options["never_expires"] else log.now() + timedelta(days=days or keys.DEFAULT_DAYS),
                approved_only=options["approved_only"],
                addresses=_split(options["addresses"]),
            )
        except PromptuaryError as error:
            raise CommandError(error.message) from error
        self.stdout.write(issued.secret)


def _split(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]
