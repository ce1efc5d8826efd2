"""Properties of every page."""

import re

import pytest
from django.test import Client, override_settings

from frontend.editor.example_documents import EXAMPLES
from frontend.web import refusals
from registry.templates import document_check
from tests.frontend.conftest import REPLY, read_html

PAGES = [
    "/",
    "/t/",
    "/t/support/",
    f"/t/{REPLY}",
    f"/t/{REPLY}/-/versions",
    f"/t/{REPLY}/-/diff",
    f"/t/{REPLY}/-/diff?view=rendered",
    f"/t/{REPLY}/-/copy",
    f"/t/{REPLY}/-/samples",
    f"/t/{REPLY}/-/labels?label=staging",
    f"/t/{REPLY}/-/propose",
    "/new",
    "/changes/",
    "/changes/1",
    "/n/support/members",
    "/n/support/keys",
    "/n/support/rules",
    "/n/support/audit",
    "/n/new",
    "/environments/",
    "/t/no/such",
]


@pytest.mark.parametrize("page", PAGES)
def test_a_strict_policy_has_nothing_to_refuse(reply, browser, page):
    answer = browser("admin").get(page)
    text = answer.content.decode()
    assert not re.search(r"<[^>]+\s(?:style|on\w+|hx-on\S*)=", text)
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    assert "<style" not in text
    assert "unsafe-inline" not in answer["Content-Security-Policy"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_one_heading_one_main_and_labels_on_its_fields(reply, browser, page):
    text = browser("admin").get(page).content.decode()
    assert text.count("<h1") == 1
    assert text.count("<main") == 1
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    fields = re.findall(r'<(?:textarea|select|input(?![^>]*type="(?:hidden|radio)"))[^>]*>', text)
    for field in fields:
        match = re.search(r'\sid="([^"]+)"', field)
        named = "aria-label=" in field or "hidden" in field or (match and f'for="{match[1]}"' in text)
        assert named, field


def test_pages_are_not_kept_by_caches_between_people(reply, browser):
    assert browser("reader").get("/t/")["Cache-Control"] == "private, no-store"


def test_open_changes_are_counted_in_the_top_bar(reply, browser):
    reply.propose(2)
    assert '<span class="count" title="Open changes">1</span>' in read_html(browser("reader").get("/t/"))


def test_waiting_changes_are_counted_beside_home(reply, browser):
    reply.propose(2)
    assert '<span class="count" title="Waiting on you">1</span>' in read_html(browser("reviewer").get("/t/"))
    assert '<span class="count" title="Waiting on you">' not in read_html(browser("reader").get("/t/"))


def test_an_unknown_address_is_described_in_plain_words(reply, browser):
    answer = browser("reader").get("/nowhere")
    assert answer.status_code == 404
    assert "<h1>Page not found</h1>" in read_html(answer)


@pytest.mark.parametrize(
    ("address", "expected_text", "url"),
    [
        ("/nowhere", "Go to the templates", "/t/"),
        ("/t/support/nothing", "Go to the templates", "/t/"),
        ("/changes/9999", "Go to the changes", "/changes/"),
        ("/releases/9999", "Go to the releases", "/releases/"),
        ("/releases/abc", "Go to the releases", "/releases/"),
        ("/runs/9999", "Go to the runs", "/runs/"),
        ("/improvements/9999", "Go to the runs", "/runs/"),
        ("/d/support/nothing", "Go to the datasets", "/d/"),
        ("/environments/nothing", "Go to the environments", "/environments/"),
        ("/n/nothing/members", "Go to the settings", "/settings/"),
        ("/help/nothing", "Go to the help", "/help/"),
        (f"/t/{REPLY}/-/nothing", f"Go to {REPLY}", f"/t/{REPLY}"),
        (f"/t/{REPLY}/-/diff?to=99", f"Go to {REPLY}", f"/t/{REPLY}"),
        ("/t/support/nothing/-/versions", "Go to the templates", "/t/"),
    ],
)
def test_a_page_that_is_missing_leads_to_the_list_of_its_kind(reply, browser, address, expected_text, url):
    answer = browser("reader").get(address)
    assert answer.status_code == 404
    assert re.search(rf'href="{url}">\s*{expected_text}\s*</a>', answer.content.decode())


def test_a_template_that_one_cannot_read_is_not_named_by_the_way_back(reply, browser):
    answer = browser("outsider").get(f"/t/{REPLY}/-/nothing")
    assert answer.status_code == 404
    assert f"Go to {REPLY}" not in answer.content.decode()


@pytest.mark.parametrize("address", ["/runs", "/changes", "/t/support", "/help", "/t?q=x"])
def test_a_forgotten_slash_at_the_end_leads_on(reply, browser, address):
    answer = browser("reader").get(address)
    path, mark, query = address.partition("?")
    assert (answer.status_code, answer["Location"]) == (301, f"{path}/{mark}{query}")


@pytest.mark.parametrize("address", ["/api/v1/templates/", "/api/v1/nothing", "/api"])
def test_addresses_of_the_api_lead_nowhere_else(reply, browser, address):
    assert browser("reader").get(address).status_code == 404


def test_a_form_without_its_token_is_refused_with_advice(reply):
    client = Client(enforce_csrf_checks=True)
    client.force_login(reply.people["author"])
    answer = client.post("/new", {"path": "x"})
    assert answer.status_code == 403
    assert "This form is out of date" in read_html(answer)


def test_a_broken_server_still_speaks(rf):
    answer = refusals.server_error(rf.get("/"))
    assert answer.status_code == 500
    assert b"Something went wrong on the server" in answer.content


@pytest.mark.parametrize("start", EXAMPLES.values(), ids=lambda start: start.key)
def test_every_example_to_start_from_is_sound(desk, start):
    problems = document_check.list_problems(actor=desk.actor("author"), document=start.document, samples=start.samples)
    assert [problem.message for problem in problems if problem.severity == "error"] == []


@override_settings(STATICFILES_DIRS=[])
def test_pages_work_without_the_npm_build(reply, browser, monkeypatch):
    monkeypatch.setattr("frontend.templatetags.display._is_built", lambda name: False)
    page = read_html(browser("author").get(f"/t/{REPLY}"))
    assert 'class="plain"' in page
    assert "dist/" not in page


def test_words_written_while_the_session_ended_are_shown_again(reply):
    answer = Client().post(f"/t/{REPLY}/-/propose", {"title": "Quote", "why": "Because <it> matters", "version": "2"})
    assert answer.status_code == 401
    assert "Because &lt;it&gt; matters</textarea>" in read_html(answer)


def test_words_refused_for_want_of_a_right_are_shown_again(reply, browser):
    answer = browser("reader").post(
        f"/t/{REPLY}/-/propose", {"title": "Quote", "why": "Because it matters", "version": "2"}
    )
    assert answer.status_code == 403
    assert "Because it matters</textarea>" in read_html(answer)
