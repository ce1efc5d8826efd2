"""What every test may use."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from hypothesis import settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support import database_copies

# Machines are small and shared: an example may be slow without being wrong. The same examples every time, so that a run
# says something about the change; `make torture` looks for new ones.
settings.register_profile("promptuary", deadline=None, derandomize=not os.environ.get("PROMPTUARY_TORTURE"))
settings.load_profile("promptuary")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test marked `postgres` runs in the PostgreSQL pass of `make test` only."""
    for item in items:
        names: list[str] = getattr(item, "fixturenames", [])
        if "database" in names and not {"db", "transactional_db"} & set(names):
            names.insert(0, "db")  # `database` asks for it only while it runs, too late for the plugin to see
    if connection.vendor == "postgresql":
        return
    skip = pytest.mark.skip(reason="runs in the PostgreSQL pass of make test")
    for item in items:
        if item.get_closest_marker("postgres"):
            item.add_marker(skip)


@pytest.fixture
def transactional_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[None]:
    """A database of this test's own, in which threads and servers commit; in place of the plugin's, which empties tables."""
    with django_db_blocker.unblock(), database_copies.copied(tmp_path):
        yield
