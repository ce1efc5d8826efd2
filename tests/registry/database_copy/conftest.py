"""Two databases apart from the test database: a source on SQLite and a target on the run's engine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from pytest_django.plugin import DjangoDbBlocker

from registry.core.databases import describe_database
from registry.database_copy.aliases import connect_both
from tests.support import instances


def entry_of(place: instances.Instance) -> dict[str, Any]:
    """The entry of DATABASES of an instance."""
    return describe_database(place.database or f"sqlite:///{place.home / 'promptuary.sqlite3'}")


@pytest.fixture
def places(
    django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> Iterator[tuple[instances.Instance, instances.Instance]]:
    """The instances with the source and the target, both with empty tables."""
    made = (
        instances.make_instance(tmp_path / "source", engine="sqlite"),
        instances.make_instance(tmp_path / "target"),
    )
    with django_db_blocker.unblock():  # and not `db`, which lets a test use the default database only
        yield made
    for place in made:
        instances.remove_instance(place)


@pytest.fixture
def both(places: tuple[instances.Instance, instances.Instance]) -> Iterator[None]:
    """Connections to both under the aliases of a copy."""
    with connect_both(entry_of(places[0]), entry_of(places[1])):
        yield


@pytest.fixture
def lines() -> list[str]:
    """What a copy told."""
    return []


def run_sql(alias: str, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Run one statement; return its rows, if any."""
    with connections[alias].cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall()) if cursor.description else []
