"""Actions on several templates together: the same result as for each alone, and all or none."""

import pytest

from registry.core.errors import Invalid
from registry.journal.models import Event
from registry.templates import bulk, drafts
from registry.templates import save as template_save
from registry.templates.models import Draft, Template, Version

FIRST, SECOND = "support/first", "support/second"


@pytest.fixture
def saved(author, document):
    for name in (FIRST, SECOND):
        template_save.save_version(actor=author, name=name, document=document(), message="")


def tags_of(name):
    return sorted(Template.objects.get(name=name).tags.values_list("name", flat=True))


def counted():
    return Version.objects.count(), Event.objects.count()


def test_tags_are_added_and_removed_as_new_versions(saved, author):
    assert bulk.tag_templates(actor=author, names=[FIRST, SECOND], add=[" refunds "], remove=[]) == [FIRST, SECOND]
    assert bulk.tag_templates(
        actor=author, names=[FIRST, SECOND], add=["urgent"], remove=["refunds"], message="Sort"
    ) == [
        FIRST,
        SECOND,
    ]
    assert tags_of(FIRST) == tags_of(SECOND) == ["urgent"]
    latest = Template.objects.get(name=FIRST).latest
    assert latest is not None
    assert (latest.number, latest.message) == (3, "Sort")
    assert Version.objects.get(template__name=FIRST, number=2).message == "Tags: add refunds"


def test_a_template_that_has_the_tags_gets_no_version(saved, author):
    bulk.tag_templates(actor=author, names=[FIRST], add=["refunds"], remove=[])
    assert bulk.tag_templates(actor=author, names=[FIRST, SECOND], add=["refunds"], remove=["nowhere"]) == [SECOND]
    assert Version.objects.filter(template__name=FIRST).count() == 2


def test_nothing_is_saved_where_one_template_refuses(saved, author, admin):
    template_save.save_version(
        actor=author,
        name="support/third",
        document="---\ntags:\n  - a  # why\n---\n- name: a\n  content: Hello\n",
        message="",
    )
    bulk.archive_templates(actor=admin, names=[SECOND], reason="")
    before = counted()
    names = [FIRST, SECOND, "support/third", "support/none"]
    with pytest.raises(Invalid) as refused:
        bulk.tag_templates(actor=author, names=names, add=["refunds"], remove=[])
    assert set(refused.value.fields) == {SECOND, "support/third", "support/none"}
    assert "archived" in refused.value.fields[SECOND]
    assert "comments" in refused.value.fields["support/third"]
    assert "There is no template" in refused.value.fields["support/none"]
    assert counted() == before


def test_the_drafts_of_others_and_ones_own_stay(saved, author):
    drafts.save_draft(actor=author, namespace="support", path="first", document="- name: a\n  content: New\n", base=1)
    bulk.tag_templates(actor=author, names=[FIRST], add=["refunds"], remove=[])
    assert Draft.objects.filter(person=author.person).count() == 1


def test_tagging_requires_the_right_to_save(saved, reader, outsider):
    for actor in (reader, outsider):
        with pytest.raises(Invalid) as refused:
            bulk.tag_templates(actor=actor, names=[FIRST], add=["refunds"], remove=[])
        assert set(refused.value.fields) == {FIRST}
    assert tags_of(FIRST) == []


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("add", {"add": [" "]}),
        ("remove", {"remove": ["refunds"]}),
        ("template", {"names": []}),
        ("template", {"names": [f"support/t{n}" for n in range(bulk.LIMIT + 1)]}),
        ("add", {"add": ["a\0"]}),
    ],
)
def test_something_that_is_not_a_request_is_refused(saved, author, field, values):
    with pytest.raises(Invalid) as refused:
        bulk.tag_templates(actor=author, **{"names": [FIRST], "add": ["refunds"], "remove": [], **values})
    assert list(refused.value.fields) == [field]


def test_several_are_archived_together_or_not_at_all(saved, author, admin):
    with pytest.raises(Invalid) as refused:
        bulk.archive_templates(actor=author, names=[FIRST, SECOND], reason="")
    assert set(refused.value.fields) == {FIRST, SECOND}
    assert not Template.objects.exclude(archived_at=None).exists()
    assert bulk.archive_templates(actor=admin, names=[FIRST, SECOND], reason="Old") == [FIRST, SECOND]
    assert bulk.archive_templates(actor=admin, names=[FIRST, SECOND], reason="Old") == []
    assert Event.objects.filter(kind="template.archived").count() == 2


def test_a_template_that_a_protected_label_serves_refuses_the_archive_of_all(saved, save, publish, admin):
    version = save(name="support/served")
    publish(version)
    serving = version.template.name
    with pytest.raises(Invalid) as refused:
        bulk.archive_templates(actor=admin, names=[FIRST, serving], reason="Old")
    assert list(refused.value.fields) == [serving]
    assert not Template.objects.exclude(archived_at=None).exists()
    assert bulk.archive_templates(actor=admin, names=[FIRST, serving], reason="Old", force=True) == [FIRST, serving]


def test_archived_ones_are_brought_back_together(saved, admin):
    names = [FIRST, SECOND]
    bulk.archive_templates(actor=admin, names=names, reason="")
    assert bulk.unarchive_templates(actor=admin, names=[*names, FIRST]) == names
    assert Template.objects.filter(name__in=names, archived_at=None).count() == 2
    assert bulk.unarchive_templates(actor=admin, names=names) == []


def test_none_is_brought_back_by_who_may_not(saved, author, admin):
    bulk.archive_templates(actor=admin, names=[FIRST], reason="")
    with pytest.raises(Invalid) as refused:
        bulk.unarchive_templates(actor=author, names=[FIRST])
    assert "bring templates back" in refused.value.fields[FIRST]


def test_tags_are_taken_back_in_a_new_version_or_in_none(saved, author, document):
    bulk.tag_templates(actor=author, names=[FIRST, SECOND], add=["urgent"], remove=[])
    newest = Template.objects.get(name=SECOND).latest
    assert newest is not None
    template_save.save_version(actor=author, name=SECOND, document=document(), message="", base=newest.digest)
    before = counted()
    with pytest.raises(Invalid) as refused:
        bulk.undo_tags(actor=author, numbers={FIRST: 2, SECOND: 2})
    assert refused.value.fields == {SECOND: "v2 is not the newest version any more."}
    assert counted() == before
    assert bulk.undo_tags(actor=author, numbers={FIRST: 2}) == [FIRST]
    restored = Template.objects.get(name=FIRST).latest
    assert restored is not None
    assert (restored.number, tags_of(FIRST)) == (3, [])
    assert restored.document == Version.objects.get(template__name=FIRST, number=1).document
