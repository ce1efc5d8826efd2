"""Keys from the command line."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from registry.accounts.models import Key
from registry.journal import log
from registry.namespaces import key_queries

BASE = ["createkey", "support", "--person", "author"]


def make(capsys, *options):
    call_command(*BASE, *options)
    return key_queries.authenticate_key(capsys.readouterr().out.strip()).key


def test_a_scope_makes_a_key_of_that_set(support, capsys):
    key = make(capsys, "--scope", "write", "--name", "ci")
    assert (key.name, key.scope, key.labels, key.approved_only) == ("ci", "write", [], None)


def test_without_more_said_it_fetches_only_and_ends_after_ninety_days(support, capsys):
    key = make(capsys)
    assert (key.scope, key.verbs) == (Key.CHOSEN, ["fetch"])
    assert 89 <= (key.expires_at - log.now()).days <= 90


def test_it_never_ends_where_that_is_asked_for(support, capsys):
    assert make(capsys, "--scope", "read", "--never-expires").expires_at is None


def test_verbs_labels_days_and_versions_limit_it(support, capsys):
    key = make(capsys, "--verbs", "fetch, move", "--labels", "staging,canary", "--days", "30", "--any-version")
    assert (key.verbs, key.labels, key.approved_only) == (["fetch", "move"], ["staging", "canary"], False)
    assert 29 <= (key.expires_at - log.now()).days <= 30


@pytest.mark.parametrize(
    "options",
    [
        ["--scope", "read", "--verbs", "fetch"],
        ["--verbs", "approve"],
        ["--verbs", ","],
        ["--scope", "read", "--labels", "latest"],
        ["--scope", "read", "--days", "0"],
        ["--scope", "read", "--days", "30", "--never-expires"],
        ["--scope", "read", "--approved-only", "--any-version"],
    ],
)
def test_invalid_options_are_refused(support, options):
    with pytest.raises(CommandError):
        call_command(*BASE, *options)
    assert not Key.objects.exists()


def test_addresses_limit_it(support, capsys):
    call_command(*BASE, "--scope", "read", "--addresses", "203.0.113.7, 2001:db8::/32")
    secret = capsys.readouterr().out.strip()
    key = key_queries.authenticate_key(secret, "203.0.113.7").key
    assert key.addresses == ["203.0.113.7/32", "2001:db8::/32"]
