"""Moving unprotected labels: who may, and which moves are refused."""

import json

import pytest

from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove


def test_a_free_label_is_set_and_moved(author, save):
    save("one"), save("two")
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    moved = labels.move_label(actor=author, name="support/reply", label="staging", version=2, expected=1)
    assert moved.version.number == 2
    assert list(LabelMove.objects.order_by("pk").values_list("before__number", "after__number", "how")) == [
        (None, 1, "moved"),
        (1, 2, "moved"),
    ]


@pytest.mark.parametrize("expected", [None, 2, 7])
def test_a_label_that_serves_another_version_is_left_alone(author, save, expected):
    save("one"), save("two")
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    with pytest.raises(Conflict) as caught:
        labels.move_label(actor=author, name="support/reply", label="staging", version=2, expected=expected)
    assert caught.value.facts["actual"] == 1
    assert Label.objects.get().version.number == 1


def test_moving_to_the_same_version_appends_no_event(author, save):
    save("one")
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    before = Event.objects.count()
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=1)
    assert Event.objects.count() == before


def test_a_protected_label_needs_an_approved_request(author, admin, save):
    save("one")
    for actor in (author, admin):
        with pytest.raises(ApprovalRequired, match="production is protected in support"):
            labels.move_label(actor=actor, name="support/reply", label="production", version=1, expected=None)
    assert not Label.objects.exists()


def test_latest_can_not_be_set(author, save):
    save("one")
    with pytest.raises(Invalid, match="latest"):
        labels.move_label(actor=author, name="support/reply", label="latest", version=1, expected=None)


def test_a_missing_version_can_not_be_labelled(author, save):
    save("one")
    with pytest.raises(NotFound, match="no version 9"):
        labels.move_label(actor=author, name="support/reply", label="staging", version=9, expected=None)


def test_a_reader_moves_nothing(reader, save):
    save("one")
    with pytest.raises(NotAllowed):
        labels.move_label(actor=reader, name="support/reply", label="staging", version=1, expected=None)


def test_a_label_can_be_taken_away(author, save):
    save("one")
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    labels.remove_label(actor=author, name="support/reply", label="staging", expected=1)
    assert not Label.objects.exists()
    body = json.loads(Event.objects.latest("number").text)["body"]
    assert (body["from"], body["to"], body["how"], body["reason"]) == (1, None, "removed", "")


def test_a_label_is_taken_away_with_a_reason(author, save):
    save("one")
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    labels.remove_label(actor=author, name="support/reply", label="staging", expected=1, reason=" No longer used\n")
    assert LabelMove.objects.get(how="removed").reason == "No longer used"
    assert json.loads(Event.objects.latest("number").text)["body"]["reason"] == "No longer used"
    with pytest.raises(Invalid):
        labels.remove_label(actor=author, name="support/reply", label="staging", expected=1, reason="x\0")


def test_a_label_that_is_not_set_can_not_be_taken_away(author, save):
    save("one")
    with pytest.raises(Conflict, match="is not set"):
        labels.remove_label(actor=author, name="support/reply", label="staging", expected=1)


def test_a_protected_label_can_not_be_taken_away(admin, save, publish):
    publish(save("one"))
    with pytest.raises(ApprovalRequired):
        labels.remove_label(actor=admin, name="support/reply", label="production", expected=1)
