"""Releases whose templates are renamed while a page is open, or afterwards."""

import pytest

from registry.core.errors import Conflict
from registry.releases import proposals, roll_backs
from registry.releases import services as release_services
from registry.releases.moved_members import read_open_members
from registry.releases.plans import ReleaseSelection
from registry.templates import rename
from tests.registry.releases.conftest import FOUR

RENAMED = "support/terms"
SENTENCE = f"{FOUR[1]} was renamed: it is {RENAMED} now. Use that name."


@pytest.fixture
def rename_second(admin):
    """Rename the second template of the release."""
    return lambda: rename.rename_template(actor=admin, name=FOUR[1], to=RENAMED)


def test_the_seen_state_is_published_under_the_new_name(author, open_release, approve_all, rename_second, served):
    release = open_release(FOUR[:2])
    approve_all(release)
    open_members = read_open_members(release)
    rename_second()
    release_services.publish_release(actor=author, number=release.number, expected=open_members)
    assert served() == {FOUR[0]: 1, RENAMED: 1}


def test_a_change_made_meanwhile_is_reported_by_the_new_name(author, open_release, approve_all, rename_second, served):
    release = open_release(FOUR[:2])
    approve_all(release)
    rename_second()
    seen = {FOUR[0]: (1, 0), FOUR[1]: (2, 0)}
    with pytest.raises(Conflict) as refused:
        release_services.publish_release(actor=author, number=release.number, expected=seen)
    assert refused.value.message == f"{RENAMED}: version 1 would be proposed, where you looked at version 2."
    assert served() == {}


def test_a_roll_back_by_a_former_name_says_the_present_one(reviewer, publish_release, rename_second):
    release = publish_release(FOUR[:2])
    rename_second()
    with pytest.raises(Conflict) as refused:
        roll_backs.roll_back_release(actor=reviewer, number=release.number, reason="Wrong", templates=[FOUR[1]])
    assert (refused.value.message, refused.value.facts["renamed_to"]) == (SENTENCE, RENAMED)


def test_a_proposal_by_a_former_name_says_the_present_one(author, save, rename_second):
    save("one", name=FOUR[1])
    rename_second()
    for selection in (
        ReleaseSelection(versions={FOUR[1]: 1}),
        ReleaseSelection(from_label="latest", templates=[FOUR[1]]),
    ):
        with pytest.raises(Conflict) as refused:
            proposals.propose_release(
                actor=author, namespace="support", label="production", title="Terms", selection=selection
            )
        assert refused.value.message == SENTENCE
