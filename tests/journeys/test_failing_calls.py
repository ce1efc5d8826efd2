"""Whichever call to the database, Git or the disk fails, an action is done completely or not at all."""

import itertools
import shutil
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import DatabaseError, connection

from registry import mirror
from registry.accounts.actor import Actor
from registry.journal import mirror_paths
from registry.journal.models import Commit, Event
from registry.mirror.repository import Repository
from tests.support import act_story
from tests.support.act_story import Story
from tests.support.examples import run_size
from tests.support.failing_calls import FailingGit, FailingStatement, limit_file_size

STRIDE = run_size(6, torture=1)  # every call of an action in torture, otherwise every sixth one
STEP = run_size(16_384, torture=2_048)  # bytes by which the disk grows from one try to the next
MAX_CALLS = 3_000


@pytest.fixture
def cast(transactional_db, settings, tmp_path) -> dict[str, Actor]:
    """The people of `support`, in a separate database with its own mirror."""
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    return act_story.load_actors()


BEFORE = {  # act: what happens before it
    "save": [],
    "propose": ["save"],
    "approve": ["save", "propose"],
    "publish": ["save", "propose", "approve"],
    "roll_back": ["save", "propose", "approve", "publish", "prepare_roll_back"],
    "publish_release": ["prepare_release"],
}


def read_rows() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with connection.cursor() as cursor:
        rows = {}
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            rows[table] = sorted(cursor.fetchall(), key=repr)
        return rows


def play_until(cast: dict[str, Actor], act: str) -> Story:
    story = Story(cast)
    for name in BEFORE[act]:
        getattr(story, name)()
    return story


def check_whole(events: int) -> None:
    """Check that the action's events exist, are numbered without gaps, and are in the mirror too."""
    numbers = list(Event.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > events
    mirror.catch_up()
    assert mirror.verify() == []


@pytest.mark.dialect
@pytest.mark.parametrize("act", BEFORE)
def test_an_act_is_not_done_where_any_statement_fails(cast, act):
    story = play_until(cast, act)
    before, events = read_rows(), Event.objects.count()
    for number in range(1, MAX_CALLS, STRIDE):
        fault = FailingStatement(number)
        try:
            with connection.execute_wrapper(fault):
                getattr(story, act)()
        except DatabaseError:
            assert read_rows() == before, f"statement {number}"
        else:
            break
    assert number > STRIDE  # some statements failed before
    assert read_rows() != before
    check_whole(events)


@pytest.mark.sqlite
@pytest.mark.parametrize("act", BEFORE)
def test_an_act_is_not_done_where_the_disk_is_full(cast, act):
    story = play_until(cast, act)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before, events = read_rows(), Event.objects.count()
    for size in itertools.count(0, STEP):
        try:
            with limit_file_size(size):
                getattr(story, act)()
        except (DatabaseError, OSError):
            assert read_rows() == before, f"{size} bytes"
        else:
            break
    assert size > 0
    check_whole(events)


@pytest.fixture
def mirrored(cast) -> str:
    """Play the whole story and mirror it; return the mirror's head."""
    story = Story(cast)
    for act in ("save", "propose", "approve", "publish", "prepare_roll_back", "roll_back", "prepare_release"):
        getattr(story, act)()
    story.publish_release()
    mirror.catch_up()
    return find_head()


def find_head() -> str:
    return Repository(django_settings.MIRROR_PATH).list_heads()[mirror_paths.MAIN].commit


def empty_mirror() -> None:
    """Remove the mirror, as if nothing had been mirrored yet."""
    shutil.rmtree(django_settings.MIRROR_PATH)
    Commit.objects.all().delete()


def check_recovered(head: str) -> None:
    """Check that the next writer brings the mirror to the expected state."""
    mirror.catch_up(wait=30)  # a killed git holds the writer's lock until it has ended
    assert find_head() == head
    assert mirror.verify() == []
    assert Commit.objects.count() == Event.objects.count()


@pytest.mark.parametrize("way", ["before", "after", "killed"])
def test_the_mirror_is_the_same_whichever_run_of_git_fails(mirrored, tmp_path, monkeypatch, way):
    git = FailingGit(tmp_path / "bin", way)
    monkeypatch.setenv("PATH", git.path)
    for number in itertools.count(1):
        empty_mirror()
        git.fail_run(number)
        try:
            mirror.catch_up()
        except mirror.MirrorError:
            assert git.count >= number
        reached = git.count >= number
        git.fail_run(0)
        check_recovered(mirrored)
        if not reached:
            break
    assert number > 3  # Git runs some times to write a mirror


@pytest.mark.sqlite
def test_the_mirror_is_the_same_after_a_full_disk(mirrored):
    failures = 0
    for size in range(0, 40_000, run_size(4_000, torture=256)):
        empty_mirror()
        try:
            with limit_file_size(size):
                mirror.catch_up()
        except (mirror.MirrorError, DatabaseError, OSError):
            failures += 1
        check_recovered(mirrored)
    assert failures
