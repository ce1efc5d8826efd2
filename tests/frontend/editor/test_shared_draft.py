"""The page of a draft that somebody shares by link."""

import pytest

from registry.templates import drafts, shared_drafts
from tests.frontend.conftest import OTHER, REPLY, read_html

DRAFTS = f"/t/{REPLY}/-/drafts"
MINE = OTHER.replace("before you answer", "and <b>stop</b>")


@pytest.fixture
def keep(reply):
    def keep_draft(document=MINE):
        return drafts.save_draft(
            actor=reply.actor("author"), namespace="support", path="refunds/reply", document=document, base=2
        )

    return keep_draft


@pytest.fixture
def address(reply, browser, keep):
    """The link of the author's draft, shared on the page of drafts."""
    keep()
    page = browser("author").post(DRAFTS, {"do": "share", "draft": ""}, follow=True).content.decode()
    token = shared_drafts.share_draft(actor=reply.actor("author"), name=REPLY).share_token
    assert f'data-copy="http://testserver{DRAFTS}/{token}"' in page
    return f"{DRAFTS}/{token}"


def test_a_member_sees_text_and_preview_who_shares_and_since_when(browser, address):
    page = browser("reader").get(address)
    html = page.content.decode()
    assert "and &lt;b&gt;stop&lt;/b&gt;" in html
    assert "Can I return boots?" in html
    assert "author shared this draft" in read_html(page)
    assert 'data-revision="1"' in html
    assert '<button name="do" value="save"' not in html


def test_another_sample_is_shown(browser, address):
    assert "Harbour Books" in browser("reader").get(f"{address}?sample=late").content.decode()


def test_the_page_shows_each_save_of_the_draft(browser, address, keep):
    keep(MINE.replace("stop", "go on"))
    html = browser("reader").get(address).content.decode()
    assert "go on" in html
    assert 'data-revision="2"' in html


def test_a_shared_draft_that_does_not_render_shows_its_problems(browser, address, keep):
    keep(MINE.replace("{{ question }}", "{{ question"))
    page = browser("reader").get(address)
    assert page.status_code == 200
    assert "PT2" in page.content.decode()


def test_strangers_get_the_answer_of_any_page_they_may_not_see(browser, client, address):
    assert browser("outsider").get(address).status_code == 404
    answer = client.get(address)
    assert (answer.status_code, answer.url.split("?")[0]) == (302, "/login")


def test_after_stopping_there_is_no_page(browser, address):
    browser("author").post(DRAFTS, {"do": "stop", "draft": ""})
    assert browser("reader").get(address).status_code == 404
    assert "Stop sharing" not in read_html(browser("author").get(DRAFTS))
