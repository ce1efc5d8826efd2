"""A review: pending remarks, several lines together, batches of suggestions, changes since the last visit."""

import pytest

from registry.changes import decisions, review_drafts, threads
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest, Decision
from registry.changes.thread_models import Remark, Thread
from registry.changes.threads import Place
from registry.templates.models import Version
from tests.frontend.conftest import DOCUMENT, OTHER, read_html
from tests.support.seen_versions import seen_versions

LINE = OTHER.splitlines().index("    You help {{ shop }}. Quote the policy before you answer.") + 1
FIRST = OTHER.splitlines().index("- name: instructions") + 1


@pytest.fixture
def act(change, browser):
    def press(role, do, view="source", **fields):
        sent = {"do": do, **seen_versions(change.number), **fields}
        return browser(role).post(f"/changes/{change.number}?view={view}", sent)

    return press


@pytest.fixture
def suggest(change, reply):
    def run(line, text):
        place = Place(2, line)
        actor = reply.actor("reviewer")
        return threads.open_thread(actor=actor, number=change.number, place=place, text="", suggestion=text)

    return run


def build_place(**further):
    return {"version": 2, "side": "source", "part": 0, "line": LINE, **further}


def page_of(change, client, query=""):
    return read_html(client.get(f"/changes/{change.number}{query}"))


def test_a_range_of_lines_is_marked_and_talked_of(change, act, browser):
    page = page_of(change, browser("reviewer"), f"?view=source&side=source&line={FIRST}&end_line={LINE}")
    assert f"About lines {FIRST} to {LINE}</label>" in page
    assert page.count("is-selected") == LINE - FIRST + 1
    act("reviewer", "thread", text="All of this.", **build_place(line=FIRST, end_line=LINE))
    thread = Thread.objects.get()
    assert (thread.line, thread.end_line, thread.quote.count("\n")) == (FIRST, LINE, LINE - FIRST + 1)


def test_without_a_script_the_range_is_changed_by_its_fields_and_words_stay(change, act):
    sent = build_place(line=FIRST, end_line=LINE, text="So far", was="one", suggestion="one")
    page = read_html(act("reviewer", "range", **sent))
    assert f"About lines {FIRST} to {LINE}</label>" in page
    assert "So far</textarea>" in page
    assert "role: system content: |" in page, "the suggestion begins as the lines themselves"
    kept = read_html(act("reviewer", "range", **{**sent, "suggestion": "my own"}))
    assert "my own</textarea>" in kept


def test_a_remark_waits_under_its_line_for_its_writer_alone(change, act, browser):
    lines = OTHER.splitlines()[LINE - 1]
    assert act("reviewer", "keep", text="Which policy?", suggestion=lines, **build_place()).status_code == 302
    assert Remark.objects.get().suggestion is None, "the lines as they were are no suggestion"
    mine = page_of(change, browser("reviewer"))
    assert "Not sent yet" in mine
    assert "Your review: 1 remark not sent yet." in mine
    assert "Which policy?" not in page_of(change, browser("author"))


def test_approving_sends_the_remarks_along(change, act):
    act("reviewer", "keep", text="Which policy?", **build_place())
    act("reviewer", "approve", digest=change.version.digest, text="")
    assert Thread.objects.get().comments.get().text == "Which policy?"
    assert Decision.objects.get(change=change).decision == "approve"
    assert not Remark.objects.exists()


def test_remarks_are_sent_without_a_decision_too(change, act):
    act("reviewer", "keep", text="Which policy?", **build_place())
    act("reviewer", "send", digest=change.version.digest)
    assert Thread.objects.count() == 1
    assert not Decision.objects.filter(change=change).exists()


def test_a_remark_is_written_again_in_its_form_or_thrown_away(change, act, browser):
    act("reviewer", "keep", text="Which policy?", **build_place())
    remark = Remark.objects.get().pk
    page = page_of(change, browser("reviewer"), f"?view=source&side=source&part=0&remark={remark}")
    assert "Which policy?</textarea>" in page
    act("reviewer", "keep", text="Which policy, please?", remark=remark, **build_place())
    assert Remark.objects.get().text == "Which policy, please?"
    act("reviewer", "discard", remark=remark)
    assert not Remark.objects.exists()


def test_a_refusal_brings_the_form_back_with_every_word(change, act):
    answer = act("reviewer", "suggest", text="Because", suggestion="x" * 10, **build_place(line=999))
    assert answer.status_code == 422
    assert "There are no lines 999 to 999" in read_html(answer)
    answer = act("reviewer", "keep", text=" ", suggestion=OTHER.splitlines()[LINE - 1], **build_place())
    assert answer.status_code == 422
    assert 'id="comment-form"' in read_html(answer)


def test_suggestions_of_several_threads_go_in_as_one_version(change, suggest, browser):
    suggest(LINE, "    You help {{ shop }}. Be brief.")
    suggest(2, "description: Answer any refund question")
    client, address = browser("author"), f"/changes/{change.number}"
    for thread in (1, 2):
        client.post(address, {"do": "batch", "thread": thread, "comment": 1})
    page = read_html(client.get(address))
    assert "2 suggestions in your batch:" in page
    assert "Remove from the batch</button>" in page
    client.post(address, {"do": "apply_batch"})
    head = ChangeRequest.objects.get(number=change.number).version
    assert (head.number, head.message) == (3, "Apply 2 suggestions")
    assert "Be brief." in head.document
    assert "Answer any refund question" in head.document
    assert "in your batch" not in read_html(client.get(address))


def test_a_batch_is_ones_own_and_can_be_taken_back(change, suggest, browser):
    suggest(2, "description: Other")
    client, address = browser("author"), f"/changes/{change.number}"
    client.post(address, {"do": "batch", "thread": 1, "comment": 1})
    assert "in your batch" not in read_html(browser("admin").get(address))
    client.post(address, {"do": "unbatch", "thread": 1, "comment": 1})
    assert "in your batch" not in read_html(client.get(address))
    client.post(address, {"do": "batch", "thread": 1, "comment": 1})
    client.post(address, {"do": "empty_batch"})
    assert client.post(address, {"do": "apply_batch"}).status_code == 422
    assert Version.objects.count() == 2


def test_a_returning_reviewer_sees_the_changes_since_the_review(change, reply, browser):
    reviewer = reply.actor("reviewer")
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=change.version.digest)
    version = reply.save(OTHER.replace("before you answer", "before answering"))
    change_services.set_head(actor=reply.actor("author"), number=change.number, version=version.number)
    page = page_of(change, browser("reviewer"))
    assert "Changes since your review.</b> You approved v2" in page
    assert "Showing v2 to v3." in page
    assert "in place of v1" in page, "the change itself is still against what the label serves"
    whole = page_of(change, browser("reviewer"), "?against=label")
    assert "Show only what changed since your review</a>" in whole
    assert "v1 to v3 on" in whole
    assert "since your review" not in page_of(change, browser("author"))
    assert "since your review" not in page_of(change, browser("admin"))


def test_the_conversation_lists_all_entries(change, reply, act, browser):
    review_drafts.save_remark(actor=reply.actor("reviewer"), number=change.number, place=Place(2, LINE), text="Which?")
    act("reviewer", "request_changes", digest=change.version.digest, text="See the line.")
    version = reply.save(OTHER.replace("before you answer", "first"))
    act("author", "set_version", version=version.number)
    act("admin", "approve", digest=version.digest)
    act("author", "publish")
    page = page_of(change, browser("reader"), "?view=conversation")
    told = [
        "proposed v2 for production",
        f"on source line {LINE} of v2",
        "asks for edits of v2",
        "updated the change to v3",
        "approved v3 for production",
        "published it: production is on v3",
    ]
    places = [page.index(words_) for words_ in told]
    assert places == sorted(places)
    for shown in (page, page_of(change, browser("reader"))):
        assert 'Conversation <span class="count">3</span>' in shown


def test_both_shows_the_source_and_what_the_model_reads(change, browser):
    page = page_of(change, browser("reader"), "?view=both&sample=late")
    assert 'class="diff diff-source' in page
    assert 'You help <span class="value" title="shop, line 11">Harbour Books</span>. ' in page


def test_samples_that_read_differently_are_named_and_stepped_through(reply, browser):
    reply.save(DOCUMENT.replace("Use only", "{% if shop == 'Harbour Books' %}Be quick. {% endif %}Use only"))
    change = reply.propose(3)
    page = page_of(change, browser("reader"), "?view=rendered&sample=boots")
    assert "late, 2 of 2, differs</option>" in page
    assert 'title="late">Next that differs' in page
    assert "boots, 1 of 2</option>" in page


def test_the_longest_sample_and_what_is_newly_cut_are_shown(reply, browser):
    reply.save(
        DOCUMENT.replace("inputs:\n", "token_limit: 30\ntruncation_step: 10\ninputs:\n").replace(
            "- name: question\n", "- name: question\n  truncation_priority: 1\n"
        ),
        samples={"short": {"question": "Why?"}, "long": {"question": "Why not? " * 40}},
    )
    page = page_of(reply.propose(3), browser("reader"), "?view=rendered&sample=short")
    assert "all, worst case" in page
    assert "Cut now and not before on long: question." in page
