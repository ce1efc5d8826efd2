"""The template page."""

import pytest

from registry.changes import check_results, rules
from registry.namespaces.services import create_namespace
from registry.templates import labels
from tests.frontend.conftest import DOCUMENT, REPLY, read_html


def test_it_shows_the_live_version_and_what_each_label_serves(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}"))
    assert "published by <b>author</b>" in page
    assert ", 1 approval " in page
    assert "owned by author" in page
    assert "Use only the policy." in page
    assert '<span class="badge" title="against production">1 ahead</span>' in page


@pytest.mark.parametrize("ref", ["2", "latest"])
def test_a_ref_in_the_address_shows_that_version(reply, browser, ref):
    assert "Quote the policy before you answer." in read_html(browser("reader").get(f"/t/{REPLY}?ref={ref}"))


def test_a_digest_in_the_address_shows_that_version(reply, browser):
    digest = reply.save(OTHER_WORDS).digest
    assert "Be brief." in read_html(browser("reader").get(f"/t/{REPLY}?ref={digest}"))


def test_an_unknown_ref_says_what_there_is(reply, browser):
    answer = browser("reader").get(f"/t/{REPLY}?ref=7")
    assert answer.status_code == 404
    assert "has no version 7; its latest is 2." in read_html(answer)


def test_the_prompt_is_rendered_on_the_sample_with_marked_values(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}?sample=late"))
    assert "Harbour Books</span>. Use only the policy." in page
    assert '<span class="value" data-at="14:5" title="question, line 14">Where is it?</span>' in page


def test_htmx_gets_the_rendered_prompt_alone(reply, browser):
    answer = browser("reader").get(f"/t/{REPLY}?sample=late", headers={"HX-Request": "true", "HX-Target": "rendered"})
    assert read_html(answer).startswith('<section class="section" id="rendered"')


def test_inputs_are_described_in_plain_words(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}"))
    assert "what callers must send to v1: 1 required, 1 with a default" in page
    assert "text, up to 4,000" in page
    assert ">untrusted<" in page


def test_a_sample_that_no_longer_renders_shows_the_reason_and_not_an_error(desk, browser):
    desk.save("---\n{}\n---\n- name: a\n  content: '{{ missing }}'\n")
    desk.save("- name: a\n  content: '{{ missing }} again'\n", samples={"empty": {"missing": "x"}})
    page = read_html(browser("reader").get(f"/t/{REPLY}?ref=1"))
    assert "missing" in page


def test_a_value_is_shown_as_its_characters(desk, browser):
    desk.save(samples={"evil": {"question": "<script>alert(1)</script> {{ 7*7 }}"}})
    page = read_html(browser("reader").get(f"/t/{REPLY}"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7*7 }}" in page
    assert "<script>alert(1)" not in page


def test_each_role_is_offered_what_it_may_do(reply, browser):
    reader, author = (read_html(browser(role).get(f"/t/{REPLY}")) for role in ("reader", "author"))
    assert f'href="/t/{REPLY}/-/edit"' not in reader
    assert f'href="/t/{REPLY}/-/edit"' in author
    assert f'href="/t/{REPLY}/-/propose?label=production"' in author


def test_a_label_says_which_change_is_open(reply, browser):
    number = reply.propose(2).number
    assert f'<a href="/changes/{number}">Change {number}</a>' in read_html(browser("reader").get(f"/t/{REPLY}"))


def test_an_unprotected_label_can_be_moved_from_the_page(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=2, expected=None)
    assert f'href="/t/{REPLY}/-/labels?label=staging"' in read_html(browser("author").get(f"/t/{REPLY}"))


def test_the_page_of_a_template_needs_few_queries(reply, browser, django_assert_max_num_queries):
    client = browser("reader")
    with django_assert_max_num_queries(46):
        client.get(f"/t/{REPLY}")


def test_an_outsider_finds_nothing(reply, browser):
    assert browser("outsider").get(f"/t/{REPLY}").status_code == 404


OTHER_WORDS = DOCUMENT.replace("Use only the policy.", "Be brief.")


@pytest.mark.parametrize(("ref", "ends"), [("", "from=1&amp;to=2"), ("2", "from=1&amp;to=2"), ("1", "from=1&amp;to=2")])
def test_the_head_compares_the_version_with_the_newest_or_the_one_before(reply, browser, ref, ends):
    page = browser("reader").get(f"/t/{REPLY}?ref={ref}").content.decode()
    assert f'href="/t/{REPLY}/-/diff?{ends}">Compare</a>' in page


def test_only_who_writes_tries_and_evaluates_from_the_head(reply, browser):
    page = browser("author").get(f"/t/{REPLY}").content.decode()
    assert f'href="/t/{REPLY}/-/edit?view=run">Try it</a>' in page
    assert "Evaluate v1" in page
    reader = browser("reader").get(f"/t/{REPLY}").content.decode()
    assert "Try it</a>" not in reader
    assert "Duplicate to a namespace of yours" not in reader


def test_a_reader_duplicates_where_they_write(reply, browser):
    create_namespace(actor=reply.actor("reader"), name="mine")
    assert "Duplicate to a namespace of yours" in browser("reader").get(f"/t/{REPLY}").content.decode()


def test_the_rail_and_the_list_say_how_the_checks_of_a_version_ended(reply, browser):
    client = browser("reader")
    assert "checks passed" not in read_html(client.get(f"/t/{REPLY}"))
    assert "checks passed" not in read_html(client.get("/t/"))
    passed = reply.propose(2)
    check_results.run_checks(number=passed.number)
    for address in (f"/t/{REPLY}", "/t/"):
        page = read_html(client.get(address))
        assert '<span class="check-summary ok">' in page, address
        assert '4 of 4<span class="visually-hidden"> checks passed</span>' in page, address
    rules.set_rules(actor=reply.actor("admin"), namespace="support", required_checks=["contract"])
    breaking = DOCUMENT.replace("inputs:\n", "inputs:\n  order: {type: string}\n")
    reply.save(breaking.replace("You help", "{{ order }}: help"), samples={"one": {"question": "Why?", "order": "7"}})
    failed = reply.propose(3)
    check_results.run_checks(number=failed.number)
    for address in (f"/t/{REPLY}", "/t/"):
        page = read_html(client.get(address))
        assert '<span class="visually-hidden">failed checks:</span>' in page, address
        assert "is new and required" in page, address
