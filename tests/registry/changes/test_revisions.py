"""Editing and deleting one's own comments, with a trace."""

import pytest

from registry.changes import decisions, moments, review_drafts, revisions, suggestions, thread_queries, threads
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest, Decision
from registry.changes.thread_models import Comment, CommentRevision
from registry.changes.thread_queries import CommentTexts
from registry.changes.threads import Place
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.notifications.models import Notification

KINDS = ("comment.edited", "comment.deleted")


@pytest.fixture
def thread(reviewer, change):
    return threads.open_thread(actor=reviewer, number=change.number, place=Place(version=1, line=6), text="Shorter?")


def edit(actor, change, text, thread=1, comment=1):
    revisions.edit_comment(actor=actor, number=change.number, thread=thread, comment=comment, text=text)


def delete(actor, change, thread=1, comment=1):
    revisions.delete_comment(actor=actor, number=change.number, thread=thread, comment=comment)


def read(change, thread=1, comment=1):
    """What the comment says now."""
    (placed,) = [one for one in thread_queries.list_threads(change) if one.thread.number == thread]
    return placed.read_comments[comment - 1].comment_text


def events():
    return list(Event.objects.filter(kind__in=KINDS).order_by("number").values_list("kind", flat=True))


def test_an_edit_replaces_the_text_and_the_earlier_ones_stay_readable(reviewer, change, thread):
    edit(reviewer, change, "Shorter, please")
    edit(reviewer, change, " Much shorter \n")
    said = read(change)
    assert said.text == "Much shorter"
    assert [earlier.text for earlier in said.earlier] == ["Shorter?", "Shorter, please"]
    assert said.changed_at == CommentRevision.objects.last().created_at
    assert Comment.objects.get().text == "Shorter?"
    assert events() == ["comment.edited", "comment.edited"]


def test_the_same_text_again_changes_nothing(reviewer, change, thread):
    edit(reviewer, change, "Shorter?")
    assert (events(), read(change).changed_at) == ([], None)


def test_a_deleted_comment_shows_nothing_but_its_place(reviewer, change, thread):
    edit(reviewer, change, "Shorter, please")
    delete(reviewer, change)
    said = read(change)
    assert (said.text, said.earlier, said.is_deleted) == ("", (), True)
    assert events() == ["comment.edited", "comment.deleted"]
    with pytest.raises(Conflict, match="You deleted this comment"):
        edit(reviewer, change, "Back")
    with pytest.raises(Conflict, match="You deleted this comment"):
        delete(reviewer, change)


@pytest.mark.parametrize("act", [lambda actor, change: edit(actor, change, "Mine"), delete])
def test_nobody_touches_another_s_comment_not_even_an_admin(admin, author, change, thread, act):
    for actor in (admin, author):
        with pytest.raises(NotAllowed, match="reviewer wrote this comment"):
            act(actor, change)
    assert events() == []


def test_a_reader_cannot_edit_a_comment(reader, change, thread):
    with pytest.raises(NotAllowed):
        edit(reader, change, "Mine")


@pytest.mark.parametrize("place", [(1, 2), (2, 1), (0, 1)])
def test_an_unknown_comment_cannot_be_edited(reviewer, change, thread, place):
    with pytest.raises(NotFound, match="no such comment"):
        edit(reviewer, change, "Hm", thread=place[0], comment=place[1])


def test_an_empty_text_is_refused_but_where_lines_are_suggested(author, reviewer, change, thread):
    with pytest.raises(Invalid):
        edit(reviewer, change, "  ")
    threads.reply_to_thread(actor=author, number=change.number, thread=1, text="So", suggestion="  content: x\n")
    edit(author, change, "", comment=2)
    assert read(change, comment=2).text == ""


def test_a_suggestion_that_was_deleted_is_not_applied(author, change, thread):
    threads.reply_to_thread(actor=author, number=change.number, thread=1, text="", suggestion="  content: x\n")
    delete(author, change, comment=2)
    with pytest.raises(NotFound, match="no suggestion"):
        suggestions.apply_suggestions(actor=author, number=change.number, comments=[(1, 2)])


def test_the_words_of_a_decision_are_edited_and_deleted_while_it_stays(reviewer, change):
    review_drafts.send_review(
        actor=reviewer, number=change.number, digest=change.version.digest, decision="approve", text="Good"
    )
    edit(reviewer, change, "Very good", thread=0)
    (moment,) = [each for each in moments.list_moments(change, CommentTexts(change)) if each.comment_text.changed_at]
    assert (moment.comment_text.text, [earlier.text for earlier in moment.comment_text.earlier]) == (
        "Very good",
        ["Good"],
    )
    delete(reviewer, change, thread=0)
    assert ChangeRequest.objects.get().state == "approved"
    assert Decision.objects.get().text == "Good"


def test_the_text_of_a_request_for_edits_cannot_be_emptied(reviewer, change):
    decisions.decide_on_change(
        actor=reviewer, number=change.number, decision="request_changes", digest=change.version.digest, text="No"
    )
    with pytest.raises(Invalid):
        edit(reviewer, change, "", thread=0)


def test_on_a_closed_request_it_follows_the_rule_of_commenting(author, reviewer, change, thread):
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    threads.reply_to_thread(actor=reviewer, number=change.number, thread=1, text="Late")
    edit(reviewer, change, "Late, sorry", comment=2)
    assert read(change, comment=2).text == "Late, sorry"


def test_people_mentioned_by_an_edit_are_notified_once(reviewer, author, admin, change, thread):
    Notification.objects.all().delete()
    edit(reviewer, change, "Ask @admin")
    edit(reviewer, change, "Ask @admin and @author")
    told = Notification.objects.order_by("pk").values_list("person__username", "kind")
    assert list(told) == [("admin", "mention"), ("author", "mention")]
