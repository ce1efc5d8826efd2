"""Merging what a label serves into a change: clean merges, conflicts, and refusals."""

import pytest

from registry.changes import gate
from registry.changes import merge as change_merge
from registry.changes import services as change_services
from registry.core.errors import Conflict, Invalid
from registry.templates import save as template_save
from registry.templates.models import Version

BASE = "- name: one\n  content: first\n- name: two\n  content: second\n- name: three\n  content: third\n"


@pytest.fixture
def beside(author, publish, propose):
    """Versions 1 and 2 went live in turn; a request proposes 3, which is based on 1 like 2."""

    def run(theirs, ours):
        def save(document, base=None):
            saved = template_save.save_version(
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
    assert change_merge.preview_merge(change).merged.is_clean
    change = change_merge.merge_change(actor=author, number=change.number)
    assert change.version.document == BASE.replace("first", "FIRST").replace("third", "THIRD")
    assert (change.version.base.number, change.version.message) == (2, "Merge version 2 into version 3")
    approve(change)
    assert change_services.publish_change(actor=author, number=change.number).state == "published"


def test_changes_of_one_line_are_shown_and_decided(author, beside):
    change = beside(BASE.replace("first", "theirs"), BASE.replace("first", "ours"))
    merge = change_merge.preview_merge(change)
    assert (
        "<<<<<<< version 3\n  content: ours\n=======\n  content: theirs\n>>>>>>> version 2 (production)"
        in merge.merged.text
    )
    with pytest.raises(Conflict) as caught:
        change_merge.merge_change(actor=author, number=change.number)
    assert caught.value.facts["lines"] == [2]
    change = change_merge.merge_change(actor=author, number=change.number, document=BASE.replace("first", "both"))
    assert gate.evaluate(change, author).blockers[0].code == "approvals"


def test_markers_left_behind_are_refused(author, beside):
    change = beside(BASE.replace("first", "theirs"), BASE.replace("first", "ours"))
    with pytest.raises(Conflict, match="Line 2 still has"):
        change_merge.merge_change(
            actor=author, number=change.number, document=change_merge.preview_merge(change).merged.text
        )


def test_a_merge_that_is_not_a_sound_document_changes_nothing(author, beside):
    change = beside(BASE.replace("first", "FIRST"), BASE.replace("third", "THIRD"))
    with pytest.raises(Invalid):
        change_merge.merge_change(actor=author, number=change.number, document="- name: [")
    assert Version.objects.count() == 3


def test_a_version_based_on_the_label_needs_no_merge(author, save, propose):
    change = propose(save("one"))
    assert change_merge.preview_merge(change) is None
    with pytest.raises(Conflict, match="nothing to merge"):
        change_merge.merge_change(actor=author, number=change.number)


def test_a_head_that_has_it_all_already_still_gets_a_version_of_its_own(author, beside):
    change = beside(BASE.replace("first", "FIRST"), BASE.replace("first", "FIRST").replace("third", "THIRD"))
    change = change_merge.merge_change(actor=author, number=change.number)
    assert (change.version.number, change.version.base.number) == (4, 2)
    assert [blocker.code for blocker in gate.evaluate(change, author).blockers] == ["approvals"]


def test_a_label_that_has_it_all_already_needs_no_merge(author, beside):
    change = beside(BASE.replace("first", "FIRST").replace("third", "THIRD"), BASE.replace("third", "THIRD"))
    with pytest.raises(Conflict, match="already serves all of this"):
        change_merge.merge_change(actor=author, number=change.number)


def test_a_merge_of_outdated_versions_is_refused(author, beside):
    change = beside(BASE.replace("first", "theirs"), BASE.replace("first", "ours"))
    preview = change_merge.preview_merge(change)
    with pytest.raises(Conflict, match="serves version 2 and the change proposes version 3 now"):
        change_merge.merge_change(
            actor=author, number=change.number, document=BASE, expected=(preview.head.digest, "sha256:" + "0" * 64)
        )
    expected = (preview.head.digest, preview.served.digest)
    change = change_merge.merge_change(
        actor=author, number=change.number, document=BASE.replace("first", "both"), expected=expected
    )
    assert change.version.number == 4
