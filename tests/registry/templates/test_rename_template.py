"""Renaming a template or a folder: what moves along, what the former name resolves to, and refusals."""

import json

import pytest

from registry.changes import services as change_services
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.namespaces.models import Namespace
from registry.templates import archive, drafts, fragments, rename, samples, search_queries, version_queries
from registry.templates import queries as template_queries
from registry.templates import save as template_save
from registry.templates.former_names import FormerName
from registry.templates.models import Draft, Template

pytestmark = pytest.mark.django_db
REPLY, ANSWER = "support/reply", "support/refunds/answer"


def rename_reply(actor, to=ANSWER, **more):
    return rename.rename_template(actor=actor, name=REPLY, to=to, **more)


def names_of_all():
    return sorted(Template.objects.values_list("name", flat=True))


def test_versions_labels_and_digests_stay_and_the_event_says_what_was_there(admin, reader, save, publish):
    version = save("one")
    publish(version)
    renamed = rename_reply(admin, reason=" Clearer ")
    assert (renamed.pk, renamed.name) == (version.template_id, ANSWER)
    assert version_queries.resolve_version(reader, ANSWER, "production").digest == version.digest
    event = Event.objects.get(kind="template.renamed")
    assert (event.template, json.loads(event.text)["body"]) == (
        ANSWER,
        {"template": ANSWER, "former": REPLY, "version": 1, "labels": {"production": 1}, "has_samples": False}
        | {"is_archived": False, "reason": "Clearer"},
    )


@pytest.mark.parametrize("ref", ["1", "production", "latest"])
def test_a_former_name_leads_to_the_version_by_number_and_by_label(admin, reader, save, publish, ref):
    version = save("one")
    publish(version)
    rename_reply(admin)
    assert version_queries.resolve_version(reader, REPLY, ref).digest == version.digest
    assert template_queries.get_template(reader, REPLY).name == ANSWER


def test_every_former_name_leads_on_in_one_hop_and_the_template_can_have_it_back(admin, reader, save):
    save("one")
    rename_reply(admin, "support/second")
    rename.rename_template(actor=admin, name="support/second", to="support/third")
    assert {template_queries.get_template(reader, name).name for name in (REPLY, "support/second")} == {"support/third"}
    rename.rename_template(actor=admin, name="support/third", to=REPLY)
    assert template_queries.get_template(reader, "support/second").name == REPLY
    assert sorted(FormerName.objects.values_list("name", flat=True)) == ["support/second", "support/third"]


def test_no_other_template_takes_a_former_name(admin, author, save, document):
    save("one")
    save("two", name="support/other")
    rename_reply(admin)
    with pytest.raises(Conflict, match="leads there"):
        rename.rename_template(actor=admin, name="support/other", to=REPLY)
    with pytest.raises(Conflict, match=f"it is {ANSWER} now") as refusal:
        template_save.save_version(actor=author, name=REPLY, document=document("new"), message="")
    assert refusal.value.facts == {"renamed_to": ANSWER}
    assert names_of_all() == ["support/other", ANSWER]


def test_a_write_by_the_former_name_is_refused_with_the_new_one(admin, author, save):
    save("one")
    rename_reply(admin)
    with pytest.raises(Conflict, match=ANSWER):
        archive.archive_template(actor=admin, name=REPLY, reason="")
    with pytest.raises(Conflict, match=ANSWER):
        change_services.propose_change(actor=author, name=REPLY, label="production", version=1, message="")
    with pytest.raises(Conflict, match=ANSWER):
        rename_reply(admin, "support/elsewhere")


@pytest.mark.parametrize(
    ("to", "sentence"),
    [
        (REPLY, "has that name already"),
        ("elsewhere/reply", "stays in its namespace"),
        ("support", "needs a namespace"),
        ("support/Reply", "lower-case letters, digits and hyphens"),
        ("support/con", "device name"),
    ],
)
def test_a_name_that_cannot_be_is_refused(admin, save, to, sentence):
    save("one")
    with pytest.raises(Invalid) as refusal:
        rename_reply(admin, to)
    assert sentence in refusal.value.fields["to"]
    assert not Event.objects.filter(kind="template.renamed").exists()


def test_a_name_that_is_taken_is_refused(admin, save):
    save("one")
    save("two", name="support/other")
    with pytest.raises(Conflict, match="There is a template support/other already"):
        rename_reply(admin, "support/other")


def test_a_name_that_breaks_the_namespace_s_standard_is_refused(admin, save):
    save("one")
    Namespace.objects.update(standards={"name": {"pattern": "[a-z]+"}})
    with pytest.raises(Invalid, match="pattern of names"):
        rename_reply(admin)
    assert rename_reply(admin, "support/answer").name == "support/answer"


def test_only_admins_rename(author, reviewer, reader, outsider, save):
    save("one")
    for actor in (author, reviewer, reader):
        with pytest.raises(NotAllowed, match="You need the role admin to rename templates in support"):
            rename_reply(actor)
    with pytest.raises(NotFound):
        rename_reply(outsider)
    with pytest.raises(NotFound):
        template_queries.get_template(outsider, REPLY)


def test_an_open_request_goes_on_and_who_contributed_is_still_known(admin, author, reviewer, save, propose, approve):
    change = propose(save("one"))
    second = save("two")
    change_services.set_head(actor=reviewer, number=change.number, version=second.number)
    rename_reply(admin)
    change.refresh_from_db()
    assert (change.template.name, change.state) == (ANSWER, "open")
    with pytest.raises(NotAllowed, match="You updated this change to version 2"):
        approve(change)
    approve(change, actor=admin)
    change_services.publish_change(actor=author, number=change.number)
    assert version_queries.resolve_version(author, REPLY, "production").number == 2


def test_a_pin_by_a_former_name_renders_on_and_can_still_be_saved(admin, author, reader, save, document):
    save("one", name="support/policy")
    text = "- name: a\n  content: '{{ fragment(\"support/policy@1\") }}'\n"
    inputs = "---\ninputs:\n  question: {type: string}\n---\n"
    first = template_save.save_version(actor=author, name="support/a", document=inputs + text, message="")
    renamed = rename.rename_template(actor=admin, name="support/policy", to="support/rules")
    again = template_save.save_version(
        actor=author, name="support/a", document=inputs + text, message="", base=first.version.digest
    )
    assert not again.created
    version = template_save.save_version(actor=author, name="support/b", document=inputs + text, message="")
    assert version.version.digest == first.version.digest
    dependants = fragments.list_dependants(reader, renamed)
    assert [(row.name, refs) for row, refs in dependants] == [
        ("support/a", ["support/policy@1"]),
        ("support/b", ["support/policy@1"]),
    ]


def test_samples_and_drafts_go_along_and_a_draft_for_the_new_name_is_put_aside(admin, author, save, document):
    save("one")
    samples.save_samples(actor=author, name=REPLY, samples={"a": {"question": "Why?"}})
    for path in ("reply", "refunds/answer"):
        drafts.save_draft(
            actor=author, namespace="support", path=path, document=path, samples="", base=None, message="", revision=0
        )
    renamed = rename_reply(admin)
    assert list(renamed.current_samples().samples) == ["a"]
    assert [(row.path, row.document) for row in Draft.objects.all()] == [("refunds/answer", "reply")]
    assert template_queries.find_discarded_draft(author, ANSWER).document == "refunds/answer"


def test_the_search_finds_it_by_its_new_name_and_folder_only(admin, reader, save):
    save("one")
    save("two", name="support/other")
    rename_reply(admin)

    def found(**filters):
        return [row.name for row in search_queries.search_templates(reader, **filters).items]

    assert found(folder="support/refunds") == found(q="refunds") == [ANSWER]
    assert found(q="reply") == []
    assert found(sort="changed") == ["support/other", ANSWER]


def test_all_templates_of_a_folder_are_renamed_together(admin, reader, save):
    for name in ("support/a/one", "support/a/b/two", "support/ab", "support/a/old"):
        save("x", name=name)
    archive.archive_template(actor=admin, name="support/a/old", reason="")
    renamed = rename.rename_folder(actor=admin, folder="support/a", to="support/c/d", reason="Tidier")
    assert [row.name for row in renamed] == ["support/c/d/b/two", "support/c/d/old", "support/c/d/one"]
    assert template_queries.get_template(reader, "support/a/b/two").name == "support/c/d/b/two"
    assert Event.objects.filter(kind="template.renamed").count() == 3
    assert rename.rename_folder(actor=admin, folder="support/c/d", to="support")[0].name == "support/b/two"


def test_a_folder_is_renamed_whole_or_not_at_all(admin, save):
    for name in ("support/a/one", "support/a/two", "support/b/two"):
        save("x", name=name)
    with pytest.raises(Conflict, match="support/b/two"):
        rename.rename_folder(actor=admin, folder="support/a", to="support/b")
    assert names_of_all() == ["support/a/one", "support/a/two", "support/b/two"]
    assert not Event.objects.filter(kind="template.renamed").exists()


@pytest.mark.parametrize(
    ("folder", "to", "field"),
    [
        ("support", "support/a", "folder"),
        ("support/a", "support/a/b", "to"),
        ("support/a", "support/a", "to"),
        ("support/a", "elsewhere/a", "to"),
        ("support/a", "support/A", "to"),
        ("support/A", "support/b", "folder"),
    ],
)
def test_a_folder_that_cannot_be_renamed_so_is_refused(admin, save, folder, to, field):
    save("x", name="support/a/one")
    with pytest.raises(Invalid) as refusal:
        rename.rename_folder(actor=admin, folder=folder, to=to)
    assert list(refusal.value.fields) == [field]


def test_an_empty_folder_is_not_listed(admin, author, save):
    with pytest.raises(NotFound):
        rename.rename_folder(actor=admin, folder="support/a", to="support/b")
    save("x", name="support/a/one")
    with pytest.raises(NotAllowed):
        rename.rename_folder(actor=author, folder="support/a", to="support/b")
