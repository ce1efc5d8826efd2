"""Following a template from its page."""

import re

import pytest

from registry.notifications.models import Watch
from tests.frontend.conftest import REPLY, read_html

FOLLOW = f"/t/{REPLY}/-/follow"


@pytest.fixture
def reader(reply, browser):
    return browser("reader")


def test_the_page_offers_what_others_do_to_the_template_without_single_saves(reader):
    page = read_html(reader.get(FOLLOW))
    assert f'<a href="/t/{REPLY}"><b>reply</b></a>' in page
    assert re.findall(r'value="(\w+)"\s+checked', page) == ["published", "proposed", "comments"]


def test_a_template_is_followed_for_what_was_chosen(reader):
    page = read_html(reader.post(FOLLOW, {"topics": ["published", "comments"]}, follow=True))
    assert "Following" in page
    watch = Watch.objects.get()
    assert (watch.template, watch.level, watch.topic_list) == ("refunds/reply", "all", ["published", "comments"])


@pytest.mark.parametrize("topics", [[], ["published", "proposed", "comments", "saved"]])
def test_no_topic_means_all_as_every_topic_does(reader, topics):
    reader.post(FOLLOW, {"topics": topics})
    assert Watch.objects.get().topics == ""
    assert len(re.findall(r'value="\w+"\s+checked', read_html(reader.get(FOLLOW)))) == 4


def test_following_is_stopped(reader):
    reader.post(FOLLOW, {"topics": ["published"]})
    page = read_html(reader.post(FOLLOW, {"do": "stop"}, follow=True))
    assert "You no longer follow it." in page
    assert not Watch.objects.exists()


def test_an_unknown_topic_is_refused_and_the_choice_stays_in_the_form(reader):
    answer = reader.post(FOLLOW, {"topics": ["published", "weather"]})
    assert answer.status_code == 422
    assert "weather" in read_html(answer)
    assert re.findall(r'value="(\w+)"\s+checked', read_html(answer)) == ["published"]
    assert not Watch.objects.exists()


def test_the_pages_mail_and_account_say_what_is_followed(reader):
    reader.post(FOLLOW, {"topics": ["published", "proposed"]})
    topics = "what is published, rolled back or moved, changes that are proposed"
    assert topics in " ".join(read_html(reader.get("/mail")).split())
    assert f"In support, refunds/reply: mail about {topics}." in read_html(reader.get("/account"))
