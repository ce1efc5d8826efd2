"""Command that loads the starter library while the page server of `manage.py serve --demo` runs."""

from typing import Any

from django.core.management.base import BaseCommand

from registry.starter import load


class Command(BaseCommand):
    help = "Load the starter library into a new instance; `serve --demo` runs this while its page server runs."

    def handle(self, *_args: Any, **_options: Any) -> None:
        if load.is_starter_loaded():
            self.stdout.write("The starter library is loaded already.")
            return
        load.prepare_starter()
        load.load_starter(self.stdout.write)
        self.stdout.write("The starter library is loaded.")
