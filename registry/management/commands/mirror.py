"""Command for the Git mirror: status, verification, rebuilding and remotes."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.serializers.json import DjangoJSONEncoder

from registry import mirror
from registry.accounts import actor
from registry.core.errors import PromptuaryError
from registry.journal import log
from registry.mirror import remote_setup
from registry.mirror.models import Remote
from registry.templates.events import VersionRedacted

_WAIT = 30.0  # seconds to wait for an active writer
_HELP = {
    "verify": "check that every commit matches the journal",
    "status": "show how much of the journal is mirrored, as JSON",
    "catch-up": "write the events that are not mirrored yet",
    "rebuild": "write the mirror again from the journal; the old mirror is kept next to it",
    "adopt": "add the events that only the mirror contains to a database that is older than its mirror",
    "push": "push to all remotes now, including those that failed",
    "remote": "manage the repositories that the mirror is pushed to",
    "discard": "set the mirror aside, with the events that only it contains, and write it again from the database",
}
_FILES = {
    "token_file": "file that contains the password or token, for https",
    "key_file": "file that contains the private key, for ssh",
    "known_hosts": "file that contains the host's keys, for ssh",
}


class Command(BaseCommand):
    help = "Manage the Git mirror."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
        for verb, description in _HELP.items():
            entry = verbs.add_parser(verb, help=description)
            if verb == "verify":
                entry.add_argument("--clone", type=Path, metavar="PATH", help="clone to check, instead of the mirror")
            if verb == "remote":
                _add_remote(entry)

    def handle(self, *_args: Any, what: str, **options: Any) -> None:
        run: dict[str, Callable[[], None]] = {
            "verify": lambda: self._verify_clone(options["clone"]) if options.get("clone") else self._verify(),
            "status": self._print_status,
            "catch-up": self._catch_up,
            "rebuild": self._rebuild,
            "adopt": self._adopt,
            "discard": self._discard,
            "push": self._push,
            "remote": lambda: self._manage_remote(options),
        }
        try:
            run[what]()
        except mirror.MirrorError as error:
            raise CommandError(str(error)) from error
        except PromptuaryError as error:
            raise CommandError(error.message) from error

    def _verify(self) -> None:
        try:
            mirror.catch_up(wait=_WAIT)
        except (mirror.Damaged, mirror.Diverged, mirror.GitFailed) as error:
            self.stderr.write(f"The mirror has stopped. {error}")
        self._write_findings(mirror.verify_settled(), "The mirror")
        state = mirror.read_status()
        self.stdout.write(f"The mirror is what the journal says: {state.mirrored} events, main at {state.head}.")

    def _verify_clone(self, path: Path) -> None:
        self._write_findings(mirror.verify_clone(mirror.open_clone(path)), str(path))
        self.stdout.write(f"{path} holds nothing but what the journal says.")

    def _write_findings(self, findings: list[str], subject: str) -> None:
        for finding in findings:
            self.stdout.write(finding)
        if findings:
            raise CommandError(f"{subject} is not what the journal says: {len(findings)} found.")

    def _rebuild(self) -> None:
        if complaint := log.describe_disagreement():
            raise CommandError(complaint)
        self._renew()

    def _renew(self) -> None:
        old_path = mirror.rebuild()
        self.stdout.write(f"Rebuilt: main at {mirror.read_status().head}.")
        if old_path:
            self.stdout.write(f"The mirror as it was is kept at {old_path}.")

    def _catch_up(self) -> None:
        self.stdout.write(f"{mirror.catch_up(wait=_WAIT)} events mirrored.")

    def _adopt(self) -> None:
        count = mirror.adopt()
        self.stdout.write(f"Events that only the mirror had, taken over into the database: {count:,}.")
        self._verify()

    def _discard(self) -> None:
        try:
            events = [json.loads(text) for text in mirror.list_forgotten()]
        except mirror.GitFailed as error:
            self.stderr.write(f"What only the mirror knew can't be listed: {error}")
            self._renew()
            self.stdout.write("What only the mirror knew is given up. If it held redactions, do them again.")
            return
        self._renew()
        self.stdout.write(f"Events that only the mirror had, now given up: {len(events):,}.")
        for event in events:
            if event["kind"] == VersionRedacted.kind:
                body = event["body"]
                self.stdout.write(f"Among them a redaction: redact {body['template']}@{body['version']} again.")

    def _manage_remote(self, options: dict[str, Any]) -> None:
        if options["how"] == "add":
            mirror.check_destination(options["url"])
            facts = {field: options[field] or "" for field in ("name", "url", "user", *_FILES)}
            remote_setup.add_remote(actor=actor.build_operator_actor(), **facts)
            self.stdout.write(f"The worker pushes to {options['url']} from now on; at once: manage.py mirror push")
        elif options["how"] == "remove":
            remote_setup.remove_remote(actor=actor.build_operator_actor(), name=options["name"])
            self.stdout.write(f"Nothing is pushed to {options['name']} any more; what it holds stays there.")
        else:
            self.stdout.write(
                json.dumps([asdict(entry) for entry in mirror.list_remotes()], indent=2, cls=DjangoJSONEncoder)
            )

    def _push(self) -> None:
        failed = []
        for remote in Remote.objects.order_by("name"):
            if mirror.push(remote):
                self.stdout.write(f"{remote.name} holds what the mirror holds.")
                continue
            remote.refresh_from_db()
            failed.append(f"{remote.name}: {remote.error or 'another process is pushing to it.'}")
        if failed:
            raise CommandError("\n".join(failed))

    def _print_status(self) -> None:
        state = mirror.read_status()
        self.stdout.write(json.dumps({**asdict(state), "behind": state.behind}, indent=2, cls=DjangoJSONEncoder))
        if complaint := state.unreadable or state.diverged:
            raise CommandError(complaint)


def _add_remote(parser: ArgumentParser) -> None:
    how = parser.add_subparsers(dest="how", required=True, metavar="HOW")
    how.add_parser("status", help="show how much was pushed to each remote, as JSON")
    add = how.add_parser("add", help="add a remote to push to")
    add.add_argument("name", help="name of the new remote, such as backup")
    add.add_argument("url", help="address of the repository, https://… or ssh://…, without a password")
    add.add_argument("--user", help="username that the token belongs to, for https")
    for field, description in _FILES.items():
        add.add_argument(f"--{field.replace('_', '-')}", metavar="PATH", help=description)
    how.add_parser("remove", help="remove a remote").add_argument("name", help="name of the remote")
