"""A reader follows a template and gets mail with what the model reads differently; Slack and Teams get it too."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, Server, Visit
from tests.browser.test_risky_acts import fits
from tests.support.hook_receiver import Receiver, receive_hooks
from tests.support.mail_receiver import Mailbox, receive_mail
from tests.support.server_process import wait_until
from tests.support.small_site import NAME, open_small_site


@dataclass
class Office:
    """Where mail and messages of the server go."""

    mailbox: Mailbox
    channel: Receiver
    team: Receiver


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    with receive_mail() as mailbox, receive_hooks() as channel, receive_hooks() as team:
        yield Office(mailbox, channel, team)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, office: Office) -> Iterator[Server]:
    facts = {"PROMPTUARY_EMAIL_URL": office.mailbox.url, "PROMPTUARY_OUTBOUND_HOSTS": "127.0.0.1"}
    with open_small_site(tmp_path_factory.mktemp("following"), **facts) as site:
        yield site


@pytest.fixture(scope="module")
def sessions() -> dict[str, list[Any]]:
    return {}


def test_a_follower_gets_mail_with_the_difference_and_a_channel_gets_a_message(visit: Visit, office: Office):
    reader = visit.open("reader", f"/t/{NAME}/-/follow", viewport=PHONE, color_scheme="dark")
    assert fits(reader)
    with reader.expect_response(lambda answer: answer.request.method == "POST"):
        reader.get_by_role("button", name="Follow", exact=True).click()
    reader.goto("/mail")
    expect(reader.locator("main")).to_contain_text(re.compile(r"support\s*/ reply"))

    admin = visit.open("admin", "/n/support/webhooks")
    for receiver, address in (("slack", office.channel.url), ("teams", office.team.url)):
        admin.goto("/n/support/webhooks")
        admin.get_by_label("Sent to").select_option(receiver)
        admin.get_by_role("textbox", name="Address").fill(address)
        admin.get_by_role("button", name="Add webhook").click()
        expect(admin.get_by_role("button", name="Send a test message")).to_be_visible()

    author = visit.open("author", f"/t/{NAME}/-/propose?label=production&version=2")
    author.get_by_label("Title").fill("Promise less")
    author.get_by_label("Why").fill("Two days is what we can do.")
    author.get_by_role("button", name="Propose v2").click()
    author.wait_for_url(re.compile(r"/changes/\d+$"))
    path = re.sub(r"^https?://[^/]+", "", author.url)

    wait_until(lambda: office.mailbox.find_messages("reader@example.org", "Promise less"))
    (message,) = office.mailbox.find_messages("reader@example.org", "Promise less")
    for kind in ("plain", "html"):
        body = message.get_body((kind,))
        assert body is not None
        text = body.get_content()
        assert "Two days is what we can do." in text
        assert path in text
        assert "at once" in text
        assert "in two days" in text

    wait_until(lambda: [body for _, body in office.channel.heard if b"Promise less" in body])
    (told,) = [json.loads(body) for _, body in office.channel.heard if b"Promise less" in body]
    assert told["blocks"]
    assert path in json.dumps(told)

    wait_until(lambda: [body for _, body in office.team.heard if b"Promise less" in body])
    (told,) = [json.loads(body) for _, body in office.team.heard if b"Promise less" in body]
    (attachment,) = told["attachments"]
    assert attachment["content"]["type"] == "AdaptiveCard"
    assert path in json.dumps(attachment["content"])
