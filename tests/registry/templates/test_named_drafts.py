"""Several drafts of one template: starting and naming them."""

import pytest

from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.templates import drafts, named_drafts
from registry.templates import queries as template_queries
from registry.templates import restore as template_restore
from registry.templates import save as template_save
from registry.templates.models import Draft

pytestmark = pytest.mark.dialect
NAME = "support/reply"


def keep(actor, name="", **facts):
    return drafts.save_draft(
        **{"actor": actor, "namespace": "support", "path": "reply", "document": "work", "name": name} | facts
    )


def start(actor, name="Shorter", source="draft"):
    return named_drafts.start_named_draft(actor=actor, name=NAME, draft_name=name, source=source)


def rename(actor, old, new):
    return named_drafts.rename_draft(actor=actor, name=NAME, draft_name=old, new_name=new)


def names_of(actor):
    return [draft.name for draft in template_queries.list_template_drafts(actor, NAME)]


def test_drafts_of_one_template_are_apart(author):
    keep(author, document="one")
    keep(author, "Shorter", document="two")
    keep(author, "Shorter", document="three", revision=1)
    assert template_queries.find_draft(author, NAME).document == "one"
    assert template_queries.find_draft(author, NAME, "Shorter").document == "three"
    assert names_of(author) == ["", "Shorter"]


def test_a_stamp_is_of_one_draft(author):
    keep(author, document="one")
    keep(author, "Shorter", document="two")
    with pytest.raises(drafts.NewerDraft) as caught:
        keep(author, "Shorter", document="three", revision=0)
    assert caught.value.draft.document == "two"


def test_another_draft_starts_from_a_version_or_a_draft(author, save):
    first = save("one")
    newest = save("two", base=first.digest)
    keep(author, document="mine", samples='{"a": {}}', message="half", base=1)
    copied = start(author)
    assert (copied.document, copied.samples, copied.message, copied.base) == ("mine", '{"a": {}}', "half", first)
    older = start(author, "From one", "1")
    assert (older.document, older.base) == (first.document, newest)
    assert start(author, "Again", named_drafts.build_draft_ref("Shorter")).document == "mine"


def test_an_unknown_source_starts_no_draft(author, save):
    save("one")
    for source in ("draft", "draft:Longer", "7"):
        with pytest.raises(NotFound):
            start(author, source=source)
    with pytest.raises(Invalid):
        start(author, source="draft:")
    assert names_of(author) == []


@pytest.mark.parametrize("name", ["", "  ", "draft", "Draft", "a" * 61, "a\u200bb", "a\0"])
def test_a_name_that_a_draft_can_not_have_is_refused(author, name):
    keep(author)
    with pytest.raises(Invalid) as caught:
        start(author, name)
    assert set(caught.value.fields) == {"draft"}
    with pytest.raises(Invalid):
        rename(author, "", name)


def test_a_name_is_taken_in_any_case_of_letters(author, reviewer):
    keep(author)
    start(author)
    with pytest.raises(Invalid, match="already a draft called SHORTER"):
        start(author, "SHORTER")
    with pytest.raises(Invalid, match="already a draft called shorter"):
        rename(author, "", "shorter")
    assert rename(author, "Shorter", "SHORTER").name == "SHORTER"
    assert keep(reviewer, "Shorter").name == "Shorter"


def test_spaces_of_a_name_are_made_single(author):
    assert keep(author, "  two   words ").name == "two words"


def test_a_person_has_so_many_drafts_of_a_template(author):
    for number in range(drafts.MAX_DRAFTS):
        keep(author, f"number {number}")
    with pytest.raises(Conflict, match=f"{drafts.MAX_DRAFTS} drafts"):
        keep(author, "one more")


def test_a_renamed_draft_is_gone_under_its_old_name(author):
    keep(author, "Shorter", document="one")
    rename(author, "Shorter", "Longer")
    with pytest.raises(drafts.NewerDraft) as caught:
        keep(author, "Shorter", document="two", revision=1)
    assert caught.value.draft is None


def test_a_draft_that_took_the_name_is_not_written_over(author):
    keep(author, document="one")
    keep(author, "Shorter", document="two")
    rename(author, "Shorter", "Longer")
    rename(author, "", "Shorter")
    with pytest.raises(drafts.NewerDraft) as caught:
        keep(author, "Shorter", document="three", revision=1)
    assert caught.value.draft.document == "one"


def test_discarding_and_restoring_is_by_name(author):
    keep(author, document="one")
    keep(author, "Shorter", document="two")
    drafts.discard_draft(actor=author, namespace="support", path="reply", name="Shorter")
    assert names_of(author) == [""]
    assert [draft.name for draft in template_queries.list_discarded_drafts(author, NAME)] == ["Shorter"]
    with pytest.raises(NotFound):
        drafts.restore_draft(actor=author, namespace="support", path="reply")
    restored = drafts.restore_draft(actor=author, namespace="support", path="reply", name="Shorter")
    assert restored.document == "two"
    assert names_of(author) == ["", "Shorter"]


def test_a_name_that_was_taken_since_keeps_a_draft_from_being_restored(author):
    keep(author, "Shorter")
    drafts.discard_draft(actor=author, namespace="support", path="reply", name="Shorter")
    keep(author, "SHORTER")
    with pytest.raises(Invalid, match="already a draft"):
        drafts.restore_draft(actor=author, namespace="support", path="reply", name="Shorter")


def test_a_save_ends_the_draft_it_was_made_of(author, document):
    keep(author, document="one")
    keep(author, "Shorter", document="two")
    template_save.save_version(actor=author, name=NAME, document=document("one"), message="", draft_name="Shorter")
    assert names_of(author) == [""]


def test_a_version_is_started_in_the_draft_that_is_named(author, save):
    first = save("one")
    save("two", base=first.digest)
    keep(author, document="mine")
    keep(author, "Shorter", document="other")
    started = template_restore.start_draft(actor=author, name=NAME, ref="1", draft_name="Shorter")
    assert (started.draft.name, started.replaced.document) == ("Shorter", "other")
    assert template_queries.find_draft(author, NAME).document == "mine"


def test_only_authors_start_and_rename(author, reader, outsider, reviewer):
    keep(author)
    for actor, error in ((reader, NotAllowed), (outsider, NotFound)):
        with pytest.raises(error):
            start(actor)
        with pytest.raises(error):
            rename(actor, "", "Shorter")
    with pytest.raises(NotFound):
        rename(reviewer, "", "Shorter")
    assert list(Draft.objects.values_list("name", flat=True)) == [""]
