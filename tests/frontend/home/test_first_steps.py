"""The first steps on the home page: shown to people who may write, ticked by their actions, and dismissible."""

import pytest
from django.utils import timezone

from registry.namespaces import keys
from registry.templates import drafts
from tests.frontend.conftest import DOCUMENT, read_html


def list_steps(page):
    return page.count("To do:"), page.count("Done:")


@pytest.mark.parametrize("role", ["author", "reviewer", "admin"])
def test_authors_and_admins_see_the_first_steps(role, desk, browser):
    page = read_html(browser(role).get("/"))
    assert "Getting started" in page
    assert list_steps(page) == (4 if role == "author" else 5, 0)


def test_readers_see_no_steps(desk, browser):
    assert "Getting started" not in read_html(browser("reader").get("/"))


def test_a_draft_ticks_the_first_step(desk, browser):
    drafts.save_draft(actor=desk.actor("author"), namespace="demo", path="mine", document=DOCUMENT)
    assert list_steps(read_html(browser("author").get("/"))) == (3, 1)


def test_a_version_and_a_change_tick_their_steps(reply, browser):
    reply.propose(2)
    assert list_steps(read_html(browser("author").get("/"))) == (1, 3)


def test_a_review_ticks_the_step_of_a_reviewer(reply, browser):
    assert list_steps(read_html(browser("reviewer").get("/"))) == (4, 1)


def test_the_list_ends_once_all_is_done(reply, browser):
    issued = keys.issue_key(actor=reply.actor("admin"), namespace="support", person="author", name="shop", scope="read")
    issued.key.last_used_at = timezone.now()
    issued.key.save(update_fields=["last_used_at"])
    assert "Getting started" not in read_html(browser("author").get("/"))


def test_closing_the_list_holds_for_the_person_and_for_nobody_else(desk, browser):
    response = browser("author").post("/first-steps/close", follow=True)
    assert response.redirect_chain == [("/", 302)]
    assert "To do:" not in read_html(response)
    assert "To do:" not in read_html(browser("author").get("/"))
    assert "To do:" in read_html(browser("reviewer").get("/"))


def test_the_menu_of_every_page_shows_a_hidden_list_again(desk, browser):
    author = browser("author")
    assert "/first-steps/open" not in author.get("/t/").content.decode()
    author.post("/first-steps/close")
    assert 'action="/first-steps/open"' in author.get("/t/").content.decode()
    response = author.post("/first-steps/open", follow=True)
    assert response.redirect_chain == [("/", 302)]
    assert list_steps(read_html(response)) == (4, 0)
    assert "/first-steps/open" not in response.content.decode()


def test_a_hidden_list_without_a_step_left_says_so_when_it_is_shown(desk, browser):
    browser("reader").post("/first-steps/close")
    page = read_html(browser("reader").post("/first-steps/open", follow=True))
    assert "There is no first step left to take." in page
    assert "To do:" not in page
