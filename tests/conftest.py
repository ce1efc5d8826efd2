"""Fixtures for all tests."""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from django.db import connection
from hypothesis import settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support import costly_files, database_copies, examples, recorded_rows, run_order, schema

# Machines are small and shared: an example may be slow without being wrong. The same examples every time, so that a run
# says something about the change; `make torture` looks for new ones. `--hypothesis-profile=ci` picks another profile.
settings.register_profile("dev", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("torture", deadline=None, derandomize=False, max_examples=1_000)
settings.load_profile("torture" if examples.IS_TORTURE else "dev")

JOURNEYS = Path(__file__).parent / "journeys"


@pytest.hookimpl(wrapper=True, tryfirst=True)  # marked before `-m` deselects, in order after all plugins
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """Mark the journeys slow and the costly files; skip what is about the other engine; begin with what is slow."""
    costly = {costly_files.ROOT / path for path in costly_files.read_costly_files()}
    for item in items:
        if JOURNEYS in item.path.parents:
            item.add_marker("slow")
        if item.path in costly:
            item.add_marker("costly")
        names: list[str] = getattr(item, "fixturenames", [])
        if "database" in names and not {"db", "transactional_db"} & set(names):
            names.insert(0, "db")  # `database` asks for it only while it runs, too late for the plugin to see
    other = "sqlite" if connection.vendor == "postgresql" else "postgres"
    skip = pytest.mark.skip(reason=f"runs on {other} only")
    for item in items:
        if item.get_closest_marker(other):
            item.add_marker(skip)
    yield
    slow = [item.get_closest_marker("slow") is not None for item in items]
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = run_order.spread_slow_groups(items, [item.path for item in items], slow, processes)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector off the tens of thousands of objects that live until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)  # Python's 700 takes 4 % of a run


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest, django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> None:
    """The plugin's, with tables made from the models."""
    with schema.migrations_switched_off():
        request.getfixturevalue("django_db_setup")
    with django_db_blocker.unblock():
        schema.complete_schema()
        recorded_rows.follow_writes()


@pytest.fixture
def transactional_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[None]:
    """A database of this test's own, in which threads and servers commit;
    in place of the plugin's, which empties tables."""
    with django_db_blocker.unblock(), database_copies.copied_database(tmp_path):
        yield
