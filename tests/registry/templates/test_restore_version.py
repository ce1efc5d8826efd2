"""Restoring an older version, and starting a draft from one."""

import pytest

from registry.core.errors import Conflict, Gone, Invalid, NotAllowed, NotFound, PreconditionRequired, Stale
from registry.journal.models import Event
from registry.redaction import services as redaction
from registry.templates import archive, drafts, restore, samples
from registry.templates import queries as template_queries
from registry.templates import save as template_save
from registry.templates.models import Version

NAME = "support/reply"


def restore_first(actor, newest, **options):
    return restore.restore_version(**{"actor": actor, "name": NAME, "ref": "1", "base": newest.digest} | options)


def test_the_text_of_an_old_version_becomes_the_newest(author, save):
    first, second = save("one"), save("two")
    saved = restore_first(author, second)
    assert (saved.version.number, saved.version.digest, saved.version.base) == (3, first.digest, second)
    assert saved.version.message == "Restore v1"
    assert Event.objects.order_by("-number").first().kind == "version.saved"


def test_a_message_of_ones_own_is_saved(author, save):
    save("one")
    saved = restore_first(author, save("two"), message=" v2 promised too much ")
    assert saved.version.message == "v2 promised too much"


def test_a_digest_or_a_label_names_the_version_too(author, save):
    first, second = save("one"), save("two")
    assert restore_first(author, second, ref=first.digest).version.digest == first.digest


def test_the_newest_text_is_not_restored_again(author, save):
    save("one")
    save("two")
    third = save("one")
    with pytest.raises(Conflict, match="says the same already"):
        restore_first(author, third)
    assert Version.objects.count() == 3


def test_a_version_saved_meanwhile_is_not_passed_over(author, save):
    save("one")
    second = save("two")
    save("three")
    with pytest.raises(Stale, match="the latest is version 3"):
        restore_first(author, second)
    with pytest.raises(PreconditionRequired):
        restore_first(author, second, base=None)


def test_only_authors_restore(reader, outsider, save):
    save("one")
    second = save("two")
    with pytest.raises(NotAllowed):
        restore_first(reader, second)
    with pytest.raises(NotFound):
        restore_first(outsider, second)


def test_samples_that_do_not_fit_the_old_text_refuse_it(author, save, document):
    save("one")
    wide = document("two").replace("question: {type: string}", "question: {type: [string, integer]}")
    second = template_save.save_version(
        actor=author, name=NAME, document=wide, message="", base=Version.objects.get().digest
    ).version
    samples.save_samples(actor=author, name=NAME, samples={"number": {"question": 7}})
    with pytest.raises(Invalid) as caught:
        restore_first(author, second)
    assert [problem.sample for problem in caught.value.problems if problem.severity == "error"] == ["number"]
    assert Version.objects.count() == 2


def test_a_redacted_version_is_gone(author, admin, save):
    save("one")
    second = save("two")
    redaction.redact_version(actor=admin, name=NAME, version=1, reason="A name of a customer")
    with pytest.raises(Gone):
        restore_first(author, second)
    with pytest.raises(Gone):
        restore.start_draft(actor=author, name=NAME, ref="1")


def test_an_archived_template_is_not_changed(author, admin, save):
    save("one")
    second = save("two")
    archive.archive_template(actor=admin, name=NAME, reason="Unused")
    with pytest.raises(Conflict, match="archived"):
        restore_first(author, second)


def test_a_draft_outlives_a_restore(author, save):
    save("one")
    second = save("two")
    drafts.save_draft(actor=author, namespace="support", path="reply", document="half", base=2)
    restore_first(author, second)
    assert template_queries.find_draft(author, NAME).document == "half"


def test_a_draft_starts_from_an_old_text_over_the_newest_version(author, save):
    first, second = save("one"), save("two")
    draft = restore.start_draft(actor=author, name=NAME, ref="1").draft
    assert (draft.document, draft.base) == (first.document, second)
    assert template_queries.find_draft(author, NAME) == draft


def test_a_draft_that_was_there_can_be_restored(author, save):
    save("one")
    save("two")
    before = drafts.save_draft(actor=author, namespace="support", path="reply", document="half", base=2)
    started = restore.start_draft(actor=author, name=NAME, ref="1").draft
    assert template_queries.find_discarded_draft(author, NAME).document == "half"
    drafts.restore_draft(actor=author, namespace="support", path="reply")
    assert template_queries.find_draft(author, NAME) == before
    assert template_queries.find_discarded_draft(author, NAME) == started


def test_another_tab_with_the_replaced_draft_shows_a_notice(author, save):
    save("one")
    save("two")
    before = drafts.save_draft(actor=author, namespace="support", path="reply", document="half", base=2)
    restore.start_draft(actor=author, name=NAME, ref="1")
    with pytest.raises(drafts.NewerDraft):
        drafts.save_draft(
            actor=author, namespace="support", path="reply", document="more", base=2, revision=before.revision
        )


def test_starting_twice_makes_one_draft(author, save):
    save("one")
    save("two")
    drafts.save_draft(actor=author, namespace="support", path="reply", document="half", base=2)
    first = restore.start_draft(actor=author, name=NAME, ref="1").draft
    again = restore.start_draft(actor=author, name=NAME, ref="1")
    assert (again.draft, again.replaced) == (first, None)
    assert template_queries.find_discarded_draft(author, NAME).document == "half"


def test_a_reader_starts_no_draft(reader, save):
    save("one")
    with pytest.raises(NotAllowed):
        restore.start_draft(actor=reader, name=NAME, ref="1")
