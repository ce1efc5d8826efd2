"""Environments: which version every label of every template holds, what is behind, and the way back."""

import re

from registry.templates import labels
from tests.frontend.conftest import OTHER, REPLY, words


def test_each_label_tells_its_version_and_what_is_behind(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=2, expected=None)
    page = words(browser("reader").get("/environments/"))
    assert "1 template, 1 behind" in page
    heads = re.findall(r'<th scope="col"><span class="pill[^"]*">(?:<svg.*?</svg>)?([\w-]+)', page)
    assert heads == ["latest", "staging", "production"]
    assert re.search(
        r"<b>v1</b> <span class=\"faint\"><time.*?</time></span> <span class=\"badge\">1 behind</span>", page
    )


def test_a_protected_label_that_was_never_set_is_shown_as_such(reply, browser):
    reply.save(name="support/triage")
    page = words(browser("reader").get("/environments/"))
    assert '<td class="is-unset">' in page
    assert "not set" in page


def test_a_reviewer_is_offered_the_way_back_once_there_is_one(reply, browser):
    assert "Roll back" not in words(browser("reviewer").get("/environments/"))
    reply.publish(2)
    page = words(browser("reviewer").get("/environments/"))
    assert f'href="/t/{REPLY}/-/labels?label=production&amp;version=1">Roll back to v1' in page
    assert "Roll back" not in words(browser("author").get("/environments/"))


def test_an_author_may_ask_to_move_what_is_behind_and_a_reader_may_not(reply, browser):
    address = f'href="/t/{REPLY}/-/propose?label=production&amp;version=2">Ask to move'
    assert address in words(browser("author").get("/environments/"))
    assert "Ask to move" not in words(browser("reader").get("/environments/"))


def test_only_what_is_behind_is_shown_when_asked_for(reply, browser):
    reply.save(name="support/triage")
    page = words(browser("reader").get("/environments/?show=behind"))
    assert REPLY in page
    assert "support/triage" not in page
    reply.publish(2)
    assert "Nothing is behind" in words(browser("reader").get("/environments/?show=behind"))


def test_templates_are_found_by_words_of_their_names(reply, browser):
    reply.save(name="support/triage")
    page = words(browser("reader").get("/environments/?q=TRI"))
    assert "/t/support/triage" in page
    assert REPLY not in page
    assert "has “zebra” in its name" in words(browser("reader").get("/environments/?q=zebra"))


def test_where_only_some_namespaces_protect_a_label_each_cell_says_so(reply, browser):
    reply.save(name="demo/triage")
    labels.move_label(actor=reply.actor("author"), name="demo/triage", label="production", version=1, expected=None)
    page = words(browser("reader").get("/environments/"))
    assert page.count("environments-mixed") == 1
    assert page.index("demo/triage") < page.index("environments-mixed")


def test_an_outsider_sees_none_of_it(reply, browser):
    assert "No templates yet that you may read." in words(browser("outsider").get("/environments/"))


def test_the_table_costs_the_same_however_long(reply, browser, django_assert_max_num_queries):
    client = browser("reviewer")
    for number in range(6):
        reply.save(OTHER, name=f"support/more/number-{number}")
    with django_assert_max_num_queries(21):
        assert words(client.get("/environments/")).count("support/more/number-") >= 6
