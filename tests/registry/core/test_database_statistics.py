"""On SQLite, upkeep collects the statistics of tables that have grown."""

import pytest
from django.db import connection

from registry.accounts.models import User
from registry.core import database_statistics
from registry.core.database_statistics import update_statistics
from registry.tasks import upkeep

pytestmark = pytest.mark.django_db
TABLE = User._meta.db_table


@pytest.fixture(autouse=True)
def least_rows(monkeypatch):
    monkeypatch.setattr(database_statistics, "MIN_ROWS", 4)
    User.objects.all().delete()


def add_people(*numbers: int) -> None:
    User.objects.bulk_create(User(pk=number, username=f"person-{number}") for number in numbers)


def read_count() -> int | None:
    """The number of people by the statistics."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT stat FROM sqlite_stat1 WHERE tbl = %s", [TABLE])
        row = cursor.fetchone()
    return int(row[0].split()[0]) if row else None


@pytest.mark.sqlite
def test_a_table_is_counted_when_it_has_enough_rows():
    add_people(1, 2, 3)
    assert TABLE not in update_statistics()
    add_people(4)
    assert TABLE in update_statistics()
    assert read_count() == 4


@pytest.mark.sqlite
def test_a_table_is_counted_again_when_it_has_doubled():
    add_people(1, 2, 3, 4)
    update_statistics()
    add_people(5, 6, 7)
    assert TABLE not in update_statistics()
    add_people(8)
    assert TABLE in update_statistics()
    assert read_count() == 8


@pytest.mark.sqlite
def test_a_table_with_few_of_many_rows_left_has_their_number():
    add_people(1, 2, 3, 100)
    assert TABLE in update_statistics()
    User.objects.filter(pk__lt=100).delete()
    update_statistics()
    assert read_count() == 1


@pytest.mark.sqlite
def test_upkeep_collects_them():
    add_people(1, 2, 3, 4)
    upkeep.run_upkeep()
    assert read_count() == 4


@pytest.mark.postgres
def test_postgresql_collects_its_own():
    add_people(1, 2, 3, 4)
    assert update_statistics() == []
