"""Threads on the page of a change: started on a line, answered, resolved, and suggestions applied."""

import html

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import threads
from registry.changes.models import ChangeRequest
from registry.changes.thread_models import Comment, Thread
from registry.changes.threads import Place
from tests.frontend.conftest import OTHER, read_html

LINE = OTHER.splitlines().index("    You help {{ shop }}. Quote the policy before you answer.") + 1
BETTER = "    You help {{ shop }}. Quote the line you rely on."


@pytest.fixture
def act(change, browser):
    def press(role, do, view="source", **fields):
        return browser(role).post(f"/changes/{change.number}?view={view}", {"do": do, **fields})

    return press


@pytest.fixture
def begun(change, reply):
    """A reviewer's suggestion on the line that was changed."""
    place = Place(2, LINE)
    return threads.open_thread(
        actor=reply.actor("reviewer"), number=change.number, place=place, text="Which?", suggestion=BETTER
    )


def build_place(**further):
    return {"version": 2, "side": "source", "part": 0, "line": LINE, **further}


def test_a_line_number_leads_to_a_form_under_its_line(change, browser):
    page = read_html(browser("reviewer").get(f"/changes/{change.number}?view=source"))
    assert f'href="?view=source&amp;side=source&amp;part=0&amp;line={LINE}#comment-form"' in page
    page = read_html(browser("reviewer").get(f"/changes/{change.number}?view=source&line={LINE}"))
    assert f"About line {LINE}</label>" in page
    assert "Quote the policy before you answer.</textarea>" in page


def test_a_reader_is_offered_no_form(change, browser):
    page = read_html(browser("reader").get(f"/changes/{change.number}?view=source&line={LINE}"))
    assert "#comment-form" not in page
    assert 'id="comment-form"' not in page


def test_a_comment_on_a_line_is_under_it(change, act, browser):
    answer = act("reviewer", "thread", text="Which policy?", **build_place())
    assert answer["Location"] == f"/changes/{change.number}?view=source#diff"
    page = read_html(browser("author").get(f"/changes/{change.number}?view=source"))
    assert page.index("<ins>Quote") < page.index("Which policy?") < page.index("{{ question }}")


def test_a_comment_on_a_line_of_the_source_is_under_what_it_renders_to(change, act, browser):
    act("reviewer", "thread", text="Which policy?", **build_place())
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert 'aria-current="true">Rendered</a>' in page
    assert page.index("<ins>Quote") < page.index("Which policy?") < page.index("Can I return boots?")
    assert f"source line {LINE}" in page
    assert "Threads elsewhere" not in page


def test_a_thread_on_a_line_that_renders_to_nothing_is_listed_with_a_link_to_it(change, act, browser):
    act("reviewer", "thread", text="A better word?", **build_place(line=2))
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert 'href="?view=source#thread-1">Source line 2</a>' in page


def test_a_rendered_line_has_threads_of_its_own(change, act, browser):
    act("reviewer", "thread", "rendered", text="Too stern.", **build_place(side="rendered", sample="boots", line=1))
    assert Thread.objects.get().side == "rendered"
    page = read_html(browser("author").get(f"/changes/{change.number}?view=rendered&sample=boots"))
    assert 'id="thread-1"' in page
    assert "Too stern." in page
    page = read_html(browser("author").get(f"/changes/{change.number}?view=source"))
    assert 'href="?view=rendered&amp;sample=boots#thread-1">Line 1 of part 1 on boots</a>' in page
    assert 'id="thread-1"' not in page


def test_nothing_said_is_refused_where_the_form_stands(change, browser):
    answer = browser("reviewer").post(
        f"/changes/{change.number}?view=source&part=0&line={LINE}", {"do": "thread", "text": " ", **build_place()}
    )
    assert answer.status_code == 422
    assert "write a comment, or suggest other lines" in read_html(answer)
    assert 'id="comment-form"' in read_html(answer)


def test_a_thread_is_answered_resolved_and_opened_again(change, begun, act, browser):
    act("author", "reply", thread=1, text="The refund policy.")
    assert "The refund policy." in read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert act("author", "resolve", thread=1)["Location"].endswith("#thread-1")
    assert "Resolved by author" in read_html(browser("reviewer").get(f"/changes/{change.number}"))
    act("reviewer", "unresolve", thread=1)
    assert Thread.objects.get().resolved_at is None


def test_a_suggestion_is_a_small_diff_that_an_author_applies(change, begun, act, browser):
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert "<ins>rely on</ins>" in page
    assert 'value="apply">Apply to the change</button>' in page
    assert 'value="apply"' not in read_html(browser("reader").get(f"/changes/{change.number}"))
    act("author", "apply", thread=1, comment=1)
    head = ChangeRequest.objects.get(number=change.number).version
    assert head.number == 3
    assert BETTER in head.document
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert "of v2, changed since" in page
    assert "Resolved by author" in page


def test_a_suggestion_comes_from_the_form(change, act):
    act("reviewer", "suggest", text="", suggestion=BETTER, **build_place())
    assert Comment.objects.get().suggestion == BETTER


def test_a_fold_with_a_thread_in_it_is_open(change, act, browser):
    page = f"/changes/{change.number}?view=source"
    assert '<details class="diff-fold" open>' not in read_html(browser("author").get(page))
    act("reviewer", "thread", text="Still right?", **build_place(line=2))
    assert '<details class="diff-fold" open>' in read_html(browser("author").get(page))


def test_invalid_numbers_are_refused_with_a_sentence(change, act):
    answer = act("reviewer", "thread", text="Here?", **build_place(line="9" * 40))
    assert answer.status_code == 422
    assert "There are no lines 0 to 0" in read_html(answer)


def test_a_refused_edit_of_a_comment_comes_back_with_what_was_typed(change, act, browser):
    act("reviewer", "thread", text="Why?", **build_place(line=2))
    answer = act("reviewer", "edit_comment", thread=1, comment=1, comment_text="long " * 3000)
    assert answer.status_code == 413
    assert "> long long" in read_html(answer)


def test_one_s_own_comment_is_edited_and_deleted_on_the_page(change, browser):
    _post(browser("reviewer"), change, "thread", version=2, side="source", line=6, text="Is **this** meant, @author?")
    page = read_html(browser("author").get(f"/changes/{change.number}?view=source"))
    assert 'Is <strong>this</strong> meant, <span class="mention">@author</span>?' in page
    assert 'value="edit_comment"' not in page
    _post(browser("reviewer"), change, "edit_comment", thread=1, comment=1, comment_text="Meant @nobody")
    page = read_html(browser("author").get(f"/changes/{change.number}?view=source"))
    assert "Meant @nobody" in page
    assert "Is <strong>this</strong> meant" in page  # among the earlier texts
    _post(browser("reviewer"), change, "delete_comment", thread=1, comment=1)
    page = read_html(browser("author").get(f"/changes/{change.number}?view=source"))
    assert "Deleted by its author <time" in page
    assert "Meant @nobody" not in page


def _post(client, change, do, **fields):
    answer = client.post(f"/changes/{change.number}?view=source", {"do": do, **fields})
    assert answer.status_code == 302, answer.content


def ask_for_form(browser, who, number, query):
    """The answer to a click on a line's number, which puts the form on the open page."""
    return browser(who).get(
        f"/changes/{number}?{query}", headers={"HX-Request": "true", "HX-Target": "div#comment-form-place"}
    )


def test_a_click_on_a_line_loads_the_form_alone(change, browser):
    answer = ask_for_form(browser, "reviewer", change.number, f"view=source&side=source&part=0&line={LINE}")
    page = read_html(answer)
    assert page.strip().startswith('<form method="post" class="thread thread-form" id="comment-form"')
    assert f"About line {LINE}</label>" in page
    assert "Quote the policy before you answer.</textarea>" in page
    assert 'action="?view=source#comment-form"' in page
    whole = read_html(browser("reviewer").get(f"/changes/{change.number}?view=source&line={LINE}"))
    kept = page[page.index("data-keep=") :].partition("data-url")[0]
    assert kept.split()[0] in whole, "what was typed is kept under one name, however the form was opened"


def test_a_click_on_a_rendered_line_loads_the_form_with_that_line(change, browser):
    whole = read_html(browser("reviewer").get(f"/changes/{change.number}?view=rendered"))
    query = html.unescape(whole.partition('class="diff-number')[2].partition('hx-get="?')[2].partition('"')[0])
    page = read_html(ask_for_form(browser, "reviewer", change.number, query))
    opened = read_html(browser("reviewer").get(f"/changes/{change.number}?{query}"))
    suggestion = page.partition('id="comment-form-suggestion"')[2].partition("</textarea>")[0].partition(">")[2]
    assert suggestion.strip()
    assert suggestion in opened


def test_the_form_reloads_the_page_for_a_person_who_may_not_comment(change, browser):
    answer = ask_for_form(browser, "reader", change.number, f"view=source&side=source&line={LINE}")
    assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")
    answer = ask_for_form(browser, "reviewer", change.number, "view=source")
    assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")


def test_the_form_alone_compares_no_versions(change, browser):
    query = f"view=source&side=source&part=0&line={LINE}"
    ask_for_form(browser, "reviewer", change.number, query)
    with CaptureQueriesContext(connection) as whole:
        browser("reviewer").get(f"/changes/{change.number}?{query}")
    with CaptureQueriesContext(connection) as alone:
        ask_for_form(browser, "reviewer", change.number, query)
    assert len(alone) < 0.7 * len(whole)
