"""Command that restores the database from a clone of the mirror, as a last resort."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry import mirror
from registry.core.errors import PromptuaryError


class Command(BaseCommand):
    help = (
        "Fill an empty database from a clone of the mirror, check it, and write this instance's own mirror. "
        "Passwords and API keys can't be restored: set new passwords and issue new keys."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--from-git",
            required=True,
            type=Path,
            metavar="PATH",
            help="path of a clone of the mirror, or of the mirror itself",
        )
        parser.add_argument(
            "--chain", metavar="HASH", help="hash that the last event must have, if you keep it elsewhere"
        )

    def handle(self, *_args: Any, from_git: Path, chain: str | None = None, **_options: Any) -> None:
        try:
            restored = mirror.restore(from_git, chain)
            self.stdout.write(f"Restored {restored.events} events; the chain ends at {restored.chain}.")
            mirror.catch_up(wait=30.0)
            findings = mirror.verify()
        except (mirror.MirrorError, PromptuaryError) as error:
            raise CommandError(str(error)) from error
        head = mirror.read_status().head
        if head != restored.head:
            findings.append(f"main is {head} here and {restored.head} in {from_git}: they do not hold the same.")
        if findings:
            raise CommandError("\n".join(findings))
        self.stdout.write(f"The mirror is what the journal says, and equal to {from_git}: main at {head}.")
