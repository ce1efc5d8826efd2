"""The panel "What can this key do?", and what a new key starts with."""

import re

import pytest

from registry.namespaces import keys
from tests.frontend.conftest import REPLY, words


@pytest.fixture
def key(reply):
    issued = keys.issue_key(
        actor=reply.actor("admin"), namespace="support", name="chat", verbs=["fetch"], labels=["production"]
    )
    return issued.key


def test_the_panel_says_what_the_key_can_do(key, browser):
    page = words(browser("admin").get(f"/n/support/keys?can={key.id}"))
    assert "<b>Can fetch</b> what production serves, where it is approved, in the one template of support." in page
    assert "No key can ever." in page
    assert "What can this key do?" not in words(browser("admin").get("/n/support/keys?can=nothing"))


def test_a_trial_shows_what_the_server_would_answer(key, browser):
    client, path = browser("admin"), f"/n/support/keys?can={key.id}&act=fetch&template={REPLY}"
    allowed = words(client.get(f"{path}&ref=production"))
    assert re.search(r"Allowed, 200</b> fetch support/refunds/reply@production", allowed)
    assert "Would return v1" in allowed
    refused = words(client.get(f"{path}&ref=2"))
    assert "Refused, 403</b>" in refused
    assert "is not" in refused
    assert "Say which version or label" in words(client.get(path))


def test_a_new_key_starts_as_fetch_only_for_ninety_days(reply, browser):
    page = words(browser("admin").get("/n/support/keys"))
    assert '<option value="chosen" selected>' in page
    assert '<option value="90" selected>' in page
    boxes = re.findall(r'name="verbs" value="(\w+)"( checked)?', page)
    assert [verb for verb, checked in boxes if checked] == ["fetch"]
