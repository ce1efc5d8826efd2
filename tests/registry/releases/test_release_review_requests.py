"""Asking a reviewer for all approvals that a release needs from them, and reminding them."""

from datetime import timedelta

import pytest

from registry.changes import rules
from registry.changes.models import ChangeRequest
from registry.changes.review_requests import REMINDER_PAUSE, ask_for_review
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.notifications.models import Notification
from registry.releases import review_requests
from registry.releases import services as release_services
from tests.registry.releases.conftest import FOUR


def asked():
    return {change.template.name: list(change.asked) for change in ChangeRequest.objects.select_related("template")}


def wait_a_day():
    for change in ChangeRequest.objects.all():
        for facts in change.asked.values():
            facts["at"] -= (REMINDER_PAUSE + timedelta(minutes=1)) // timedelta(microseconds=1)
        change.save(update_fields=["asked"])


def test_every_change_that_needs_an_approval_asks_the_person(author, open_release, approve_all):
    release = open_release()
    approve_all(release, names=FOUR[:1])
    notices = Notification.objects.filter(person__username="admin")
    before = notices.count()
    numbers = review_requests.ask_for_release_review(actor=author, number=release.number, person="admin")
    assert len(numbers) == 3
    assert asked() == {FOUR[0]: [], **{name: ["admin"] for name in FOUR[1:]}}
    assert notices.count() - before == 3


def test_nobody_is_asked_twice_within_a_day_and_is_reminded_after_it(author, open_release):
    release = open_release(FOUR[:2])
    ask = {"actor": author, "number": release.number, "person": "admin"}
    review_requests.ask_for_release_review(**ask)
    with pytest.raises(Conflict, match="admin was asked by author within the last day"):
        review_requests.ask_for_release_review(**ask)
    wait_a_day()
    assert len(review_requests.ask_for_release_review(**ask)) == 2


def test_a_change_whose_review_was_requested_today_is_left_out(author, open_release, find_member):
    release = open_release(FOUR[:2])
    ask_for_review(actor=author, number=find_member(release, FOUR[0]).number, person="admin")
    numbers = review_requests.ask_for_release_review(actor=author, number=release.number, person="admin")
    assert numbers == [find_member(release, FOUR[1]).number]


@pytest.mark.parametrize(
    ("person", "reason"),
    [("reader", "can't approve in support"), ("nobody", "can't approve"), ("author", "ask somebody else")],
)
def test_a_person_who_cannot_approve_cannot_be_asked(author, open_release, person, reason):
    release = open_release(FOUR[:2])
    with pytest.raises(Invalid, match=reason) as error:
        review_requests.ask_for_release_review(actor=author, number=release.number, person=person)
    assert list(error.value.fields) == ["person"]
    assert asked() == {FOUR[0]: [], FOUR[1]: []}


def test_a_release_that_has_its_approvals_asks_nobody(author, open_release, approve_all):
    release = open_release(FOUR[:2])
    approve_all(release)
    with pytest.raises(Conflict, match="needs no further approval"):
        review_requests.ask_for_release_review(actor=author, number=release.number, person="admin")


def test_a_closed_release_asks_nobody(author, open_release):
    release = open_release(FOUR[:2])
    release_services.withdraw_release(actor=author, number=release.number, reason="Later")
    with pytest.raises(Conflict):
        review_requests.ask_for_release_review(actor=author, number=release.number, person="admin")


def test_asking_for_a_review_requires_the_right_to_comment(reader, outsider, open_release):
    release = open_release(FOUR[:2])
    for actor, refusal in ((reader, NotAllowed), (outsider, NotFound)):
        with pytest.raises(refusal):
            review_requests.ask_for_release_review(actor=actor, number=release.number, person="admin")


def test_an_owner_is_asked_where_only_an_owner_is_missing(admin, author, open_release, approve_all):
    owners = [{"pattern": "refunds/*", "people": ["admin"]}]
    rules.set_rules(actor=admin, namespace="support", owners=owners)
    release = open_release()
    approve_all(release)
    review_requests.ask_for_release_review(actor=author, number=release.number, person="admin")
    assert {name for name, people in asked().items() if people} == {FOUR[2], FOUR[3]}
