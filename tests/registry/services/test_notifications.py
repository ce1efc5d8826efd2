import pytest

from registry.changes import services as change_services
from registry.changes import threads
from registry.changes.threads import Place
from registry.notifications import queries as found
from registry.notifications import services as notification_services
from registry.notifications.models import Notification
from registry.templates import labels


def heard(actor, **facts):
    return [one.sentence for one in found.page(actor, **facts).items]


@pytest.fixture
def change(propose, save):
    return propose(save("one"))


def test_reviewers_hear_of_a_request_and_are_waited_for(author, reviewer, admin, reader, change):
    for actor in (reviewer, admin):
        (one,) = found.page(actor).items
        assert one.sentence == "author asks for your review: support/reply 1 for production (change 1)."
        assert one.is_waiting
    assert heard(author) == heard(reader) == []


def test_who_decided_is_waited_for_no_more(reviewer, admin, change, approve):
    approve(change)
    assert found.count_unread(reviewer) == 0
    assert found.count_unread(admin) == 1


def test_the_author_hears_of_a_decision(author, change, approve):
    approve(change)
    assert heard(author) == ["reviewer approved support/reply 1 for production (change 1)."]


def test_a_new_head_asks_the_reviewers_again(author, reviewer, change, approve, save):
    approve(change)
    change_services.set_version(actor=author, number=1, version=save("two").number)
    assert heard(reviewer, unread=True) == ["author asks for your review: support/reply 2 for production (change 1)."]


def test_publishing_ends_the_waiting(author, reviewer, admin, change, approve):
    approve(change)
    change_services.publish(actor=author, number=1)
    assert found.count_unread(admin) == 0
    assert heard(reviewer)[0] == "author published support/reply: production is on version 1."


def test_withdrawing_ends_it_too(author, reviewer, change):
    change_services.withdraw(actor=author, number=1)
    assert found.count_unread(reviewer) == 0


def test_a_roll_back_concerns_authors_and_reviewers(author, reviewer, admin, publish, save):
    publish(save("one")), publish(save("two"))
    labels.roll_back(actor=reviewer, name="support/reply", label="production", version=1, reason="It lied.")
    sentence = "reviewer rolled back support/reply: production is on version 1. It lied."
    assert heard(author)[0] == heard(admin)[0] == sentence


def test_a_comment_reaches_the_author_and_an_answer_the_commenter(author, reviewer, change):
    threads.open_at(actor=reviewer, number=1, place=Place(version=1, line=7), text="Hm")
    assert heard(author) == ["reviewer wrote on line 7 of support/reply 1 for production (change 1)."]
    threads.reply(actor=author, number=1, thread=1, text="Yes")
    assert heard(reviewer)[0] == "author wrote on line 7 of support/reply 1 for production (change 1)."


def test_read_ones_are_not_new(reviewer, admin, change):
    assert notification_services.mark_read(actor=reviewer) == 1
    assert heard(reviewer, unread=True) == []
    assert notification_services.mark_read(actor=reviewer, ids=[found.page(admin).items[0].pk]) == 0
    assert found.count_unread(admin) == 1


def test_a_free_label_moves_in_silence(author, save):
    save("one")
    labels.move(actor=author, name="support/reply", label="staging", version=1, expected=None)
    assert not Notification.objects.exists()
