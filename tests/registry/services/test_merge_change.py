import pytest

from registry.errors import Conflict, Invalid
from registry.models import Version
from registry.queries import gates, progress
from registry.services import changes, merges, templates

BASE = "- name: one\n  content: first\n- name: two\n  content: second\n- name: three\n  content: third\n"


@pytest.fixture
def beside(author, publish, propose):
    """Version 1 and 2 are live one after the other; a request proposes 3, which was made from 1 beside 2."""

    def run(theirs, ours):
        def save(document, base=None):
            saved = templates.save(
                actor=author, name="support/reply", document=document, message="", base=base, parallel=True
            )
            return saved.version

        first = save(BASE)
        publish(first)
        publish(save(theirs, first.digest))
        return propose(save(ours, first.digest))

    return run


def test_changes_apart_from_each_other_merge_cleanly(author, approve, beside):
    change = beside(BASE.replace("first", "FIRST"), BASE.replace("third", "THIRD"))
    assert progress.merge(change).merged.is_clean
    change = merges.merge(actor=author, number=change.number)
    assert change.version.document == BASE.replace("first", "FIRST").replace("third", "THIRD")
    assert (change.version.base.number, change.version.message) == (2, "Merge version 2 into version 3")
    approve(change)
    assert changes.publish(actor=author, number=change.number).state == "published"


def test_changes_of_one_line_are_shown_and_decided(author, beside):
    change = beside(BASE.replace("first", "theirs"), BASE.replace("first", "ours"))
    merge = progress.merge(change)
    assert (
        "<<<<<<< version 3\n  content: ours\n=======\n  content: theirs\n>>>>>>> version 2 (production)"
        in merge.merged.text
    )
    with pytest.raises(Conflict) as caught:
        merges.merge(actor=author, number=change.number)
    assert caught.value.facts["lines"] == [2]
    change = merges.merge(actor=author, number=change.number, document=BASE.replace("first", "both"))
    assert gates.evaluate(change, author).blockers[0].code == "approvals"


def test_markers_left_behind_are_refused(author, beside):
    change = beside(BASE.replace("first", "theirs"), BASE.replace("first", "ours"))
    with pytest.raises(Conflict, match="Line 2 still holds"):
        merges.merge(actor=author, number=change.number, document=progress.merge(change).merged.text)


def test_a_merge_that_is_no_sound_document_changes_nothing(author, beside):
    change = beside(BASE.replace("first", "FIRST"), BASE.replace("third", "THIRD"))
    with pytest.raises(Invalid):
        merges.merge(actor=author, number=change.number, document="- name: [")
    assert Version.objects.count() == 3


def test_what_comes_from_the_label_needs_no_merge(author, save, propose):
    change = propose(save("one"))
    assert progress.merge(change) is None
    with pytest.raises(Conflict, match="nothing to merge"):
        merges.merge(actor=author, number=change.number)


def test_a_head_that_has_it_all_already_still_gets_a_version_of_its_own(author, beside):
    change = beside(BASE.replace("first", "FIRST"), BASE.replace("first", "FIRST").replace("third", "THIRD"))
    change = merges.merge(actor=author, number=change.number)
    assert (change.version.number, change.version.base.number) == (4, 2)
    assert [blocker.code for blocker in gates.evaluate(change, author).blockers] == ["approvals"]


def test_a_label_that_has_it_all_already_needs_no_merge(author, beside):
    change = beside(BASE.replace("first", "FIRST").replace("third", "THIRD"), BASE.replace("third", "THIRD"))
    with pytest.raises(Conflict, match="holds all of this already"):
        merges.merge(actor=author, number=change.number)


def test_what_was_decided_on_another_state_is_refused(author, beside):
    change = beside(BASE.replace("first", "theirs"), BASE.replace("first", "ours"))
    found = progress.merge(change)
    with pytest.raises(Conflict, match="holds version 2 and the request stands on version 3 now"):
        merges.merge(actor=author, number=change.number, document=BASE, seen=(found.head.digest, "sha256:" + "0" * 64))
    seen = (found.head.digest, found.held.digest)
    change = merges.merge(actor=author, number=change.number, document=BASE.replace("first", "both"), seen=seen)
    assert change.version.number == 4
