"""Saving imported templates, as drafts or as versions."""

import pytest

from frontend.editor.state import load_state
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.templates import drafts
from registry.templates.imports import ChosenTemplate, preview_import, save_imported_drafts, save_imported_versions
from registry.templates.models import Draft

DOCUMENT = "---\nformat: text\n---\nHi {{ name }}"


def test_chosen_templates_are_the_actors_drafts(author, support):
    chosen = [ChosenTemplate("a/greet", DOCUMENT, {"short": {"name": "Ann"}}), ChosenTemplate("bye", DOCUMENT, {})]
    saved = save_imported_drafts(actor=author, namespace="support", chosen=chosen)
    assert [(draft.path, draft.document) for draft in saved] == [("a/greet", DOCUMENT), ("bye", DOCUMENT)]
    assert "Ann" in saved[0].samples


def test_all_are_kept_or_none(author, support):
    chosen = [ChosenTemplate("greet", DOCUMENT, {}), ChosenTemplate("No Name", DOCUMENT, {})]
    with pytest.raises(Invalid):
        save_imported_drafts(actor=author, namespace="support", chosen=chosen)
    assert not Draft.objects.exists()


def test_samples_of_a_draft_are_those_that_the_editor_shows(author, support):
    save_imported_drafts(
        actor=author, namespace="support", chosen=[ChosenTemplate("greet", DOCUMENT, {"short": {"name": "Ann"}})]
    )
    assert load_state(author, "support/greet").samples == {"short": {"name": "Ann"}}


def test_no_draft_is_written_over(author, support):
    drafts.save_draft(actor=author, namespace="support", path="greet", document="half")
    with pytest.raises(Conflict, match="You have a draft of support/greet already"):
        save_imported_drafts(actor=author, namespace="support", chosen=[ChosenTemplate("greet", DOCUMENT, {})])
    assert Draft.objects.get().document == "half"


def test_a_draft_of_a_template_that_exists_is_over_its_newest_version(author, save):
    version = save("one")
    chosen = [ChosenTemplate("reply", DOCUMENT, {})]
    assert save_imported_drafts(actor=author, namespace="support", chosen=chosen)[0].base == version


def test_new_templates_get_their_version_1(author, support):
    chosen = [ChosenTemplate("greet", DOCUMENT, {"short": {"name": "Ann"}}, "Imported from greet.txt")]
    (saved,) = save_imported_versions(actor=author, namespace="support", chosen=chosen)
    assert (saved.version.number, saved.version.message) == (1, "Imported from greet.txt")
    assert saved.version.template.current_samples().samples == {"short": {"name": "Ann"}}


def test_a_refused_template_keeps_no_other_from_being_saved(author, save):
    save("one")
    chosen = [
        ChosenTemplate("reply", DOCUMENT, {}),
        ChosenTemplate("No Name", DOCUMENT, {}),
        ChosenTemplate("broken", "- name: a\n  content: '{{'\n", {}),
        ChosenTemplate("greet", DOCUMENT, {}),
    ]
    results = save_imported_versions(actor=author, namespace="support", chosen=chosen)
    assert [result.version.template.path for result in results if result.version] == ["greet"]
    assert "There is a support/reply already" in results[0].refusal
    assert all(result.refusal for result in results[:3])


def test_only_authors_import(reader, outsider):
    for person, refusal in ((reader, NotAllowed), (outsider, NotFound)):
        with pytest.raises(refusal):
            save_imported_versions(actor=person, namespace="support", chosen=[ChosenTemplate("a", DOCUMENT, {})])
        with pytest.raises(refusal):
            preview_import(actor=person, namespace="support", files={"a.txt": b"Hi"})


def test_a_folder_is_part_of_the_addresses(author, support):
    (file,) = preview_import(actor=author, namespace="support", files={"greet.txt": b"Hi {{ name }}"}, folder="a/b")
    assert [template.name for template in file.templates] == ["support/a/b/greet"]


def test_a_name_is_given_to_a_template_that_is_alone(author, support):
    one, two = b"Hi {{ name }}", b"Bye {{ name }}"
    preview = preview_import(
        actor=author, namespace="support", files={"greet.txt": one, "bad.json": b"{"}, folder="a", name="reply"
    )
    assert [template.name for file in preview for template in file.templates] == ["support/a/reply"]
    preview = preview_import(actor=author, namespace="support", files={"greet.txt": one, "bye.txt": two}, name="reply")
    assert [template.name for file in preview for template in file.templates] == ["support/greet", "support/bye"]
