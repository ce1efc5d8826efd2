"""The fill of the pages benchmark: indexes are away while rows are added, and all back afterwards."""

import pytest
from django.db import connection

from benchmarks.paging.index_builds import suspend_indexes
from registry.journal.models import Event
from registry.templates.models import Template

pytestmark = pytest.mark.django_db


def list_indexes():
    with connection.cursor() as cursor:
        found = [connection.introspection.get_constraints(cursor, model._meta.db_table) for model in (Template, Event)]
    return sorted(name for each in found for name, facts in each.items() if facts["index"])


def test_indexes_are_built_after_the_rows():
    before = list_indexes()
    with suspend_indexes([Template, Event]):
        during = list_indexes()
    assert list_indexes() == before
    assert (len(during) < len(before)) == (connection.vendor == "postgresql")
