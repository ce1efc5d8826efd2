"""Unused keys on the home page, and their mark in the lists of keys."""

from datetime import timedelta

import pytest

from registry.accounts.models import Key
from registry.journal import log
from registry.namespaces import keys
from tests.frontend.conftest import read_html


@pytest.fixture
def key(reply) -> Key:
    issued = keys.issue_key(
        actor=reply.actor("admin"), namespace="support", name="chat", verbs=["fetch"], person="author"
    )
    Key.objects.update(created_at=log.now() - timedelta(days=61))
    return issued.key


def test_home_names_it_to_those_who_may_revoke_it(key, browser):
    for username, path in (("author", "/account/keys"), ("admin", "/n/support/keys")):
        page = read_html(browser(username).get("/"))
        assert "Keys that nobody uses</h2>" in page
        assert "in support, acts for author, never used" in page
        assert f'href="{path}?revoke={key.id}"' in page
    assert "Keys that nobody uses" not in read_html(browser("reviewer").get("/"))


def test_home_shows_five_and_counts_the_rest(key, reply, browser):
    for number in range(6):
        keys.issue_key(actor=reply.actor("admin"), namespace="support", name=f"chat{number}", verbs=["fetch"])
    Key.objects.update(created_at=log.now() - timedelta(days=61))
    page = read_html(browser("admin").get("/"))
    assert page.count("never used") == 5
    assert "And 2 more." in page


def test_the_lists_of_keys_mark_it(key, browser):
    mark = "not used for a long time: revoke it?"
    for username, path in (("author", "/account/keys"), ("admin", "/n/support/keys")):
        assert mark in read_html(browser(username).get(path))
    Key.objects.update(last_used_at=log.now())
    assert mark not in read_html(browser("admin").get("/n/support/keys"))
