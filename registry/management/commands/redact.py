"""Command that permanently removes a version's text, run on the server."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from registry import mirror
from registry.accounts import actor
from registry.core.errors import PromptuaryError
from registry.core.names import parse_ref, split_address
from registry.redaction import services as redaction_services
from registry.redaction.column_contents import Holds
from registry.redaction.services import RedactionPlan
from registry.redaction.text_columns import list_columns
from registry.templates import search_engine

_WAIT = 600.0  # seconds; the whole history is rewritten


class Command(BaseCommand):
    help = (
        "Remove the text of one version from the database, the caches and every commit of the mirror. "
        "Its number, digest and history stay. Requests for it are told when, by whom and why it was removed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "version", metavar="TEMPLATE@VERSION", help="version to redact, such as support/refunds/reply@3"
        )
        parser.add_argument("--reason", default="", help="reason, shown to everybody who asks for the text")
        parser.add_argument("--dry-run", action="store_true", help="show what would be removed; change nothing")
        parser.add_argument("--everywhere", action="store_true", help="redact other versions with the same text too")
        parser.add_argument(
            "--force",
            action="store_true",
            help="redact a version that a label points to, too; its callers get 410 from then on",
        )

    def handle(self, *_args: Any, version: str, **options: Any) -> None:
        everywhere = bool(options["everywhere"])
        try:
            name, ref = split_address(version)
            number = parse_ref(ref).number
            if number is None:
                raise CommandError(f"Name the version by its number, as in {name}@3: a label may move meanwhile.")
            arguments: dict[str, Any] = {
                "actor": actor.build_operator_actor(),
                "name": name,
                "version": number,
                "everywhere": everywhere,
            }
            remotes = [remote.url for remote in mirror.list_remotes()]
            if options["dry_run"]:
                self._write_plan(redaction_services.plan_redaction(**arguments), "would go", remotes)
                return
            plan = redaction_services.redact_version(
                **arguments, reason=options["reason"], force=bool(options["force"]), remotes=remotes
            )
        except PromptuaryError as error:
            raise CommandError(error.message) from error
        self._write_plan(plan, "is gone", remotes)
        _scrub()
        try:
            mirror.catch_up(wait=_WAIT)
        except mirror.MirrorError as error:
            raise CommandError(f"The database holds it no more, but the mirror still does: {error}") from error
        self.stdout.write(f"The mirror was written again: main at {mirror.read_status().head}.")

    def _write_plan(self, plan: RedactionPlan, verb: str, remotes: list[str]) -> None:
        for row in plan.versions:
            self.stdout.write(f"{row.template.name}@{row.number} {verb} ({row.digest}).")
        self.stdout.write(
            f"With it: details of {plan.verdicts} verdicts, what {plan.threads} threads quote, "
            f"{plan.renderings} kept renderings, drafts of {', '.join(plan.drafts) or 'nobody'}."
        )
        self.stdout.write(
            f"Of evaluation runs: what {plan.rows} rows hold of it, {plan.replies} kept replies; scores stay. "
            f"Of the playground: {plan.playground_columns} prompts and replies. "
            f"Of what models proposed: {plan.improvements} texts."
        )
        for row in plan.holders:
            if row not in plan.versions:
                self.stdout.write(f"Holds the same text: {row.template.name}@{row.number} (--everywhere).")
        for use in plan.uses:
            self.stdout.write(f"In use: {use} (--force).")
        self.stdout.write(f"Stays: messages, and {plan.comments} comments in those threads, as people wrote them.")
        for sentence in plan.repeated:
            self.stdout.write(f"Stays, and repeats the text: {sentence}.")
        if not plan.repeated:
            self.stdout.write("Nothing that stays was found to repeat a passage of it; paraphrases can't be found.")
        self.stdout.write(
            "Out of reach: backups, clones, logs, sent mail, and what clients keep of a version they fetched by number."
        )
        for url in remotes:
            self.stdout.write(f"Out of reach: {url}. Ask its owner to empty it; then it is pushed to again.")


def _scrub() -> None:
    """Make the database free or overwrite the old rows, so that their bytes don't remain in its files."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            tables = {table for table, _ in list_columns(Holds.REMOVED, Holds.BLANKED)}
            cursor.execute(f"VACUUM {', '.join(sorted(tables))}")
        else:
            search_engine.optimize_index()
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
