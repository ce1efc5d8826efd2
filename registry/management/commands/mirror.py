"""The Git mirror seen from the command line."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry import mirror

_WAIT = 30.0  # seconds for a writer that is at work


class Command(BaseCommand):
    help = (
        "Look after the Git mirror: verify it against the journal, make it anew, bring it up to date, tell its state."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "what",
            choices=["verify", "rebuild", "catch-up", "status"],
            help="verify: every commit is what the journal says. rebuild: write it anew, the old one is kept beside it. "
            "catch-up: mirror what is not mirrored yet. status: how far it is, as JSON",
        )

    def handle(self, *_args: Any, what: str, **_options: Any) -> None:
        run = {"verify": self._verify, "rebuild": self._rebuild, "catch-up": self._catch_up, "status": self._status}
        try:
            run[what]()
        except mirror.MirrorError as error:
            raise CommandError(str(error)) from error

    def _verify(self) -> None:
        try:
            mirror.catch_up(wait=_WAIT)
        except mirror.Diverged as error:
            self.stderr.write(f"The mirror stands still. {error}")
        findings = mirror.verify()
        for finding in findings:
            self.stdout.write(finding)
        if findings:
            raise CommandError(f"The mirror is not what the journal says: {len(findings)} found.")
        state = mirror.status()
        self.stdout.write(f"The mirror is what the journal says: {state.mirrored} events, main at {state.head}.")

    def _rebuild(self) -> None:
        kept = mirror.rebuild()
        self.stdout.write(f"Rebuilt: main at {mirror.status().head}.")
        if kept:
            self.stdout.write(f"The mirror as it was is kept at {kept}.")

    def _catch_up(self) -> None:
        self.stdout.write(f"{mirror.catch_up(wait=_WAIT)} events mirrored.")

    def _status(self) -> None:
        state = mirror.status()
        self.stdout.write(json.dumps({**asdict(state), "behind": state.behind}, indent=2))
        if state.diverged:
            raise CommandError(state.diverged)
