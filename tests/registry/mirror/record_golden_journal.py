"""Record the golden journal again; only if what the product writes has changed on purpose:

    python -m tests.registry.mirror.record_golden_journal

plays the story on a fixed clock with fixed key ids, into a database of its own on SQLite, and writes the four files
that `golden` describes. `git diff` then shows what is said differently. Where only what is made of the events changed
(rows, sentences, caches), add `--derived`: the journal and the mirror stay as they are.

It prints the rows that a restore does not bring back as the services wrote them. The one it may print is the change
request of `archive` that was recorded without what it was decided on.
"""

# ruff: noqa: E402  # models can be imported only after Django's setup

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.db import connection, transaction
from django.test import override_settings

from registry import mirror
from registry.journal import log
from registry.journal.event import JournalEvent
from registry.journal.models import Event
from tests.registry.mirror import golden, golden_story
from tests.registry.mirror.test_restore import empty_the_database
from tests.support import row_snapshot


def main() -> None:
    connection.creation.create_test_db(verbosity=0)
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "mirror.git"
        with override_settings(MIRROR_PATH=path, BASE_URL=golden.BASE_URL, OUTBOUND_HOSTS=["127.0.0.1"]):
            if "--derived" not in sys.argv:
                _record_journal(path)
            _record_derived(Path(home))


def _record_journal(path: Path) -> None:
    """Play the story and write the journal and the mirror."""
    with golden_story.fix_clock_and_ids():
        with _older_journal():
            golden_story.play_older()
        golden_story.play()
    mirror.catch_up()
    golden.EXPORT.write_bytes(golden.export_mirror(path))
    lines = [json.dumps(event, ensure_ascii=False) + "\n" for event in golden.describe_journal(path)]
    golden.JOURNAL.write_text("".join(lines), encoding="utf-8")
    _compare_with_restored(path)


def _compare_with_restored(path: Path) -> None:
    """Print the rows that a restore does not bring back as they were."""
    before = row_snapshot.snapshot_rows()
    with transaction.atomic():
        empty_the_database()
    mirror.restore(path)
    after = row_snapshot.snapshot_rows()
    for name, rows in before.items():
        for row in sorted(set(rows) ^ set(after[name])):
            print(f"{'-' if row in rows else '+'} {name} {row[:300]}")  # noqa: T201  # a program's output


def _record_derived(home: Path) -> None:
    """Write the rows and effects of the recorded journal, in a restored database."""
    repository = golden.recreate_mirror(home / "recorded.git")
    with transaction.atomic():
        empty_the_database()
    mirror.restore(repository)
    golden.ROWS.write_text(_to_json(golden.read_rows()), encoding="utf-8")
    effects = {
        "events": golden.read_effects(),
        "changes": golden.read_conversations(),
        "caches": golden.measure_caches(),  # last, for it appends events
    }
    golden.EFFECTS.write_text(_to_json(effects), encoding="utf-8")


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


@contextmanager
def _older_journal() -> Iterator[None]:
    """Append events without the fields that were added later."""
    append: Callable[..., Event] = log.append

    def append_older(author: log.Author, event: JournalEvent, **facts: Any) -> Event:
        body = golden_story.strip_later_fields(event.kind, event.build_body())
        return append(author, event.from_body(body), **facts)

    with mock.patch.object(log, "append", append_older):
        yield


if __name__ == "__main__":
    main()
