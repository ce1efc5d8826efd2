"""Accounts of people: who may create them, and which usernames and passwords are accepted."""

import pytest

from registry.accounts import people
from registry.core.errors import Conflict, Invalid, NotAllowed

PASSWORD = "correct-horse-battery"


def test_the_operator_makes_accounts(operator):
    person = people.create_person(actor=operator, username="writer", password=PASSWORD, full_name="A Writer")
    assert person.check_password(PASSWORD)
    assert person.display_name == "A Writer"


def test_nobody_else_does(admin):
    with pytest.raises(NotAllowed):
        people.create_person(actor=admin, username="writer", password=PASSWORD)


@pytest.mark.parametrize("username", ["", "Writer", "a b", "operator", "x" * 65, "a\n"])
def test_a_username_is_plain(operator, username):
    with pytest.raises(Invalid, match="username"):
        people.create_person(actor=operator, username=username, password=PASSWORD)


def test_a_weak_password_is_refused(operator):
    with pytest.raises(Invalid, match="password"):
        people.create_person(actor=operator, username="writer", password="short")


def test_a_name_is_given_once(operator):
    people.create_person(actor=operator, username="writer", password=PASSWORD)
    with pytest.raises(Conflict):
        people.create_person(actor=operator, username="writer", password=PASSWORD)


def test_a_password_can_be_set_again(operator):
    people.create_person(actor=operator, username="writer", password=PASSWORD)
    assert people.set_password(actor=operator, username="writer", password=PASSWORD + "2").check_password(
        PASSWORD + "2"
    )
    with pytest.raises(Invalid, match="no account nobody"):
        people.set_password(actor=operator, username="nobody", password=PASSWORD)
