"""Suggestions on rendered text: typed on a rendered line, shown as source, and sent as source suggestions."""

import re

import pytest

from registry.changes import suggestions
from registry.changes.thread_models import Comment, Remark, Thread
from tests.frontend.conftest import OTHER, read_html

LINE = OTHER.splitlines().index("    You help {{ shop }}. Quote the policy before you answer.") + 1
WAS = "You help Harbour Books. Quote the policy before you answer."
BETTER = "You help Harbour Books. Quote the line you rely on."


@pytest.fixture
def send(change, browser):
    def post(do="suggest", address=f"/changes/{change.number}?view=rendered&sample=late", **fields):
        place = {"version": 2, "side": "rendered", "sample": "late", "part": 0, "line": 1, "end_line": 1}
        return browser("reviewer").post(address, {"do": do, **place, "was": WAS, "suggestion": BETTER, **fields})

    return post


def read_seen_digest(answer):
    return re.search(r'name="seen" value="(\w+)"', read_html(answer))[1]


def test_the_form_of_a_rendered_line_starts_from_its_text(change, browser):
    page = read_html(browser("reviewer").get(f"/changes/{change.number}?view=rendered&sample=late&line=1"))
    assert "Or how it should read" in page
    assert f"{WAS}</textarea>" in page


def test_a_suggestion_is_shown_as_source_before_it_is_sent(send):
    answer = send()
    page = read_html(answer)
    assert answer.status_code == 200
    assert not Thread.objects.exists()
    assert f"This becomes a suggestion for source line {LINE}:" in page
    assert "{{ shop }}" in page
    assert f"{BETTER}</textarea>" in page


def test_once_seen_it_is_sent_and_hangs_under_the_rendered_line(send, change, browser, reply):
    answer = send(seen=read_seen_digest(send()))
    assert answer.status_code == 302
    thread = Thread.objects.get()
    assert (thread.side, thread.line, thread.end_line, thread.sample) == ("source", LINE, LINE, "")
    assert Comment.objects.get().suggestion == "    You help {{ shop }}. Quote the line you rely on."
    page = read_html(browser("author").get(f"/changes/{change.number}?view=rendered&sample=late"))
    assert page.index("<ins>Quote") < page.index("Apply to the change") < page.index("Where is it?")
    suggestions.apply_suggestions(actor=reply.actor("author"), number=change.number, comments=[(1, 1)])
    assert BETTER in re.sub("<[^>]+>", "", read_html(browser("author").get(f"/changes/{change.number}?sample=late")))


def test_another_text_than_the_one_that_was_seen_is_shown_again(send):
    seen = read_seen_digest(send())
    assert send(seen=seen, suggestion=f"{BETTER} Always.").status_code == 200
    assert not Thread.objects.exists()


def test_a_value_of_the_sample_is_refused_with_the_reason_and_nothing_typed_is_lost(send):
    typed = WAS.replace("Harbour", "Port")
    answer = send(suggestion=typed, text="The name is wrong.")
    page = read_html(answer)
    assert answer.status_code == 422
    assert f"This text comes from the sample: shop prints it, on source line {LINE}." in page
    assert f"{typed}</textarea>" in page
    assert "The name is wrong.</textarea>" in page


def test_the_preview_says_the_same_while_somebody_types(change, send):
    address = f"/changes/{change.number}/suggestion"
    assert f"source line {LINE}" in read_html(send(address=address))
    assert "This text comes from the sample" in read_html(send(address=address, suggestion="Nothing of it"))
    assert not read_html(send(address=address, suggestion=WAS)).strip()


def test_a_remark_kept_for_the_review_has_the_suggestion_on_the_source(send):
    answer = send(do="keep", text="Shorter.", seen=read_seen_digest(send()))
    assert answer.status_code == 302
    remark = Remark.objects.get()
    assert (remark.side, remark.line, remark.text) == ("source", LINE, "Shorter.")


def test_a_remark_without_a_suggestion_stays_on_the_rendered_line(send):
    assert send(do="keep", text="Is that so?", suggestion=WAS).status_code == 302
    remark = Remark.objects.get()
    assert (remark.side, remark.sample, remark.line, remark.suggestion) == ("rendered", "late", 1, None)


def test_a_comment_takes_the_typed_suggestion_along(send):
    response = send(do="thread", text="Shorter.")
    assert response.status_code == 200
    assert f"This becomes a suggestion for source line {LINE}:" in read_html(response)
    assert "Shorter.</textarea>" in read_html(response)
    assert send(do="thread", text="Shorter.", seen=read_seen_digest(response)).status_code == 302
    comment = Comment.objects.get()
    assert (comment.text, comment.suggestion) == ("Shorter.", "    You help {{ shop }}. Quote the line you rely on.")


def test_a_comment_with_a_refused_suggestion_loses_nothing(send):
    answer = send(do="thread", text="The name is wrong.", suggestion=WAS.replace("Harbour", "Port"))
    assert answer.status_code == 422
    assert "The name is wrong.</textarea>" in read_html(answer)
    assert not Thread.objects.exists()


@pytest.mark.parametrize("suggestion", [WAS, ""])
def test_a_comment_next_to_an_untouched_or_emptied_field_suggests_nothing(send, suggestion):
    assert send(do="thread", text="Is that so?", suggestion=suggestion).status_code == 302
    assert Comment.objects.get().suggestion is None


def test_a_reader_gets_no_preview(change, browser):
    fields = {"version": 2, "side": "rendered", "sample": "late", "part": 0, "line": 1, "suggestion": "x", "was": ""}
    assert browser("reader").post(f"/changes/{change.number}/suggestion", fields).status_code == 403
