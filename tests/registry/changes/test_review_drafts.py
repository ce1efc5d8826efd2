"""Remarks are kept until their author sends them as one review."""

import pytest

from registry.changes import review_drafts, threads
from registry.changes import services as change_services
from registry.changes.models import Decision
from registry.changes.thread_models import Remark, Thread
from registry.changes.threads import Place
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event

SECOND_LINE = Place(1, 2)


@pytest.fixture
def keep(change, reviewer):
    def run(text="Which one?", actor=None, place=SECOND_LINE, **further):
        return review_drafts.save_remark(
            actor=actor or reviewer, number=change.number, text=text, place=place, **further
        )

    return run


def send(change, actor, decision="", **further):
    return review_drafts.send_review(
        actor=actor, number=change.number, digest=change.version.digest, decision=decision, **further
    )


def test_a_kept_remark_is_visible_to_its_author_only(change, keep):
    before = Event.objects.count()
    kept = keep()
    assert (kept.line, kept.end_line, kept.text) == (2, 2, "Which one?")
    assert Event.objects.count() == before
    assert not Thread.objects.exists()


def test_remarks_and_a_decision_go_out_together(change, keep, reviewer):
    keep(), keep("And this?", place=Place(1, 1, 2), suggestion="- name: other\n")
    sent = send(change, reviewer, "approve", text="Fine but for these.")
    assert (sent.remarks, sent.decision.decision) == (2, "approve")
    _, second = Thread.objects.order_by("number")
    assert (second.line, second.end_line) == (1, 2)
    assert second.comments.get().suggestion == "- name: other\n"
    assert not Remark.objects.exists()
    kinds = list(Event.objects.order_by("-number").values_list("kind", flat=True)[:3])
    assert kinds == ["change.decided", "comment.added", "comment.added"]


def test_remarks_alone_make_no_decision(change, keep, reviewer):
    keep()
    assert send(change, reviewer).decision is None
    assert not Decision.objects.exists()
    assert Thread.objects.count() == 1


def test_asking_for_edits_without_words_points_to_the_remarks(change, keep, reviewer):
    keep()
    assert send(change, reviewer, "request_changes").decision.text == "See my remark on the lines."


def test_a_refused_decision_sends_nothing_and_loses_nothing(change, keep, reviewer):
    keep()
    with pytest.raises(Conflict):
        review_drafts.send_review(actor=reviewer, number=change.number, digest="sha256:" + "0" * 64, decision="approve")
    assert not Thread.objects.exists()
    assert Remark.objects.get().text == "Which one?"


def test_a_remark_on_an_older_head_goes_out_on_its_lines(change, keep, author, save, reviewer):
    keep()
    change_services.set_head(actor=author, number=change.number, version=save("two").number)
    change.refresh_from_db()
    send(change, reviewer)
    assert Thread.objects.get().version.number == 1


def test_a_reply_waits_too(change, reviewer, author):
    threads.open_thread(actor=reviewer, number=change.number, place=Place(1, 2), text="Which?")
    review_drafts.save_remark(actor=author, number=change.number, thread=1, text="This one.")
    send(change, author)
    assert [said.text for said in Thread.objects.get().comments.order_by("number")] == ["Which?", "This one."]


def test_a_remark_is_written_again_or_thrown_away(change, keep, reviewer, author):
    kept = keep()
    keep("Rather this.", remark=kept.pk)
    assert Remark.objects.get().text == "Rather this."
    with pytest.raises(NotFound):
        keep("Mine?", actor=author, remark=kept.pk)
    review_drafts.discard_remark(actor=author, number=change.number, remark=kept.pk)
    assert Remark.objects.exists()
    review_drafts.discard_remark(actor=reviewer, number=change.number, remark=kept.pk)
    assert not Remark.objects.exists()


def test_invalid_remarks_are_refused(change, keep, reader, outsider):
    for wrong in ({"text": " "}, {"place": Place(1, 99)}, {"place": None}):
        with pytest.raises(Invalid):
            keep(**wrong)
    with pytest.raises(NotAllowed):
        keep(actor=reader)
    with pytest.raises(NotFound):
        keep(actor=outsider)
    assert not Remark.objects.exists()


def test_an_empty_review_is_refused(change, reviewer):
    with pytest.raises(Invalid):
        send(change, reviewer)
