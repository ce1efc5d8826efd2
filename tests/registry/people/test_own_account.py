"""A person's own account: name, time zone, and an address confirmed by mail."""

import re
import time

import pytest
from django.core import mail as outbox

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.accounts.signin.provider_accounts import find_accounts
from registry.core.errors import Conflict, Invalid, NotAllowed, ProofRequired, TooLarge
from registry.namespaces import keys
from registry.people import own_account


@pytest.fixture
def mailing(settings):
    settings.MAIL_IS_SENT = True


def _sent_token() -> str:
    """The token of the newest link that was mailed."""
    return str(re.findall(r"/account/address/(\S+)", str(outbox.outbox[-1].body))[0])


def _reload(actor: Actor) -> User:
    return User.objects.get(pk=actor.person.pk)


def test_a_person_sets_their_name_and_time_zone(author):
    own_account.set_profile(actor=author, full_name=" An Author ", time_zone="Europe/Zurich")
    assert (_reload(author).display_name, _reload(author).time_zone) == ("An Author", "Europe/Zurich")
    own_account.set_profile(actor=author, time_zone="UTC")
    assert (_reload(author).display_name, _reload(author).time_zone) == ("An Author", "")


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "../../etc/passwd", "/etc/localtime", "x" * 300, "a\0b", "Europe"])
def test_an_unknown_time_zone_is_refused(author, zone):
    with pytest.raises(Invalid, match="time_zone"):
        own_account.set_profile(actor=author, time_zone=zone)
    assert _reload(author).time_zone == ""


def test_a_key_changes_nothing(admin, author):
    key = keys.issue_key(actor=admin, namespace="support", name="bot", scope="write", person="author").key
    for change in (
        lambda actor: own_account.set_profile(actor=actor, full_name="Bot"),
        lambda actor: own_account.change_address(actor=actor, email="bot@example.org"),
        lambda actor: own_account.confirm_address(actor=actor, token="x"),
    ):
        with pytest.raises(NotAllowed):
            change(Actor(author.person, key))


@pytest.mark.usefixtures("mailing")
def test_an_address_is_used_once_its_link_was_opened(author):
    assert own_account.change_address(actor=author, email="author@example.org") is True
    assert (_reload(author).email, outbox.outbox[-1].to) == ("", ["author@example.org"])
    own_account.confirm_address(actor=author, token=_sent_token())
    assert (_reload(author).email, _reload(author).is_address_unproven) == ("author@example.org", False)


@pytest.mark.usefixtures("mailing")
def test_a_link_works_once_and_for_its_person_only(author, reviewer):
    own_account.change_address(actor=author, email="author@example.org")
    token = _sent_token()
    with pytest.raises(Conflict, match="another account"):
        own_account.confirm_address(actor=reviewer, token=token)
    own_account.confirm_address(actor=author, token=token)
    own_account.change_address(actor=Actor(_reload(author)), email="")
    own_account.set_profile(actor=Actor(_reload(author)), full_name="x")
    User.objects.filter(pk=author.person.pk).update(email="later@example.org")
    with pytest.raises(Conflict, match="changed after"):
        own_account.confirm_address(actor=author, token=token)


@pytest.mark.usefixtures("mailing")
def test_an_old_or_broken_link_is_refused(author, monkeypatch):
    own_account.change_address(actor=author, email="author@example.org")
    token = _sent_token()
    with pytest.raises(Conflict, match="is incomplete"):
        own_account.confirm_address(actor=author, token=token[:-1] + ("a" if token[-1] != "a" else "b"))
    monkeypatch.setattr(time, "time", lambda: 2e10)
    with pytest.raises(Conflict, match="older than 3 days"):
        own_account.confirm_address(actor=author, token=token)


@pytest.mark.parametrize("email", ["author", "a@b", "a b@example.org", "x" * 260 + "@example.org"])
def test_something_that_is_not_an_address_is_refused(author, email):
    with pytest.raises((Invalid, TooLarge), match="email"):
        own_account.change_address(actor=author, email=email)


def test_without_a_mail_server_it_holds_immediately_and_no_provider_finds_the_account_by_it(author, settings):
    settings.MAIL_IS_SENT = False
    assert own_account.change_address(actor=author, email="boss@example.org") is False
    assert (_reload(author).email, find_accounts("boss@example.org")) == ("boss@example.org", [])
    boss = User.objects.create(username="boss", email="boss@example.org")
    assert find_accounts("boss@example.org") == [boss]


def test_another_address_takes_a_fresh_proof(author):
    with pytest.raises(ProofRequired):
        own_account.change_address(actor=Actor(author.person, missing_proof="password"), email="author@example.org")
