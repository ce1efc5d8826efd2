"""Threads of a change: their places, replies, and resolving."""

import json

import pytest

from registry.changes import services as change_services
from registry.changes import thread_queries, threads
from registry.changes.thread_models import Comment, Thread
from registry.changes.threads import Place
from registry.core.errors import Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.templates import samples
from registry.templates import save as template_save


def open_thread(actor, place, text="Shorter?", **facts):
    return threads.open_thread(actor=actor, number=1, place=place, text=text, **facts)


def test_a_thread_quotes_the_lines_it_is_about(reviewer, change):
    thread = open_thread(reviewer, Place(version=1, line=6, end_line=7))
    assert thread.quote == "  content: |\n    Answer one: {{ question }}\n"
    assert [comment.text for comment in thread.comments.all()] == ["Shorter?"]


def test_a_thread_can_be_on_a_rendered_line(author, reviewer, save, propose):
    save("one")
    samples.save_samples(actor=author, name="support/reply", samples={"why": {"question": "Why?\nHow?"}})
    propose(save("two"))
    thread = open_thread(reviewer, Place(version=2, side="rendered", sample="why", part=0, line=2))
    assert thread.quote == "How?"


@pytest.mark.parametrize(
    ("place", "field"),
    [
        (Place(version=1, line=99), "line"),
        (Place(version=1, line=0), "line"),
        (Place(version=1, line=3, end_line=2), "line"),
        (Place(version=1, line=1, side="margin"), "side"),
        (Place(version=1, line=1, side="rendered", sample="none"), "sample"),
    ],
)
def test_a_place_outside_the_version_is_refused(reviewer, change, place, field):
    with pytest.raises(Invalid) as caught:
        open_thread(reviewer, place)
    assert list(caught.value.fields) == [field]
    assert not Thread.objects.exists()


def test_a_missing_version_is_refused(reviewer, change):
    with pytest.raises(NotFound):
        open_thread(reviewer, Place(version=5, line=1))


def test_replies_are_listed_in_order(author, reviewer, change):
    open_thread(reviewer, Place(version=1, line=7))
    threads.reply_to_thread(actor=author, number=1, thread=1, text="Yes")
    (placed,) = thread_queries.list_threads(change)
    assert [(comment.number, comment.person.username, comment.text) for comment in placed.comments] == [
        (1, "reviewer", "Shorter?"),
        (2, "author", "Yes"),
    ]


def test_a_resolved_thread_is_reopened_by_the_next_reply(author, reviewer, change):
    open_thread(reviewer, Place(version=1, line=7))
    assert threads.resolve_thread(actor=author, number=1, thread=1).resolved_by == author.person
    threads.reply_to_thread(actor=reviewer, number=1, thread=1, text="Not quite")
    (placed,) = thread_queries.list_threads(change)
    assert not placed.is_resolved


def test_resolving_twice_is_one_event(author, reviewer, change):
    open_thread(reviewer, Place(version=1, line=7))
    for _ in range(2):
        threads.resolve_thread(actor=author, number=1, thread=1)
    assert Event.objects.filter(kind="thread.resolved").count() == 1


def test_the_journal_contains_no_text_of_a_comment(reviewer, change):
    open_thread(reviewer, Place(version=1, line=7), text="Secret words", suggestion="    hidden\n")
    event = Event.objects.latest("number")
    body = json.loads(event.text)["body"]
    assert (event.kind, body["thread"], body["comment"], body["line"]) == ("comment.added", 1, 1, 7)
    assert "Secret" not in event.text
    assert "hidden" not in event.text


def test_an_empty_comment_is_refused(reviewer, change):
    with pytest.raises(Invalid, match="write a comment"):
        open_thread(reviewer, Place(version=1, line=7), text=" ")


def test_readers_and_outsiders_may_not_comment(reader, outsider, change):
    with pytest.raises(NotAllowed):
        open_thread(reader, Place(version=1, line=7))
    with pytest.raises(NotFound):
        open_thread(outsider, Place(version=1, line=7))


def test_a_thread_follows_its_lines_into_the_next_version(author, reviewer, change):
    open_thread(reviewer, Place(version=1, line=7))
    longer = change.version.document.replace("inputs:", "description: A reply\ninputs:")
    saved = template_save.save_version(
        actor=author, name="support/reply", document=longer, message="", base=change.version.digest
    )
    moved = change_services.set_head(actor=author, number=1, version=saved.version.number)
    assert [(placed.line, placed.is_outdated) for placed in thread_queries.list_threads(moved)] == [(8, False)]


def test_a_thread_whose_lines_were_changed_is_outdated(author, reviewer, change, save):
    open_thread(reviewer, Place(version=1, line=7))
    moved = change_services.set_head(actor=author, number=1, version=save("two").number)
    assert [placed.is_outdated for placed in thread_queries.list_threads(moved)] == [True]


def test_threads_of_a_request_cost_the_same_however_many(reviewer, change, django_assert_max_num_queries):
    for line in range(1, 8):
        open_thread(reviewer, Place(version=1, line=line))
    with django_assert_max_num_queries(4):
        assert len(thread_queries.list_threads(change)) == 7


def test_a_reply_to_a_missing_thread_is_refused(author, change):
    with pytest.raises(NotFound, match="no thread 4"):
        threads.reply_to_thread(actor=author, number=1, thread=4, text="Hello")
    assert not Comment.objects.exists()
