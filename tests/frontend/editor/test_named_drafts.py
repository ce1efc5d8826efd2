"""Several drafts of one template: their page, the editor on each of them, and the pages that list them."""

import pytest

from registry.templates import drafts, named_drafts
from registry.templates import queries as template_queries
from registry.templates.models import Draft
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html

EDIT = f"/t/{REPLY}/-/edit"
DRAFTS = f"/t/{REPLY}/-/drafts"
MINE = OTHER.replace("before you answer", "and stop")
SHORT = OTHER.replace("before you answer", "in a word")


@pytest.fixture
def author(reply, browser):
    return browser("author")


@pytest.fixture
def keep(reply):
    def keep_draft(document=MINE, name=""):
        return drafts.save_draft(
            actor=reply.actor("author"), namespace="support", path="refunds/reply", document=document, base=2, name=name
        )

    return keep_draft


def find(reply, name=""):
    return template_queries.find_draft(reply.actor("author"), REPLY, name)


def test_another_draft_is_started_on_the_page_and_opens_in_the_editor(reply, author, keep):
    keep()
    answer = author.post(DRAFTS, {"do": "start", "name": "Shorter", "source": "1"}, follow=True)
    assert answer.redirect_chain == [(f"{EDIT}?draft=Shorter", 302)]
    page = answer.content.decode()
    assert 'action="/t/support/refunds/reply/-/edit?draft=Shorter"' in page
    assert "Use only the policy." in page
    assert (find(reply).document, find(reply, "Shorter").document) == (MINE, DOCUMENT)


def test_the_page_lists_drafts_with_what_another_can_start_from(author, keep):
    keep()
    keep(SHORT, "Shorter")
    page = author.get(f"{DRAFTS}?from=1").content.decode()
    assert f'href="{EDIT}"' in page
    assert f'href="{EDIT}?draft=Shorter"' in page
    assert '<option value="draft:Shorter">your draft Shorter</option>' in page
    assert '<option value="1" selected>' in page


@pytest.mark.parametrize(
    ("sent", "status", "sentence"),
    [
        ({"do": "start", "name": "", "source": "1"}, 422, "Give it a name."),
        ({"do": "start", "name": "shorter", "source": "1"}, 422, "There is already a draft called shorter."),
        ({"do": "start", "name": "New", "source": "draft:None"}, 404, "You have no draft None"),
        ({"do": "rename", "draft": "Shorter", "name": "Draft"}, 422, "Draft is the draft without a name"),
        ({"do": "erase"}, 422, "Start, rename, discard, restore, share or stop."),
    ],
)
def test_a_refusal_is_shown_in_a_sentence(author, keep, sent, status, sentence):
    keep(SHORT, "Shorter")
    answer = author.post(DRAFTS, sent)
    assert answer.status_code == status
    assert sentence in read_html(answer)
    assert list(Draft.objects.values_list("name", flat=True)) == ["Shorter"]


def test_drafts_are_renamed_discarded_and_restored(reply, author, keep):
    keep(SHORT, "Shorter")
    author.post(DRAFTS, {"do": "rename", "draft": "Shorter", "name": "In a word"})
    assert find(reply, "In a word").document == SHORT
    page = author.post(DRAFTS, {"do": "discard", "draft": "In a word"}, follow=True)
    assert find(reply, "In a word") is None
    assert 'name="draft" value="In a word"' in page.content.decode()
    author.post(DRAFTS, {"do": "restore", "draft": "In a word"})
    assert find(reply, "In a word").document == SHORT


def test_the_editor_of_each_draft_writes_that_draft(reply, author, keep):
    keep()
    keep(SHORT, "Shorter")
    body = {"document": SHORT + "\n", "samples": {}, "base": "2", "revision": 1}
    said = author.put(f"{EDIT}/draft?draft=Shorter", body, content_type="application/json").json()
    assert said["revision"] == 2
    assert (find(reply).document, find(reply, "Shorter").document) == (MINE, SHORT + "\n")


def test_a_second_tab_is_notified_only_of_the_same_draft(author, keep):
    keep()
    keep(SHORT, "Shorter")
    body = {"document": "x", "samples": {}, "base": "2", "revision": 0}
    answer = author.put(f"{EDIT}/draft?draft=Shorter", body, content_type="application/json")
    assert answer.status_code == 409
    assert answer.json()["newer"]["document"] == SHORT


def test_a_named_draft_stays_even_if_it_changes_nothing(reply, author, keep):
    keep(SHORT, "Shorter")
    body = {"document": OTHER, "samples": {}, "base": "2", "revision": 1}
    author.put(f"{EDIT}/draft?draft=Shorter", body, content_type="application/json")
    assert find(reply, "Shorter").document == OTHER


def test_saving_ends_the_draft_and_leaves_the_others(reply, author, keep):
    keep()
    keep(SHORT, "Shorter")
    page = author.post(f"{EDIT}?draft=Shorter", {"document": SHORT, "base": "2", "message": "Short", "do": "save"})
    assert page.context["result"].kind == "saved"
    assert (find(reply).document, find(reply, "Shorter")) == (MINE, None)


def test_links_of_the_editor_keep_the_draft(author, keep):
    keep(SHORT, "Even shorter")
    address = f"{EDIT}?draft=Even+shorter"
    page = author.get(address).content.decode()
    assert page.count(f'href="{address}" data-view-link="edit"') == 2
    assert page.count(f'href="{address}&amp;view=run" data-view-link="run"') == 2
    assert f'method="post" action="{address}"' in page
    body = {"document": SHORT, "samples": {"one": {}}, "sample": "one"}
    answer = author.post(f"{EDIT}/preview?draft=Even+shorter", body, content_type="application/json").json()
    assert f'href="{address}&amp;view=run"' in answer["tokens"]


def test_discarding_in_the_editor_offers_that_draft_back(reply, author, keep):
    keep(SHORT, "Shorter")
    page = author.post(f"{EDIT}?draft=Shorter", {"do": "discard"}, follow=True)
    assert "Restore the draft Shorter you discarded" in read_html(page)
    page = author.post(EDIT, {"do": "restore-draft:Shorter"}, follow=True)
    assert page.redirect_chain[-1][0] == f"{EDIT}?draft=Shorter"
    assert find(reply, "Shorter").document == SHORT


def test_a_name_that_no_draft_can_have_opens_no_editor(author):
    assert author.get(f"{EDIT}?draft={'a' * 61}").status_code == 422


def test_home_the_template_and_its_history_name_each_draft(author, keep):
    keep()
    keep(SHORT, "Shorter")
    assert f'href="{EDIT}?draft=Shorter">' in author.get("/").content.decode()
    page = author.get(f"/t/{REPLY}").content.decode()
    assert f'<a class="button button-primary" href="{EDIT}?draft=Shorter"' in page
    assert f'href="{DRAFTS}"' in page
    history = author.get(f"/t/{REPLY}/-/versions").content.decode()
    assert 'name="to" value="draft:Shorter"' in history
    assert 'name="to" value="draft"' in history


def test_any_two_of_versions_and_drafts_are_compared(author, keep):
    keep()
    keep(SHORT, "Shorter")
    page = read_html(author.get(f"/t/{REPLY}/-/diff?from=draft&to=draft:Shorter"))
    assert "and stop" in page
    assert "in a word" in page
    assert "your draft Shorter" in page
    assert author.get(f"/t/{REPLY}/-/diff?from=draft:Longer&to=2").status_code == 404


def test_before_the_first_save_there_can_be_several_drafts(desk, browser):
    drafts.save_draft(actor=desk.actor("author"), namespace="support", path="new", document=DOCUMENT)
    page = browser("author").post(
        "/t/support/new/-/drafts", {"do": "start", "name": "Shorter", "source": "draft"}, follow=True
    )
    assert page.status_code == 200
    assert named_drafts.get_draft(desk.actor("author"), "support/new", "Shorter").document == DOCUMENT
