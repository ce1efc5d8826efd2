"""Notifications: who is notified of which event, and when a waiting item is settled."""

from registry.changes import services as change_services
from registry.changes import threads
from registry.changes.threads import Place
from registry.notifications import services as notification_services
from registry.notifications.models import Notification
from registry.templates import labels


def notifications(actor):
    return Notification.objects.filter(person=actor.person).order_by("-pk")


def unread(actor):
    return [notification.sentence for notification in notifications(actor).filter(read_at=None)]


def sentences(actor):
    return [notification.sentence for notification in notifications(actor)]


def test_reviewers_hear_of_a_request_and_are_waited_for(author, reviewer, admin, reader, change):
    for actor in (reviewer, admin):
        (notification,) = notifications(actor)
        assert notification.sentence == "author asks for your review: support/reply v1 for production (change 1)."
        assert notification.is_waiting
    assert sentences(author) == sentences(reader) == []


def test_a_decision_clears_the_reviewers_notification(reviewer, admin, change, approve):
    approve(change)
    assert not unread(reviewer)
    assert len(unread(admin)) == 1


def test_the_author_is_notified_of_a_decision(author, change, approve):
    approve(change)
    assert sentences(author) == ["reviewer approved support/reply v1 for production (change 1)."]


def test_a_new_head_asks_the_reviewers_again(author, reviewer, change, approve, save):
    approve(change)
    change_services.set_head(actor=author, number=1, version=save("two").number)
    assert unread(reviewer) == ["author asks for your review: support/reply v2 for production (change 1)."]


def test_publishing_ends_the_waiting(author, reviewer, admin, change, approve):
    approve(change)
    change_services.publish_change(actor=author, number=1)
    assert not unread(admin)
    assert sentences(reviewer)[0] == "author published support/reply: production is on version 1."


def test_withdrawing_ends_it_too(author, reviewer, change):
    change_services.withdraw_change(actor=author, number=1, reason="Not needed")
    assert not unread(reviewer)


def test_a_roll_back_concerns_authors_and_reviewers(author, reviewer, admin, publish, save):
    publish(save("one")), publish(save("two"))
    labels.roll_back_label(actor=reviewer, name="support/reply", label="production", version=1, reason="It lied.")
    sentence = "reviewer rolled back support/reply: production is on version 1. It lied."
    assert sentences(author)[0] == sentences(admin)[0] == sentence


def test_a_comment_reaches_the_author_and_an_answer_the_commenter(author, reviewer, change):
    threads.open_thread(actor=reviewer, number=1, place=Place(version=1, line=7), text="Hm")
    assert sentences(author) == ["reviewer wrote on line 7 of support/reply v1 for production (change 1)."]
    threads.reply_to_thread(actor=author, number=1, thread=1, text="Yes")
    assert sentences(reviewer)[0] == "author wrote on line 7 of support/reply v1 for production (change 1)."


def test_read_ones_are_not_new(reviewer, admin, change):
    assert notification_services.mark_notifications_read(actor=reviewer, ids=[notifications(reviewer)[0].pk]) == 1
    assert unread(reviewer) == []
    assert notification_services.mark_notifications_read(actor=reviewer, ids=[notifications(admin)[0].pk]) == 0
    assert len(unread(admin)) == 1


def test_a_free_label_moves_in_silence(author, save):
    save("one")
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    assert not Notification.objects.exists()
