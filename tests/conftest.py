"""What every test may use."""

import pytest
from django.db import connection
from hypothesis import settings

# Machines are small and shared: an example may be slow without being wrong.
settings.register_profile("promptuary", deadline=None)
settings.load_profile("promptuary")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test marked `postgres` runs in the PostgreSQL pass of `make test` only."""
    if connection.vendor == "postgresql":
        return
    skip = pytest.mark.skip(reason="runs in the PostgreSQL pass of make test")
    for item in items:
        if item.get_closest_marker("postgres"):
            item.add_marker(skip)
