"""The account page: name, time zone, address, sessions."""

import re
from datetime import UTC, datetime

import pytest
from django.core import mail as outbox
from django.test import Client

from frontend.web.time_zones import list_time_zones
from registry.accounts.models import User
from registry.templates.models import Version
from tests.frontend.accounts.test_sign_in import sign_in
from tests.frontend.conftest import REPLY, read_html


def test_name_and_time_zone_are_saved(desk, browser):
    client = browser("author")
    sent = {"do": "profile", "full_name": "An Author", "time_zone": "Asia/Kolkata"}
    page = read_html(client.post("/account", sent, follow=True))
    assert 'value="An Author"' in page
    assert '<option value="Asia/Kolkata" selected>Kolkata</option>' in page


def test_times_on_pages_follow_the_time_zone(reply, browser):
    User.objects.filter(username="reader").update(time_zone="Asia/Kolkata")
    at, path = Version.objects.get(number=1).created_at, f"/t/{REPLY}/-/versions"
    kolkata = datetime.fromtimestamp(at.timestamp() + 5.5 * 3600, UTC)
    assert f'title="{kolkata:%-d %B %Y, %H:%M:%S} IST"' in read_html(browser("reader").get(path))
    assert f'title="{at:%-d %B %Y, %H:%M:%S} UTC"' in read_html(browser("author").get(path))


def test_an_unknown_zone_in_the_database_is_read_as_utc(desk, browser):
    User.objects.filter(username="reader").update(time_zone="Europe/Atlantis")
    assert browser("reader").get("/account").status_code == 200


def test_a_wrong_zone_is_refused_and_what_was_typed_stays(desk, browser):
    answer = browser("author").post("/account", {"do": "profile", "full_name": "Typed", "time_zone": "Mars/Base"})
    assert answer.status_code == 422
    assert "There is no time zone Mars/Base." in read_html(answer)
    assert 'value="Typed"' in read_html(answer)


def test_zones_are_listed_by_continent():
    zones = dict(list_time_zones())
    assert ("Europe/Zurich", "Zurich") in zones["Europe"]
    assert ("America/Argentina/Buenos_Aires", "Argentina/Buenos Aires") in zones["America"]


def test_an_address_is_confirmed_by_the_link_in_the_mail(desk, browser, settings):
    settings.MAIL_IS_SENT = True
    client = browser("author")
    page = read_html(client.post("/account", {"do": "address", "email": "author@example.org"}, follow=True))
    assert "Open the link in the mail to author@example.org" in page
    link = re.findall(r"(/account/address/\S+)", str(outbox.outbox[-1].body))[0]
    assert "send your mail to author@example.org" in read_html(client.get(link))
    assert User.objects.get(username="author").email == ""
    assert "Mail goes to author@example.org from now on." in read_html(client.post(link, follow=True))
    assert User.objects.get(username="author").email == "author@example.org"
    assert browser("reviewer").get(link).status_code == 409


def test_a_wrong_address_is_refused(desk, browser):
    answer = browser("author").post("/account", {"do": "address", "email": "nowhere"})
    assert (answer.status_code, "nowhere is not a mail address." in read_html(answer)) == (422, True)


def test_mails_are_not_sent_without_end(desk, browser, settings):
    settings.MAIL_IS_SENT = True
    client = browser("author")
    sent = {"do": "address", "email": "author@example.org"}
    statuses = [client.post("/account", sent).status_code for _ in range(6)]
    assert statuses == [302] * 5 + [429]


def test_a_session_is_listed_and_ended(desk):
    here, there = Client(headers={"User-Agent": "Firefox/128.0 (Windows)"}), Client()
    assert sign_in(here)["Location"] == sign_in(there)["Location"] == "/"
    page = read_html(here.get("/account"))
    assert "Firefox on Windows" in page
    session = re.findall(r'name="session" value="(\d+)"', page)
    assert len(session) == 1
    assert "The session ended." in read_html(here.post("/account", {"do": "end", "session": session[0]}, follow=True))
    assert there.get("/")["Location"].startswith("/login")
    assert here.get("/").status_code == 200


def test_all_others_end_and_this_one_holds(desk):
    here, *others = Client(), Client(), Client()
    for client in (here, *others):
        sign_in(client)
    page = read_html(here.post("/account", {"do": "end_others"}, follow=True))
    assert "2 other sessions ended." in page
    assert [client.get("/").status_code for client in others] == [302, 302]


@pytest.mark.parametrize("watch", ["all", "none"])
def test_notification_rules_are_described_in_words(desk, browser, watch):
    client = browser("author")
    everywhere = "mail about what waits for you and what happens to your own work."
    assert f"Everywhere: {everywhere}" in read_html(client.get("/account"))
    client.post("/mail", {"namespace": "support", "template": "refunds/*", "level": watch})
    page = read_html(client.get("/account"))
    assert f"Everywhere else: {everywhere}" in page
    rule = {"all": "mail about everything", "none": "no mail"}[watch]
    assert f"In support, refunds/*: {rule}." in page
