"""A database of the earlier release, upgraded; and processes of the earlier release beside those of this one.

While several machines are upgraded, the tables are migrated first and the web processes are started again one after the
other, so the earlier release's models write into tables of this one for a while.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from registry import mirror
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import check_results, decisions
from registry.changes import services as change_services
from registry.journal import immutable_tables
from registry.journal.models import Event
from registry.templates import save
from registry.templates.label_models import Label
from tests.registry.mirror.test_restore import empty_the_database
from tests.registry.upgrades import earlier_release
from tests.support import database_copies, row_snapshot

pytestmark = [pytest.mark.slow, pytest.mark.dialect]

TEMPLATE = "support/second"  # its production label is protected, and it has no open changes


@pytest.fixture
def upgraded(transactional_db: None, tmp_path: Path) -> Iterator[None]:
    """A database that the earlier release made and used, migrated to this one."""
    with database_copies.empty_database(tmp_path):
        earlier_release.make_tables()
        earlier_release.load_rows(earlier_release.load_models())
        earlier_release.migrate()
        yield


@pytest.fixture
def beside(transactional_db: None, tmp_path: Path) -> Iterator[None]:
    """A database of this release, into which the earlier one wrote."""
    with database_copies.empty_database(tmp_path):
        earlier_release.migrate()
        earlier_release.load_rows(earlier_release.load_models())
        yield


def test_work_goes_on_in_an_upgraded_database_and_a_restore_of_its_mirror_makes_it_again(upgraded, settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    check_work()
    mirror.rebuild()
    assert mirror.verify() == []
    subprocess.run(["git", "clone", "-q", settings.MIRROR_PATH, tmp_path / "clone"], check=True)
    before = row_snapshot.snapshot_rows()
    assert len(before["Event"]) > sum(row["model"] == "registry.event" for row in earlier_release.read_rows())
    with transaction.atomic():
        empty_the_database()
    mirror.restore(tmp_path / "clone")
    for name, rows in row_snapshot.snapshot_rows().items():
        assert rows == before[name], name


def test_work_goes_on_with_processes_of_the_earlier_release(beside):
    check_work()


def test_the_earlier_release_reads_and_writes_its_rows_in_the_new_tables(beside):
    earlier = earlier_release.load_models()
    for row in earlier_release.read_rows():
        model = earlier.get_model(row["model"])
        stored = model._base_manager.get(pk=row["pk"])
        assert earlier_release.describe_row(stored) == row
        if model._meta.db_table not in immutable_tables.TABLES:
            stored.save_base(raw=True, force_update=True)


def test_the_earlier_release_finds_its_columns_and_may_leave_out_the_new_ones():
    missing, demanded = [], []
    latest = earlier_release.load_latest_models()
    for model in earlier_release.load_models().get_models(include_auto_created=True):
        before = {field.column for field in model._meta.concrete_fields}
        after = {field.column: field for field in latest.get_model(model._meta.label)._meta.concrete_fields}
        missing += [f"{model._meta.label}.{column}" for column in before - after.keys()]
        for column in after.keys() - before:
            if not after[column].null and not after[column].has_db_default():
                demanded.append(f"{model._meta.label}.{column}")
    assert (missing, demanded) == ([], [])


def check_work() -> None:
    """Check that a change can be saved, published and served, and that the journal and its triggers are intact."""
    author, reviewer = (Actor(User.objects.get(username=name)) for name in ("author", "reviewer"))
    label = Label.objects.get(template__name=TEMPLATE, name="production")
    document = label.version.document + "# once more\n"
    version: Any = save.save_version(
        actor=author, name=TEMPLATE, document=document, base=label.template.latest.digest, message=""
    ).version
    change = change_services.propose_change(
        actor=author, name=TEMPLATE, label="production", version=version.number, message=""
    )
    check_results.run_checks(number=change.number)
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=version.digest)
    change_services.publish_change(actor=author, number=change.number)
    label.refresh_from_db()
    assert label.version == version
    numbers = list(Event.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert immutable_tables.list_missing_triggers(connection) == []
