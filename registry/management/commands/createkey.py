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
    help = "Issue an API key for a member of a namespace and print only the key. It can't be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("namespace", help="namespace that the key gives access to")
        parser.add_argument(
            "--person",
            required=True,
            help="username of the member that the key acts for; the key can do no more than this member",
        )
        _add_rights(parser)
        _add_limits(parser)
        parser.add_argument(
            "--name",
            default="command line",
            help="name of the key, such as the service that uses it. Default: command line",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        days: int | None = options["days"]
        if days is not None and not 1 <= days <= 3650:
            raise CommandError("--days is a number from 1 to 3650.")
        try:
            issued = keys.issue_key(
                actor=actor.build_operator_actor(),
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


def _add_rights(parser: ArgumentParser) -> None:
    """Add the arguments that say what the key may do."""
    rights = parser.add_mutually_exclusive_group()
    rights.add_argument(
        "--scope",
        choices=sorted(verbs.SCOPES),
        help="what the key may do; write includes read, but not rolling back. Default: only fetch",
    )
    rights.add_argument(
        "--verbs",
        help="what the key may do, instead of --scope; only this can allow roll_back. "
        f"Some of {','.join(KEY_VERBS)}, separated by commas",
    )


def _add_limits(parser: ArgumentParser) -> None:
    """Add the arguments that say for what, from where and until when the key is valid."""
    parser.add_argument(
        "--labels",
        default="",
        help="labels that the key is limited to, separated by commas, such as production,staging. Default: all",
    )
    parser.add_argument(
        "--addresses",
        default="",
        help="IP addresses and networks that the key may be used from, separated by commas, "
        "such as 203.0.113.0/24. Default: all",
    )
    expiry = parser.add_mutually_exclusive_group()
    expiry.add_argument("--days", type=int, help=f"days until the key expires. Default: {keys.DEFAULT_DAYS}")
    expiry.add_argument("--never-expires", action="store_true", help="the key is valid until it is revoked")
    versions = parser.add_mutually_exclusive_group()
    versions.add_argument(
        "--approved-only",
        action="store_const",
        const=True,
        dest="approved_only",
        help="the key gets approved versions only; the default for reading keys if the namespace protects a label",
    )
    versions.add_argument(
        "--any-version",
        action="store_const",
        const=False,
        dest="approved_only",
        help="the key gets any version, approved or not",
    )


def _split(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]
