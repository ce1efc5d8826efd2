"""Threads of a change request in the API: comments on lines, and suggestions that become the next version."""

import pytest

from registry.changes.models import ChangeRequest
from registry.templates import samples
from tests.api.conftest import REPLY, SAMPLES, Caller, problem
from tests.support.recorded_rows import write_or_insert


@pytest.fixture
def change(cast):
    """Version 1 is proposed for production by the author."""

    def write() -> int:
        cast.save()
        number: int = cast.propose(1).number
        return number

    return ChangeRequest.objects.get(number=write_or_insert("proposal of version one", write))


def _suggest(reviewer, line=2, text="description: Answer it\n"):
    return reviewer.post("changes/1/threads", {"version": 1, "line": line, "suggestion": text})


def test_a_thread_opens_on_a_line_and_quotes_it(caller, change):
    opened = caller("reviewer").post("changes/1/threads", {"version": 1, "line": 2, "text": "Which one?"})
    body = opened.json()
    assert (opened.status_code, body["number"], body["side"], body["line"], body["end_line"]) == (
        201,
        1,
        "source",
        2,
        2,
    )
    assert (body["head_line"], body["outdated"], body["resolved"]) == (2, False, False)
    assert "Answer a question" in body["quote"]
    assert [(comment["person"], comment["text"], comment["suggestion"]) for comment in body["comments"]] == [
        ("reviewer", "Which one?", None)
    ]
    assert caller("reader").get("changes/1/threads").json() == {"results": [body]}


def test_a_thread_opens_on_what_a_sample_renders_to(cast, caller, change):
    samples.save_samples(actor=cast.actor("author"), name=REPLY, samples=SAMPLES)
    place = {"version": 1, "line": 1, "side": "rendered", "sample": "short"}
    body = caller("reviewer").post("changes/1/threads", {**place, "text": "Too blunt"}).json()
    assert (body["side"], body["sample"], body["part"], body["quote"].strip()) == (
        "rendered",
        "short",
        0,
        SAMPLES["short"]["question"],
    )


def test_a_suggestion_on_a_rendered_line_becomes_one_on_its_source_line(cast, caller, change):
    samples.save_samples(actor=cast.actor("author"), name=REPLY, samples=SAMPLES)
    place = {"version": 1, "line": 1, "side": "rendered", "sample": "short"}
    suggested = f"Customer: {SAMPLES['short']['question']}"
    body = caller("reviewer").post("changes/1/threads", {**place, "suggestion": suggested}).json()
    assert (body["side"], body["sample"]) == ("source", "")
    assert body["quote"].strip() == 'content: "{{ question }}"'
    assert body["comments"][0]["suggestion"].strip() == 'content: "Customer: {{ question }}"'
    applied = caller("author").post("changes/1/suggestions", {"comments": [{"thread": 1, "comment": 1}]})
    assert applied.status_code == 200


def test_a_suggestion_that_changes_what_a_sample_says_is_refused_with_the_reason(cast, caller, change):
    samples.save_samples(actor=cast.actor("author"), name=REPLY, samples=SAMPLES)
    place = {"version": 1, "line": 1, "side": "rendered", "sample": "short", "suggestion": "Something else"}
    details = problem(caller("reviewer").post("changes/1/threads", place), 422, "invalid")
    assert details["fields"]["suggestion"].startswith(
        "this text comes from the sample: question prints it, on source line"
    )
    assert caller("reader").get("changes/1/threads").json() == {"results": []}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"line": 99, "text": "Here"}, "line"),
        ({"line": 3, "end_line": 2, "text": "Here"}, "line"),
        ({"line": 2}, "text"),
        ({"line": 1, "side": "rendered", "sample": "none", "text": "Here"}, "sample"),
        ({"line": 1, "side": "rendered", "suggestion": "other"}, "sample"),
    ],
)
def test_a_thread_on_nothing_or_without_words_is_refused(caller, change, stored, fields, field):
    reviewer, before = caller("reviewer"), stored()
    details = problem(reviewer.post("changes/1/threads", {"version": 1, **fields}), 422, "invalid")
    assert (list(details["fields"]), stored()) == ([field], before)


def test_an_unknown_side_or_field_is_named(caller, change):
    body = {"version": 1, "line": 1, "text": "Here", "side": "left", "colour": "red"}
    details = problem(caller("reviewer").post("changes/1/threads", body), 400, "bad-request")
    assert "colour" in details["fields"]


def test_a_reply_opens_a_resolved_thread_again(caller, change):
    reviewer, author = caller("reviewer"), caller("author")
    reviewer.post("changes/1/threads", {"version": 1, "line": 2, "text": "Why?"})
    closed = author.post("changes/1/threads/1/resolve").json()
    assert (closed["resolved"], closed["resolved_by"]) == (True, "author")
    again = reviewer.post("changes/1/threads/1/replies", {"text": "Not yet"})
    assert (again.status_code, again.json()["resolved"], len(again.json()["comments"])) == (201, False, 2)
    author.post("changes/1/threads/1/resolve")
    assert author.post("changes/1/threads/1/resolve", {"resolved": False}).json()["resolved"] is False


@pytest.mark.parametrize("verb", ["replies", "resolve"])
def test_a_missing_thread_is_not_found(caller, change, verb):
    body = {"text": "Hello"} if verb == "replies" else {}
    problem(caller("author").post(f"changes/1/threads/7/{verb}", body), 404, "not-found")


def test_suggestions_are_applied_together_as_the_next_version(caller, change):
    reviewer, author = caller("reviewer", session=True), caller("author", session=True)
    _suggest(reviewer)
    _suggest(reviewer, 3, "tags: [support, refunds]\n")
    both = [{"thread": 1, "comment": 1}, {"thread": 2, "comment": 1}]
    body = author.post("changes/1/suggestions", {"comments": both, "message": "As suggested"}).json()
    assert (body["version"], body["round"], body["state"]) == (2, 2, "open")
    document = author.get(f"templates/{REPLY}@2").json()["document"]
    assert "Answer it" in document
    assert "refunds]" in document
    assert all(thread["resolved"] for thread in author.get("changes/1/threads").json()["results"])


def test_two_suggestions_for_one_line_are_a_conflict(caller, change, stored):
    reviewer = caller("reviewer")
    _suggest(reviewer)
    _suggest(reviewer, text="description: Reply\n")
    author, both = caller("author"), [{"thread": 1, "comment": 1}, {"thread": 2, "comment": 1}]
    before = stored()
    problem(author.post("changes/1/suggestions", {"comments": both}), 409, "conflict")
    assert stored() == before


def test_a_suggestion_that_breaks_the_document_stores_nothing(caller, change, stored):
    _suggest(caller("reviewer", session=True), text="description: [\n")
    author, before = caller("author", session=True), stored()
    one = {"comments": [{"thread": 1, "comment": 1}]}
    assert problem(author.post("changes/1/suggestions", one), 422, "invalid")["problems"]
    assert stored() == before


def test_a_comment_without_a_suggestion_cannot_be_applied(caller, change):
    caller("reviewer").post("changes/1/threads", {"version": 1, "line": 2, "text": "Hm"})
    author = caller("author")
    problem(author.post("changes/1/suggestions", {"comments": [{"thread": 1, "comment": 1}]}), 404, "not-found")
    problem(author.post("changes/1/suggestions", {"comments": []}), 422, "invalid")
    details = problem(author.post("changes/1/suggestions", {"comments": [{"thread": "1"}]}), 400, "bad-request")
    assert set(details["fields"]) == {"comments.0.thread", "comments.0.comment"}


@pytest.mark.parametrize("number", [2**31, 2**63, 10**40])
def test_a_thread_beyond_all_bounds_is_not_found(caller, change, number):
    author = caller("author")
    problem(author.post(f"changes/1/threads/{number}/replies", {"text": "Hello"}), 404, "not-found")
    problem(author.get(f"changes/{number}/merge"), 404, "not-found")


def test_a_publish_that_waits_for_threads_is_a_conflict_that_names_them(cast):
    admin, author, reviewer = (Caller(person=cast.people[role]) for role in ("admin", "author", "reviewer"))
    ruled = admin.call("PATCH", "namespaces/support", {"threads_resolved": True}).json()
    assert ruled["rules"]["threads_resolved"] is True
    cast.save()
    number = cast.propose(1).number
    digest = author.get(f"changes/{number}").json()["digest"]
    assert reviewer.post(f"changes/{number}/decisions", {"decision": "approve", "digest": digest}).status_code < 300
    assert reviewer.post(f"changes/{number}/threads", {"version": 1, "line": 1, "text": "Why?"}).status_code == 201
    body = problem(author.post(f"changes/{number}/publish"), 409, "conflict")
    assert [blocker["code"] for blocker in body["blockers"]] == ["threads"]
    author.post(f"changes/{number}/threads/1/resolve", {})
    assert author.post(f"changes/{number}/publish").status_code == 200
