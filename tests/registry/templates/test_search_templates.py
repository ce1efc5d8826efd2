import pytest

from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotFound
from registry.namespaces import keys
from registry.templates import archive, labels
from registry.templates import queries as template_queries
from registry.templates import save as writing

pytestmark = pytest.mark.dialect

BILLING = (
    "---\ndescription: Explain a Bill\ntags: [billing, warm]\nformat: text\n---\nDear customer, the Straße is long.\n"
)


@pytest.fixture
def shelf(author, save):
    """Three templates: support/reply, support/refunds/letter (tagged) and support/refunds/deep/note (labelled)."""
    save("one")
    writing.save_version(actor=author, name="support/refunds/letter", document=BILLING, message="")
    save("two", name="support/refunds/deep/note")
    labels.move_label(actor=author, name="support/refunds/deep/note", label="staging", version=1, expected=None)


def names(page):
    return [template.name for template in page.items]


def test_everything_comes_by_name(reader, shelf):
    found = template_queries.search_templates(reader)
    assert names(found) == ["support/refunds/deep/note", "support/refunds/letter", "support/reply"]
    assert found.next is None


@pytest.mark.parametrize("q", ["BILL", "straße long", "letter", "warm", "explain customer"])
def test_words_are_found_in_name_description_tags_and_body(reader, shelf, q):
    assert names(template_queries.search_templates(reader, q=q)) == ["support/refunds/letter"]


@pytest.mark.parametrize("q", ["%", "_", "bill nowhere", "\\"])
def test_marks_of_the_query_language_are_only_text(reader, shelf, q):
    assert names(template_queries.search_templates(reader, q=q)) == []


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"tag": "billing"}, ["support/refunds/letter"]),
        ({"label": "staging"}, ["support/refunds/deep/note"]),
        ({"folder": "support/refunds"}, ["support/refunds/deep/note", "support/refunds/letter"]),
        ({"folder": "support/refunds/deep"}, ["support/refunds/deep/note"]),
        ({"namespace": "elsewhere"}, []),
        ({"label": "latest", "q": "two"}, ["support/refunds/deep/note"]),
    ],
)
def test_filters_narrow(reader, shelf, facts, expected):
    assert names(template_queries.search_templates(reader, **facts)) == expected


def test_pages_follow_one_another_without_doubles(reader, shelf):
    first = template_queries.search_templates(reader, limit=2)
    second = template_queries.search_templates(reader, limit=2, cursor=first.next)
    assert names(first) + names(second) == names(template_queries.search_templates(reader))
    assert second.next is None


@pytest.mark.parametrize("cursor", ["!!", "MQ", "bnVsbA", "dHJ1ZQ", "é"])
def test_a_cursor_nobody_gave_is_refused(reader, shelf, cursor):
    with pytest.raises(Invalid, match="cursor"):
        template_queries.search_templates(reader, cursor=cursor)


@pytest.mark.parametrize("limit", [0, 201, -1])
def test_a_page_has_a_size(reader, limit):
    with pytest.raises(Invalid, match="limit"):
        template_queries.search_templates(reader, limit=limit)


def test_outsiders_find_nothing(outsider, shelf):
    assert names(template_queries.search_templates(outsider)) == []
    assert template_queries.list_tags(outsider) == []
    with pytest.raises(NotFound):
        template_queries.get_template(outsider, "support/reply")


def test_a_key_finds_its_namespace_only(outsider, operator, shelf, document):
    writing.save_version(actor=outsider, name="elsewhere/own", document=document(), message="")
    key = keys.issue_key(actor=operator, namespace="elsewhere", name="x", scope="read", person="outsider").key
    assert names(template_queries.search_templates(Actor(outsider.person, key))) == ["elsewhere/own"]


def test_archived_templates_are_apart(reader, admin, shelf):
    archive.archive_template(actor=admin, name="support/reply", reason="")
    assert "support/reply" not in names(template_queries.search_templates(reader))
    assert names(template_queries.search_templates(reader, archived=True)) == ["support/reply"]


def test_the_tree_counts_what_is_below(reader, shelf):
    (support,) = template_queries.folder_tree(reader)
    assert (support.path, support.count) == ("support", 3)
    (refunds,) = support.folders
    assert (refunds.name, refunds.path, refunds.count) == ("refunds", "support/refunds", 2)
    assert [(folder.path, folder.count) for folder in refunds.folders] == [("support/refunds/deep", 1)]


def test_tags_come_with_their_number(reader, shelf):
    assert template_queries.list_tags(reader) == [("billing", 1), ("warm", 1)]


def test_a_list_costs_the_same_however_long(reader, save, shelf, django_assert_max_num_queries):
    for number in range(8):
        save("x", name=f"support/more-{number}")
    with django_assert_max_num_queries(3):
        for template in template_queries.search_templates(reader).items:
            assert template.latest.author.username
            assert template.namespace.name
            list(template.tags.all())
