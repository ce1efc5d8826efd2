"""Saving a version: numbers, bases, equal documents and refusals."""

import json

import pytest

from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound, PreconditionRequired, Stale, TooLarge
from registry.journal.models import Event
from registry.templates import archive, drafts
from registry.templates import save as template_save
from registry.templates.models import Draft, SampleSet, Template, Version

BROKEN = "---\ninputs:\n  question: {type: string}\n---\n- name: q\n  content: '{{ broken'\n"


def counts():
    return [model.objects.count() for model in (Template, Version, SampleSet, Event)]


def test_the_first_save_makes_version_1(author, document):
    saved = template_save.save_version(actor=author, name="support/refunds/reply", document=document(), message="Start")
    assert (saved.created, saved.version.number, saved.version.document) == (True, 1, document())
    assert saved.template.latest == saved.version
    assert (saved.version.author, saved.version.message, saved.version.base) == (author.person, "Start", None)


def test_the_next_save_follows_its_base(save):
    first, second = save("one"), save("two")
    assert (second.number, second.base) == (2, first)


def test_an_equal_document_makes_no_version(author, save, document):
    first = save()
    before = counts()
    saved = template_save.save_version(
        actor=author, name="support/reply", document=document(), message="again", base=first.digest
    )
    assert (saved.created, saved.version) == (False, first)
    assert counts() == before


def test_a_save_whose_answer_was_lost_can_be_repeated(author, save, document):
    first, second = save("one"), save("two")
    again = template_save.save_version(
        actor=author, name="support/reply", document=document("two"), message="", base=first.digest
    )
    assert (again.created, again.version) == (False, second)


def test_going_back_to_an_older_text_is_a_version_of_its_own(save):
    first, _, third = save("one"), save("two"), save("one")
    assert (third.number, third.digest) == (3, first.digest)


def test_newlines_are_kept_as_given(author, document):
    text = document().replace("\n", "\r\n")
    saved = template_save.save_version(actor=author, name="support/reply", document=text, message="")
    assert saved.version.document == text


def test_without_a_base_nothing_is_changed(author, save, document):
    save("one")
    before = counts()
    with pytest.raises(PreconditionRequired) as caught:
        template_save.save_version(actor=author, name="support/reply", document=document("two"), message="")
    assert caught.value.facts["latest"] == 1
    assert counts() == before


def test_a_stale_base_is_refused_and_says_what_is_latest(author, save, document):
    first, second = save("one"), save("two")
    before = counts()
    with pytest.raises(Stale) as caught:
        template_save.save_version(
            actor=author, name="support/reply", document=document("3"), message="", base=first.digest
        )
    assert caught.value.facts == {"latest": 2, "digest": second.digest}
    assert counts() == before


def test_a_parallel_save_exists_next_to_the_latest(save):
    first = save("one")
    save("two")
    third = save("three", base=first.digest, parallel=True)
    assert (third.number, third.base) == (3, first)


def test_a_base_that_never_was_is_stale_in_parallel_too(save):
    save("one")
    with pytest.raises(Stale, match="does not exist here"):
        save("two", base="sha256:" + "0" * 64, parallel=True)


def test_a_base_for_a_missing_template_is_stale(save):
    with pytest.raises(Stale, match="no template"):
        save("one", base="sha256:" + "0" * 64)
    assert not Template.objects.exists()


def test_a_document_with_an_error_leaves_nothing_behind(author):
    before = counts()
    with pytest.raises(Invalid) as caught:
        template_save.save_version(actor=author, name="support/reply", document=BROKEN, message="")
    assert any(problem.severity == "error" for problem in caught.value.problems)
    assert counts() == before


def test_a_sample_that_does_not_fit_leaves_nothing_behind(author, document):
    before = counts()
    samples: dict[str, dict[str, object]] = {"good": {"question": "Why?"}, "bad": {"question": 3}}
    with pytest.raises(Invalid) as caught:
        template_save.save_version(actor=author, name="support/reply", document=document(), message="", samples=samples)
    assert {problem.sample for problem in caught.value.problems if problem.severity == "error"} == {"bad"}
    assert counts() == before


def test_samples_are_kept_next_to_the_version(author, document):
    samples = {"short": {"question": "Why?"}}
    saved = template_save.save_version(
        actor=author, name="support/reply", document=document(), message="", samples=samples
    )
    assert saved.template.current_samples().samples == samples


def test_samples_alone_make_no_version(author, save, document):
    first = save()
    saved = template_save.save_version(
        actor=author, name="support/reply", document=document(), message="", samples={"a": {"question": "?"}}
    )
    assert (saved.created, saved.version) == (False, first)
    assert saved.template.current_samples().number == 1


def test_samples_not_given_stay_and_are_checked_again(author, save, document):
    save("one")
    template_save.save_version(
        actor=author, name="support/reply", document=document("one"), message="", samples={"a": {"question": "?"}}
    )
    narrowed = document("two").replace("{type: string}", "{type: string, maxLength: 0}")
    latest = Version.objects.get()
    with pytest.raises(Invalid):
        template_save.save_version(
            actor=author, name="support/reply", document=narrowed, message="", base=latest.digest
        )


def test_empty_samples_clear_them(author, save, document):
    save("one")
    for samples in ({"a": {"question": "?"}}, {}):
        saved = template_save.save_version(
            actor=author, name="support/reply", document=document("one"), message="", samples=samples
        )
    assert saved.template.current_samples().samples == {}


@pytest.mark.parametrize(
    "samples", [[], {"a": 1}, {"": {}}, {"a\nb": {}}, {"a": {"x": float("inf")}}, {"a": {"x": 2**60}}]
)
def test_samples_of_another_form_are_refused(author, document, samples):
    with pytest.raises(Invalid) as caught:
        template_save.save_version(actor=author, name="support/reply", document=document(), message="", samples=samples)
    assert list(caught.value.fields) == ["samples"]


def test_a_reader_does_not_save(reader, save):
    with pytest.raises(NotAllowed, match="role author"):
        save("one", actor=reader)


def test_an_outsider_learns_nothing(outsider, save):
    with pytest.raises(NotFound):
        save("one", actor=outsider)


def test_a_name_that_is_not_a_path_is_refused(save):
    with pytest.raises(Invalid, match="lower-case letters, digits and hyphens"):
        save("one", name="support/../x")


def test_a_document_over_256_kib_is_refused(author):
    with pytest.raises(TooLarge):
        template_save.save_version(actor=author, name="support/reply", document="a" * (256 * 1024 + 1), message="")


@pytest.mark.parametrize("text", ["one\ntwo\0", "one\n\ud800"], ids=["NUL", "half a surrogate pair"])
def test_something_that_is_not_text_is_a_problem_with_its_line(author, text):
    with pytest.raises(Invalid) as caught:
        template_save.save_version(actor=author, name="support/reply", document=text, message="")
    assert [problem.line for problem in caught.value.problems] == [2]


def test_tags_and_description_come_from_the_latest_document(author, save):
    save("one")
    text = "---\ndescription: About refunds\ntags: [billing, warm]\nformat: text\n---\nHello\n"
    base = Version.objects.get().digest
    saved = template_save.save_version(actor=author, name="support/reply", document=text, message="", base=base)
    assert (saved.template.description, saved.template.format) == ("About refunds", "text")
    assert set(saved.template.tags.values_list("name", flat=True)) == {"billing", "warm"}


def test_the_draft_goes_when_its_work_is_saved(author, save):
    drafts.save_draft(actor=author, namespace="support", path="reply", document="work")
    save("one")
    assert not Draft.objects.exists()


def test_a_copy_records_its_origin(author, save, document):
    save("one")
    saved = template_save.save_version(
        actor=author, name="support/copy", document=document("one"), message="", copied_from="support/reply@latest"
    )
    assert saved.template.copied_from == "support/reply@1"


def test_an_archived_template_takes_no_version(admin, save):
    save("one")
    archive.archive_template(actor=admin, name="support/reply", reason="Not needed")
    with pytest.raises(Conflict, match="archived"):
        save("two")
    archive.unarchive_template(actor=admin, name="support/reply")
    assert save("two").number == 2


def test_the_journal_holds_digests_and_no_text(save, document):
    version = save("one")
    event = Event.objects.get(kind="version.saved")
    body = json.loads(event.text)["body"]
    assert (event.template, event.version, body["digest"]) == ("support/reply", 1, version.digest)
    assert body["document"].startswith("sha256:")
    assert "Answer" not in event.text
