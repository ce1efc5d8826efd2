"""Favourites on the template's page, the home page and in Ctrl K; saved views beside the list."""

import pytest

from registry.bookmarks.models import Favourite, SavedView
from tests.frontend.conftest import REPLY, read_html

FAVOURITE = f"/t/{REPLY}/-/favourite"
PRESSED = 'value="remove" aria-pressed="true"'
VIEW = {"name": "Refunds", "folder": "support", "query": "q=refund&tag=refunds"}


@pytest.fixture
def reader(reply, browser):
    return browser("reader")


def palette(client, **query):
    groups = client.get("/search.json", query).json()["groups"]
    return {group["name"]: [item["title"] for item in group["items"]] for group in groups}


def test_a_favourite_is_on_the_home_page_and_in_the_palette(reader):
    page = read_html(reader.post(FAVOURITE, follow=True))
    assert PRESSED in page
    assert "Added to your favourites" in page
    assert '<h2 id="favourites-head">Favourites</h2>' in read_html(reader.get("/"))
    groups = palette(reader)
    assert groups["Favourites"] == [REPLY]
    assert REPLY not in groups["Templates"]
    assert palette(reader, q="nothing")["Favourites"] == []


def test_a_favourite_is_given_up(reader):
    reader.post(FAVOURITE)
    page = read_html(reader.post(FAVOURITE, {"do": "remove"}, follow=True))
    assert PRESSED not in page
    assert not Favourite.objects.exists()
    assert "favourites-head" not in read_html(reader.get("/"))


def test_readable_recent_templates_come_first(reader, browser):
    reader.post(FAVOURITE)
    groups = palette(reader, recent=[REPLY, "support/none"])
    assert (groups["Recent"], groups["Favourites"]) == ([REPLY], [])
    assert palette(browser("outsider"), recent=[REPLY])["Recent"] == []


def test_a_search_is_kept_under_a_name_and_found_next_to_the_list(reader):
    assert "Save this view" not in read_html(reader.get("/t/support/"))
    page = read_html(reader.get("/t/support/?q=refund&tag=refunds"))
    assert '<input type="hidden" name="query" value="q=refund&amp;tag=refunds">' in page
    response = reader.post("/saved-views", VIEW, follow=True)
    assert response.redirect_chain == [("/t/support/?q=refund&tag=refunds", 302)]
    row = '<a class="tree-row" href="/t/support/?q=refund&amp;tag=refunds"><span class="cut">Refunds</span>'
    assert row in read_html(reader.get("/t/"))


def test_a_view_without_a_name_comes_back_with_its_search(reader):
    answer = reader.post("/saved-views", {**VIEW, "name": ""})
    assert answer.status_code == 422
    page = read_html(answer)
    assert "This field is required" in page
    assert 'value="q=refund&amp;tag=refunds"' in page
    assert not SavedView.objects.exists()


def test_a_view_is_removed_by_its_person_only(reader, browser):
    reader.post("/saved-views", VIEW)
    view = {"do": "remove", "view": str(SavedView.objects.get().pk)}
    assert browser("author").post("/saved-views", view).status_code == 404
    assert reader.post("/saved-views", {"do": "remove", "view": "x"}).status_code == 404
    assert "The view Refunds is removed." in read_html(reader.post("/saved-views", view, follow=True))
    assert not SavedView.objects.exists()


def test_the_saved_views_of_others_are_not_shown(reader, browser):
    reader.post("/saved-views", VIEW)
    assert "Refunds" in read_html(reader.get("/saved-views"))
    assert "No saved views." in read_html(browser("author").get("/saved-views"))


def test_a_view_says_how_many_templates_it_finds_once_it_is_seen(reader):
    reader.post("/saved-views", VIEW)
    reader.post("/saved-views", {"name": "None", "folder": "", "query": "q=nowhere"})
    page = read_html(reader.get("/t/"))
    assert (
        page.count('hx-get="/saved-views?counts=1" hx-trigger="intersect once"') == 2
    )  # beside the list, and on phones
    counted = read_html(reader.get("/saved-views?counts=1"))
    assert '<span class="cut">None</span> <span class="tree-count">0</span>' in counted
    assert '<span class="cut">Refunds</span> <span class="tree-count">1</span>' in counted
    assert "hx-get" not in counted
