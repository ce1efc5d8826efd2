"""Rows that are written once per process and inserted in later tests, after whatever the test itself has written."""

import pytest
from django.db import transaction

from registry.accounts.models import User
from tests.support.recorded_rows import write_or_insert

pytestmark = pytest.mark.dialect
WRITTEN: list[str] = []


def make_person(name: str) -> int:
    """Make a person, by a recording of this name; their number."""

    def write() -> int:
        WRITTEN.append(name)
        return User.objects.create(username=name).pk

    return write_or_insert(f"recorded {name}", write)


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_rows_are_written_in_the_first_test_and_inserted_in_the_others(db, turn):
    numbers = [make_person("first"), make_person("second")]
    assert [User.objects.get(username=name).pk for name in ("first", "second")] == numbers
    assert WRITTEN.count("first") == WRITTEN.count("second") == 1
    assert User.objects.create(username="later").pk > max(numbers)


@pytest.mark.parametrize("turn", [1, 2])
def test_other_rows_before_are_kept(db, turn):
    own = User.objects.create(username="own")
    number = make_person("third")
    assert number != own.pk
    assert set(User.objects.values_list("username", flat=True)) == {"own", "third"}


@pytest.mark.parametrize("turn", [1, 2])
def test_rows_that_were_rolled_back_are_inserted_again(db, turn):
    with transaction.atomic():
        make_person("fourth")
        transaction.set_rollback(True)
    assert not User.objects.exists()
    make_person("fourth")
    make_person("fifth")
    assert sorted(User.objects.values_list("username", flat=True)) == ["fifth", "fourth"]


def test_rows_are_written_again_where_a_row_of_the_test_has_their_number(db):
    with transaction.atomic():
        User.objects.create(username="own")
        number = make_person("eighth")
        transaction.set_rollback(True)
    User.objects.create(pk=number, username="own")
    assert make_person("eighth") != number
    assert set(User.objects.values_list("username", flat=True)) == {"own", "eighth"}


def test_a_changed_row_is_no_reason_to_insert_twice(db):
    make_person("sixth")
    User.objects.filter(username="sixth").update(email="sixth@example.org")
    make_person("seventh")
    assert User.objects.get(username="sixth").email == "sixth@example.org"
    assert User.objects.count() == 2


def test_a_changed_result_changes_no_recording(db):
    for _ in range(2):
        with transaction.atomic():
            found = write_or_insert("recorded list", lambda: [1])
            found.append(2)
            transaction.set_rollback(True)
    assert write_or_insert("recorded list", lambda: [1]) == [1]
