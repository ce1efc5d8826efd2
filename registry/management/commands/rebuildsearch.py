"""Command that rebuilds the search index from the templates, for example after rows were changed by hand."""

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from registry.journal import log
from registry.templates import search_engine, search_entries


class Command(BaseCommand):
    help = "Rebuild the search index from the templates. Saves wait until it is done; reading goes on."

    def handle(self, *_args: Any, **_options: Any) -> None:
        with transaction.atomic():
            log.lock()
            count = search_entries.rebuild_entries()
        search_engine.optimize_index()
        self.stdout.write(f"Templates indexed: {count:,}.")
