"""Drafts: saving, replacing, discarding and restoring one's own."""

import pytest

from registry.core.errors import Invalid, NotAllowed, NotFound, TooLarge
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces.verbs import Verb
from registry.templates import drafts
from registry.templates import queries as template_queries
from registry.templates.models import Draft
from registry.templates.save import save_version

pytestmark = pytest.mark.dialect


def keep(actor, **facts):
    return drafts.save_draft(**{"actor": actor, "namespace": "support", "path": "reply", "document": "work"} | facts)


def test_a_draft_is_kept_and_replaced(author):
    keep(author, document="one")
    keep(author, document="two: [", samples="{", message="half")
    draft = template_queries.find_draft(author, "support/reply")
    assert (draft.document, draft.samples, draft.message) == ("two: [", "{", "half")
    assert Draft.objects.count() == 1


def test_each_person_sees_their_own(author, reviewer):
    keep(author)
    assert template_queries.find_draft(reviewer, "support/reply") is None
    assert [draft.path for draft in template_queries.list_drafts(author)] == ["reply"]
    assert template_queries.list_drafts(reviewer) == []


def test_work_without_a_name_has_a_place(author):
    keep(author, path="")
    assert template_queries.find_draft(author, "support/").document == "work"


def test_a_draft_has_the_version_that_it_is_based_on(author, save):
    version = save("one")
    assert keep(author, base=1).base == version
    with pytest.raises(NotFound, match="no version 2"):
        keep(author, base=2)


def test_thrown_away_it_is_gone(author):
    keep(author)
    drafts.discard_draft(actor=author, namespace="support", path="reply")
    drafts.discard_draft(actor=author, namespace="support", path="reply")
    assert not Draft.objects.exists()


def test_a_discarded_draft_can_be_restored(author):
    keep(author, document="one")
    drafts.discard_draft(actor=author, namespace="support", path="reply")
    assert template_queries.find_draft(author, "support/reply") is None
    assert template_queries.find_discarded_draft(author, "support/reply").document == "one"
    drafts.restore_draft(actor=author, namespace="support", path="reply")
    assert template_queries.find_draft(author, "support/reply").document == "one"


def test_restoring_swaps_the_current_and_the_discarded_draft(author):
    keep(author, document="one")
    drafts.discard_draft(actor=author, namespace="support", path="reply")
    keep(author, document="two")
    drafts.restore_draft(actor=author, namespace="support", path="reply")
    assert template_queries.find_draft(author, "support/reply").document == "one"
    assert template_queries.find_discarded_draft(author, "support/reply").document == "two"


def test_without_a_discarded_draft_there_is_nothing_to_restore(author, reviewer):
    keep(author)
    drafts.discard_draft(actor=author, namespace="support", path="reply")
    with pytest.raises(NotFound, match="no discarded draft"):
        drafts.restore_draft(actor=reviewer, namespace="support", path="reply")


def test_after_thirty_days_a_discarded_draft_is_deleted(author):
    keep(author)
    drafts.discard_draft(actor=author, namespace="support", path="reply")
    assert drafts.delete_old_drafts() == 0
    Draft.everything.update(discarded_at=log.now() - drafts.KEPT)
    assert template_queries.find_discarded_draft(author, "support/reply") is None
    assert drafts.delete_old_drafts() == 1


def test_each_write_counts(author):
    assert keep(author, revision=0).revision == 1
    assert keep(author, document="two", revision=1).revision == 2


@pytest.mark.parametrize("revision", [0, 1, 3])
def test_work_that_the_caller_has_not_seen_is_not_written_over(author, revision):
    keep(author, document="one")
    keep(author, document="two")
    with pytest.raises(drafts.NewerDraft) as caught:
        keep(author, document="three", revision=revision)
    assert caught.value.draft.document == "two"
    assert template_queries.find_draft(author, "support/reply").document == "two"


def test_the_same_work_sent_again_is_not_a_conflict(author):
    keep(author, document="one")
    again = keep(author, document="one", revision=0)
    assert (again.document, again.revision) == ("one", 1)


def test_a_request_that_arrives_twice_lets_the_next_one_through(author):
    keep(author, document="one", revision=0)
    keep(author, document="one", revision=0)
    keep(author, document="two", revision=1)
    with pytest.raises(drafts.NewerDraft):
        keep(author, document="one", revision=0)
    assert template_queries.find_draft(author, "support/reply").document == "two"


def test_the_same_text_of_another_version_is_written(author, save):
    save("one")
    keep(author, document="one", revision=0)
    draft = keep(author, document="one", base=1, revision=1)
    assert (draft.base.number, draft.revision) == (1, 2)


def test_a_draft_that_is_gone_is_reported(author):
    keep(author)
    drafts.discard_draft(actor=author, namespace="support", path="reply")
    with pytest.raises(drafts.NewerDraft) as caught:
        keep(author, revision=1)
    assert caught.value.draft is None


def test_a_draft_is_not_an_event(author):
    before = Event.objects.count()
    keep(author)
    assert Event.objects.count() == before


def test_readers_and_outsiders_keep_none(reader, outsider):
    with pytest.raises(NotAllowed):
        keep(reader)
    with pytest.raises(NotFound):
        keep(outsider)


@pytest.mark.parametrize("facts", [{"path": "../x"}, {"document": "a\0"}, {"message": 3}])
def test_an_invalid_draft_is_refused(author, facts):
    with pytest.raises(Invalid):
        keep(author, **facts)


def test_a_draft_has_a_size(author):
    with pytest.raises(TooLarge):
        keep(author, document="a" * (512 * 1024 + 1))


def save_text(author, document, **facts):
    latest = template_queries.find_template(author, Verb.READ, "support/reply").latest
    save_version(actor=author, name="support/reply", document=document, message="", base=latest.digest, **facts)


def test_a_save_that_did_not_read_the_draft_leaves_its_other_text_to_be_restored(author, save, document):
    save("one")
    keep(author, document="two")
    save_text(author, document("three"))
    assert template_queries.find_draft(author, "support/reply") is None
    assert template_queries.find_discarded_draft(author, "support/reply").document == "two"


def test_a_save_of_the_text_of_the_draft_leaves_nothing_to_restore(author, save, document):
    save("one")
    keep(author, document=document("two"))
    save_text(author, document("two"))
    assert not Draft.everything.exists()


def test_a_save_over_the_revision_that_it_read_leaves_nothing_to_restore(author, save, document):
    save("one")
    revision = keep(author, document="two").revision
    save_text(author, document("three"), draft_revision=revision)
    assert not Draft.everything.exists()


def test_a_text_is_set_aside_next_to_the_draft(author):
    draft = keep(author, document="one")
    drafts.set_text_aside(draft, document="two")
    assert template_queries.find_draft(author, "support/reply").document == "one"
    assert template_queries.find_discarded_draft(author, "support/reply").document == "two"
