"""Record the database of a release, from which the next ones must be able to upgrade:

    python -m tests.registry.upgrades.record_earlier_release

is run in the tree of a release when it is made. It plays the story of the golden journal into a database of its own on
SQLite, with a row of nearly every table, and writes the rows into `earlier_release.jsonl`.
"""

# ruff: noqa: E402  # models can be imported only after Django's setup

import os
import tempfile
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.apps import apps
from django.db import connection
from django.test import override_settings

from registry import mirror
from tests.registry.mirror import golden, golden_story
from tests.registry.upgrades import earlier_release
from tests.support import schema


def main() -> None:
    connection.creation.create_test_db(verbosity=0)
    with tempfile.TemporaryDirectory() as home:
        places = {"MIRROR_PATH": Path(home) / "mirror.git", "BASE_URL": golden.BASE_URL}
        with override_settings(**places, OUTBOUND_HOSTS=["127.0.0.1"]):
            with golden_story.fix_clock_and_ids():
                golden_story.play_older()
                golden_story.play()
            mirror.catch_up()
        last = dict(schema.StepLoader(None).list_targets())["registry"]
        earlier_release.write_rows(last, list(apps.get_models(include_auto_created=True)))


if __name__ == "__main__":
    main()
