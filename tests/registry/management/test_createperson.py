"""manage.py createperson and forgetsecondstep: accounts from the command line."""

import io
import json

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command

from registry.accounts.models import User
from registry.journal.models import Event

pytestmark = pytest.mark.django_db
GOOD = "correct horse battery"


@pytest.fixture
def typed(monkeypatch):
    """What is piped into the command."""

    def pipe(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return pipe


def test_an_account_is_made_with_the_password_of_standard_input(typed):
    typed(GOOD + "\n")
    call_command("createperson", "author", "--email", "author@example.org", "--name", "An Author")
    made = User.objects.get(username="author")
    assert made.check_password(GOOD)
    assert (made.email, made.display_name, made.is_superuser) == ("author@example.org", "An Author", False)


def test_the_output_names_the_next_step_or_the_admin_to_ask(capsys):
    call_command("createperson", "first", "--no-password")
    assert "manage.py createnamespace support --admin first --protect production" in capsys.readouterr().out
    call_command("createnamespace", "support", "--admin", "first")
    capsys.readouterr()
    call_command("createperson", "second", "--no-password")
    assert "An admin can make them a member of a namespace." in capsys.readouterr().out


def test_an_account_for_single_sign_on_needs_no_password():
    call_command("createperson", "author", "--email", "author@example.org", "--no-password")
    assert not User.objects.get(username="author").has_usable_password()


@pytest.mark.parametrize(
    ("options", "password", "words"),
    [
        (["Not A Name"], GOOD, "username"),
        (["operator"], GOOD, "username"),
        (["author"], "short", "password"),
        (["author"], "", "password"),
        (["author", "--email", "nowhere"], GOOD, "not a mail address"),
    ],
)
def test_invalid_options_are_refused_and_no_account_is_created(typed, options, password, words):
    typed(password + "\n")
    with pytest.raises(CommandError, match=words):
        call_command("createperson", *options)
    assert not User.objects.filter(username="author").exists()


def test_a_name_that_is_taken_is_shown(typed):
    User.objects.create(username="author")
    typed(GOOD + "\n")
    with pytest.raises(CommandError, match="already"):
        call_command("createperson", "author")


def test_a_lost_second_step_is_switched_off(capsys):
    person = User.objects.create(username="author")
    Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data={"secret": "x"})
    call_command("forgetsecondstep", "author")
    assert not Authenticator.objects.exists()
    assert "The second step of author is off" in capsys.readouterr().out
    event = Event.objects.get(kind="person.second_step_reset")  # approvals and caches follow from it
    assert (event.person, json.loads(event.text)["body"]["person"]) == ("operator", "author")
    with pytest.raises(CommandError, match="author has no two-step sign-in"):
        call_command("forgetsecondstep", "author")


def test_the_second_step_of_nobody_is_refused():
    with pytest.raises(CommandError, match="There is no account nobody"):
        call_command("forgetsecondstep", "nobody")
