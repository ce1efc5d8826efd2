"""Comments on a release: who may edit and delete them, what stays readable, and who is notified."""

import pytest
from django.db import DatabaseError, transaction

from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.notifications.models import MENTION, Notification
from registry.redaction import repeated_texts
from registry.releases import comments, queries
from registry.releases import services as release_services
from registry.releases.comment_texts import read_comment_texts
from registry.releases.models import ReleaseCommentRevision

FOUR = ["support/refunds/one"]


@pytest.fixture
def release(author, reviewer, open_release):
    """A release with a comment of the reviewer's and one of the author's."""
    release = open_release(FOUR)
    comments.comment_on_release(actor=reviewer, number=1, text="Also for sale items?")
    comments.comment_on_release(actor=author, number=1, text="Yes")
    return release


def mentioned():
    return sorted(Notification.objects.filter(kind=MENTION).values_list("person__username", flat=True))


def kinds():
    found = Event.objects.filter(kind__startswith="release.comment_").order_by("number")
    return [event.kind for event in found]


def test_an_edited_comment_says_the_new_words_and_keeps_the_earlier_ones(release, reviewer):
    comments.edit_release_comment(actor=reviewer, number=1, comment=1, text=" Also for **sale** items? ")
    comments.edit_release_comment(actor=reviewer, number=1, comment=1, text="Never mind")
    comment_text = read_comment_texts(release)[1]
    assert comment_text.text == "Never mind"
    assert [earlier.text for earlier in comment_text.earlier] == ["Also for sale items?", "Also for **sale** items?"]
    assert comment_text.changed_at == ReleaseCommentRevision.objects.latest("number").created_at
    assert kinds() == ["release.comment_edited"] * 2


def test_the_same_words_change_nothing(release, reviewer):
    comments.edit_release_comment(actor=reviewer, number=1, comment=1, text=" Also for sale items? ")
    assert kinds() == []


def test_a_deleted_comment_keeps_its_place_without_any_words(release, reviewer):
    comments.edit_release_comment(actor=reviewer, number=1, comment=1, text="Oh")
    comments.delete_release_comment(actor=reviewer, number=1, comment=1)
    moments = [each for each in queries.list_release_moments(release) if each.event.kind == "release.commented"]
    assert [(each.comment_text.text, each.comment_text.is_deleted, each.comment_text.earlier) for each in moments] == [
        ("", True, ()),
        ("Yes", False, ()),
    ]
    for act in (
        lambda: comments.edit_release_comment(actor=reviewer, number=1, comment=1, text="Back"),
        lambda: comments.delete_release_comment(actor=reviewer, number=1, comment=1),
    ):
        with pytest.raises(Conflict, match="You deleted this comment"):
            act()


def test_the_database_keeps_a_later_text_as_it_is(release, reviewer):
    comments.edit_release_comment(actor=reviewer, number=1, comment=1, text="Better")
    with pytest.raises(DatabaseError, match="for ever"), transaction.atomic():
        ReleaseCommentRevision.objects.update(text="Other words")
    with pytest.raises(DatabaseError, match="for ever"), transaction.atomic():
        ReleaseCommentRevision.objects.all().delete()
    assert ReleaseCommentRevision.objects.get().text == "Better"


def test_comments_that_repeat_a_redacted_text_are_named(release, reviewer):
    comments.comment_on_release(actor=reviewer, number=1, text="It says zebra-4711")
    comments.edit_release_comment(actor=reviewer, number=1, comment=1, text="Why zebra-4711?")
    named = list(repeated_texts.list_remaining_copies(["zebra-4711"]))
    assert "comment 3 on release 1" in named
    assert "a later text of comment 1 on release 1" in named


def test_nobody_edits_or_deletes_the_words_of_others(release, admin, author, reader, outsider):
    for actor, error in ((admin, NotAllowed), (author, NotAllowed), (reader, NotAllowed), (outsider, NotFound)):
        with pytest.raises(error):
            comments.edit_release_comment(actor=actor, number=1, comment=1, text="No")
        with pytest.raises(error):
            comments.delete_release_comment(actor=actor, number=1, comment=1)
    assert kinds() == []


def test_a_comment_needs_words_and_has_to_be_there(release, reviewer):
    with pytest.raises(Invalid):
        comments.edit_release_comment(actor=reviewer, number=1, comment=1, text=" \n")
    with pytest.raises(NotFound, match="no such comment"):
        comments.edit_release_comment(actor=reviewer, number=1, comment=3, text="Hm")


def test_a_closed_release_can_still_be_edited(release, author, reviewer):
    release_services.withdraw_release(actor=author, number=1, reason="Later")
    comments.edit_release_comment(actor=reviewer, number=1, comment=1, text="Too late")
    assert read_comment_texts(release)[1].text == "Too late"


def test_mentioned_people_are_notified_once_even_after_an_edit(release, reviewer):
    comments.comment_on_release(actor=reviewer, number=1, text="What do you say, @admin?")
    assert mentioned() == ["admin"]
    comments.edit_release_comment(actor=reviewer, number=1, comment=3, text="@admin and @reader?")
    assert mentioned() == ["admin", "reader"]
    comments.edit_release_comment(actor=reviewer, number=1, comment=3, text="`@author`")
    assert mentioned() == ["admin", "reader"]
