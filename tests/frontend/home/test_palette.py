"""What Ctrl K finds."""

from tests.frontend.conftest import REPLY


def list_titles(client, q: str = "") -> dict[str, list[str]]:
    groups = client.get("/search.json", {"q": q}).json()["groups"]
    return {group["name"]: [item["title"] for item in group["items"]] for group in groups}


def test_templates_are_found_by_words_in_any_order(reply, browser):
    assert list_titles(browser("reader"), "reply support")["Templates"] == [REPLY]


def test_an_outsider_finds_nothing_of_it(reply, browser):
    titles = list_titles(browser("outsider"), "refunds")
    assert titles["Templates"] == titles["Changes"] == []


def test_open_changes_are_found_by_their_message(reply, browser):
    reply.propose(2, "Quote the policy line")
    assert list_titles(browser("reader"), "quote")["Changes"] == ["Quote the policy line"]
    assert list_titles(browser("reader"), "nothing like it")["Changes"] == []


def test_without_words_the_actions_are_offered(desk, browser):
    assert "Create a template" in list_titles(browser("author"))["Actions"]


def test_a_stranger_is_sent_to_the_login(client):
    assert client.get("/search.json").url.startswith("/login")


def test_words_in_the_name_come_before_words_in_the_text(desk, browser):
    desk.save(name="support/a-first")
    desk.save(name="support/refund")
    assert list_titles(browser("author"), "refund")["Templates"] == ["support/refund", "support/a-first"]


def test_names_that_begin_with_the_letters_come_before_names_that_have_them_inside(desk, browser):
    desk.save(name="support/a-rest-reply")
    desk.save(name="support/forest")
    desk.save(name="support/rest/a-first")
    desk.save(name="support/rest-of-it")
    desk.save(name="support/rest")
    found = list_titles(browser("author"), "rest")["Templates"]
    assert found == [
        "support/rest",
        "support/rest-of-it",
        "support/rest/a-first",
        "support/a-rest-reply",
        "support/forest",
    ]


def test_a_template_says_where_it_is_edited_and_an_action_does_not(reply, browser):
    groups = browser("author").get("/search.json", {"q": "re"}).json()["groups"]
    edits = {item["title"]: item.get("edit") for group in groups for item in group["items"]}
    assert edits[REPLY] == f"/t/{REPLY}/-/edit#text"
    assert edits["Create a template"] is None


def test_an_action_that_begins_with_the_words_comes_before_texts_that_have_them(desk, browser):
    desk.save(name="support/a-first")
    assert next(iter(list_titles(browser("author"), "crea"))) == "Actions"
    desk.save(name="support/create-a-ticket")
    assert next(iter(list_titles(browser("author"), "crea"))) != "Actions"
    assert next(iter(list_titles(browser("author")))) != "Actions"
