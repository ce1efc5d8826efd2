"""The stored state of a copy's requests, after changes in the template that it was copied from."""

import pytest

from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.templates import rename
from registry.templates import save as template_save

ORIGIN, COPY = "support/draft", "support/fresh"


@pytest.fixture
def approved_copy(author, save, propose, approve) -> ChangeRequest:
    """The approved request of a copy of what the author wrote."""
    origin = save("one", name=ORIGIN)
    saved = template_save.save_version(
        actor=author, name=COPY, document=origin.document, message="", copied_from=f"{ORIGIN}@1"
    )
    change: ChangeRequest = propose(saved.version)
    approve(change)
    change.refresh_from_db()
    return change


def test_saving_the_copied_text_again_is_a_contribution_to_the_copy(approved_copy, reviewer, save):
    assert approved_copy.state == ChangeRequest.APPROVED
    save("two", name=ORIGIN)
    save("one", name=ORIGIN, actor=reviewer)
    approved_copy.refresh_from_db()
    assert approved_copy.state == ChangeRequest.OPEN


def test_that_holds_for_a_copy_of_a_copy_and_after_a_renaming(approved_copy, admin, author, reviewer, save, propose):
    rename.rename_template(actor=admin, name=ORIGIN, to="support/origin")
    saved = template_save.save_version(
        actor=author,
        name="support/second",
        document=approved_copy.version.document,
        message="",
        copied_from=f"{COPY}@1",
    )
    change = propose(saved.version)
    ChangeRequest.objects.filter(pk=change.pk).update(state=ChangeRequest.APPROVED)
    save("two", name="support/origin")
    save("one", name="support/origin", actor=reviewer)
    states = ChangeRequest.objects.filter(template__name__in=[COPY, "support/second"]).values_list("state", flat=True)
    assert set(states) == {ChangeRequest.OPEN}


def test_another_text_in_the_origin_changes_nothing(approved_copy, reviewer, save):
    save("two", name=ORIGIN, actor=reviewer)
    approved_copy.refresh_from_db()
    assert approved_copy.state == ChangeRequest.APPROVED


def test_the_same_text_in_a_template_that_is_not_an_origin_changes_nothing(approved_copy, reviewer, save):
    for mark in ("one", "two", "one"):
        save(mark, name="support/other", actor=reviewer)
    approved_copy.refresh_from_db()
    assert approved_copy.state == ChangeRequest.APPROVED


def test_once_the_copied_text_is_published_its_authors_approve_the_copy(
    approved_copy, admin, author, reviewer, save, propose, approve
):
    save("two", name=ORIGIN)
    again = save("one", name=ORIGIN, actor=reviewer)
    change = propose(again)
    approve(change, actor=admin)
    assert ChangeRequest.objects.get(pk=approved_copy.pk).state == ChangeRequest.OPEN
    change_services.publish_change(actor=author, number=change.number)
    assert ChangeRequest.objects.get(pk=approved_copy.pk).state == ChangeRequest.APPROVED
