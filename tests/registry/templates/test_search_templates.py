"""Search of templates: order, words, filters and pages."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.actor import Actor
from registry.changes import check_results, rules
from registry.core.errors import Invalid, NotFound
from registry.namespaces import keys
from registry.redaction import services as redaction_services
from registry.templates import archive, labels, search_counts, search_entries, search_queries
from registry.templates import queries as template_queries
from registry.templates import save as writing
from registry.templates.models import Template
from registry.templates.search_models import SearchCount, SearchEntry
from registry.templates.search_queries import MatchCount, TemplateSearch
from tests.support.recorded_rows import write_or_insert

pytestmark = pytest.mark.dialect

BILLING = (
    "---\ndescription: Explain a Bill\ntags: [billing, warm]\nmodel: gpt-4o\nformat: text\n---\n"
    "Dear customer, the Straße is long. Résumé des 顧客の質問です。\n"
)
LETTER, NOTE, REPLY = "support/refunds/letter", "support/refunds/deep/note", "support/reply"


@pytest.fixture
def shelf(author, save):
    """Three templates: support/reply, support/refunds/letter (tagged) and support/refunds/deep/note (labelled)."""

    def write() -> None:
        save("one")
        writing.save_version(actor=author, name=LETTER, document=BILLING, message="")
        save("two", name=NOTE)
        labels.move_label(actor=author, name=NOTE, label="staging", version=1, expected=None)

    write_or_insert("shelf of three templates", write)


def names(page):
    return [template.name for template in page.items]


def found(actor, **filters):
    return names(search_queries.search_templates(actor, **filters))


def test_everything_comes_by_name(reader, shelf):
    page = search_queries.search_templates(reader)
    assert names(page) == [NOTE, LETTER, REPLY]
    assert page.next is None


def test_the_last_change_comes_first_when_asked(reader, shelf, save):
    save("later")
    assert found(reader, sort="changed") == [REPLY, NOTE, LETTER]


def test_a_label_move_is_not_a_change_of_the_order(reader, author, shelf):
    labels.move_label(actor=author, name=LETTER, label="staging", version=1, expected=None)
    assert found(reader, sort="changed") == [NOTE, LETTER, REPLY]


@pytest.mark.parametrize(
    "q", ["BILL", "straße long", "strasse", "letter", "warm", "explain customer", "etter", "resume", "顧客", "質問です"]
)
def test_words_are_found_in_name_description_tags_and_body(reader, shelf, q):
    assert found(reader, q=q) == [LETTER]


@pytest.mark.parametrize("q", ["%", "_", "bill nowhere", "\\", "ustomer", '"', "' OR 1", "*", "顧質"])
def test_only_beginnings_of_words_match(reader, shelf, q):
    assert found(reader, q=q) == []


def test_names_alone_can_be_searched(reader, shelf):
    search = TemplateSearch("bill", only_names=True)
    assert search_queries.find_templates(reader, search).page.items == []
    search = TemplateSearch("tter", only_names=True)
    assert names(search_queries.find_templates(reader, search).page) == [LETTER]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"tag": "billing"}, [LETTER]),
        ({"label": "staging"}, [NOTE]),
        ({"folder": "support/refunds"}, [NOTE, LETTER]),
        ({"folder": "support/refunds/deep"}, [NOTE]),
        ({"folder": "support/refunds/dee"}, []),
        ({"namespace": "elsewhere"}, []),
        ({"namespace": "support", "folder": "elsewhere/x"}, []),
        ({"label": "latest", "q": "two"}, [NOTE]),
        ({"input": "question"}, [NOTE, REPLY]),
        ({"model": "gpt-4o"}, [LETTER]),
        ({"owner": "author"}, [NOTE, LETTER, REPLY]),
        ({"author": "reviewer"}, []),
        ({"check": "none", "format": "text"}, [LETTER]),
        ({"tag": "billing", "label": "staging"}, []),
    ],
)
def test_filters_narrow(reader, shelf, filters, expected):
    assert found(reader, **filters) == expected
    assert sorted(found(reader, sort="changed", **filters)) == sorted(expected)


@pytest.mark.parametrize("filters", [{"colour": "red"}, {"sort": "size"}])
def test_something_that_is_not_a_filter_or_order_is_refused(reader, shelf, filters):
    with pytest.raises(Invalid):
        search_queries.search_templates(reader, **filters)


def test_a_label_behind_the_newest_version_is_found(reader, shelf, save):
    assert found(reader, behind="staging") == []
    save("three", name=NOTE)
    assert found(reader, behind="staging") == [NOTE]


def test_a_new_text_replaces_the_words_of_the_old_one(reader, save):
    save("velvet")
    save("cotton")
    assert (found(reader, q="velvet"), found(reader, q="cotton")) == ([], [REPLY])


def test_the_outcome_of_checks_is_found(reader, admin, save, propose):
    rules.set_rules(actor=admin, namespace="support", required_checks=["problems"])
    change = propose(save("one"))
    assert found(reader, check="none") == [REPLY]
    check_results.run_checks(number=change.number)
    assert found(reader, check="passed") == [REPLY]
    assert found(reader, check="failed") == []


def test_owners_follow_the_rules(reader, admin, shelf):
    owners = [{"pattern": "refunds/*", "people": ["reviewer"]}]
    rules.set_rules(actor=admin, namespace="support", owners=owners)
    assert found(reader, owner="reviewer") == [NOTE, LETTER]
    assert found(reader, owner="author") == [REPLY]


@pytest.mark.parametrize("sort", ["name", "changed"])
@pytest.mark.parametrize("filters", [{}, {"label": "latest"}, {"q": "e"}])
def test_pages_follow_one_another_without_doubles(reader, shelf, sort, filters):
    first = search_queries.search_templates(reader, limit=2, sort=sort, **filters)
    second = search_queries.search_templates(reader, limit=2, sort=sort, cursor=first.next, **filters)
    assert names(first) + names(second) == found(reader, sort=sort, **filters)
    assert len(first.items) == 2
    assert second.next is None


@pytest.mark.parametrize("sort", ["name", "changed"])
@pytest.mark.parametrize(
    "filters", [{"q": "e"}, {"input": "question"}, {"folder": "support/more"}, {"q": "more answer"}]
)
def test_many_matches_come_in_the_same_order_as_few(reader, shelf, save, sort, filters):
    for number in range(7):
        save(f"more {number}", name=f"support/more/n{(number * 3) % 7}")
    expected = found(reader, sort=sort, **filters)
    values = {kind: [value] for kind, value in filters.items() if kind not in ("q", "folder")}
    search = TemplateSearch(filters.get("q", ""), values, folder=filters.get("folder"))
    pages: list[str] = []
    cursor = None
    while not pages or cursor:
        page = search_queries.find_templates(reader, search, sort=sort, limit=2, cursor=cursor, counted=3).page
        pages += names(page)
        cursor = page.next
    assert pages == expected


@pytest.mark.parametrize("cursor", ["!!", "MQ", "bnVsbA", "dHJ1ZQ", "é"])
def test_a_cursor_nobody_gave_is_refused(reader, shelf, cursor):
    with pytest.raises(Invalid, match="cursor"):
        search_queries.search_templates(reader, cursor=cursor)


@pytest.mark.parametrize("limit", [0, 201, -1])
def test_a_page_has_a_size(reader, limit):
    with pytest.raises(Invalid, match="limit"):
        search_queries.search_templates(reader, limit=limit)


def test_outsiders_find_nothing(outsider, shelf):
    assert found(outsider) == found(outsider, q="bill") == found(outsider, folder="support/refunds") == []
    assert search_counts.list_values(outsider)["tag"] == []
    assert search_counts.find_similar_words(outsider, "tag", "biling") is None
    with pytest.raises(NotFound):
        template_queries.get_template(outsider, REPLY)


def test_a_key_finds_its_namespace_only(outsider, operator, shelf, document):
    writing.save_version(actor=outsider, name="elsewhere/own", document=document(), message="")
    key = keys.issue_key(actor=operator, namespace="elsewhere", name="x", scope="read", person="outsider").key
    assert found(Actor(outsider.person, key)) == ["elsewhere/own"]
    assert found(operator) == ["elsewhere/own", NOTE, LETTER, REPLY]


def test_archived_templates_are_apart(reader, admin, shelf):
    archive.archive_template(actor=admin, name=REPLY, reason="")
    assert REPLY not in found(reader)
    assert found(reader, archived=True) == found(reader, archived=True, sort="changed", q="reply") == [REPLY]
    assert search_queries.count_templates(reader, TemplateSearch()) == MatchCount(2)
    assert search_queries.count_templates(reader, TemplateSearch(archived=True)) == MatchCount(1)
    archive.unarchive_template(actor=admin, name=REPLY)
    assert REPLY in found(reader)


def test_the_tree_counts_what_is_below(reader, shelf):
    (support,) = search_counts.read_folder_tree(reader, "support/refunds")
    assert (support.path, support.count) == ("support", 3)
    (refunds,) = support.folders
    assert (refunds.name, refunds.path, refunds.count) == ("refunds", "support/refunds", 2)
    assert [(folder.path, folder.count) for folder in refunds.folders] == [("support/refunds/deep", 1)]


def test_opened_folders_of_the_tree_name_the_templates_right_in_them(reader, admin, shelf, monkeypatch):
    (support,) = search_counts.read_folder_tree(reader, "support/refunds")
    (refunds,) = support.folders
    assert (support.templates, refunds.templates) == ([REPLY], [LETTER])
    assert refunds.folders[0].templates == []
    assert search_counts.read_folder_tree(reader)[0].templates == []
    archive.archive_template(actor=admin, name=REPLY, reason="")
    assert search_counts.read_folder_tree(reader, "support")[0].templates == []
    monkeypatch.setattr(search_counts, "_MAX_LEAVES", 1)
    (large,) = search_counts.read_folder_tree(reader, "support/refunds/deep")
    assert (large.templates, large.folders[0].templates) == ([], [])
    assert large.folders[0].folders[0].templates == [NOTE]


def test_a_closed_folder_of_the_tree_says_that_it_has_folders(reader, shelf):
    (support,) = search_counts.read_folder_tree(reader)
    assert (support.has_folders, support.folders) == (True, [])


def test_values_come_with_their_number(reader, shelf):
    values = search_counts.list_values(reader, namespace="support")
    assert values["tag"] == [("billing", 1), ("warm", 1)]
    assert values["input"] == [("question", 2)]
    assert search_counts.list_values(reader, namespace="elsewhere")["tag"] == []


def test_a_mistyped_word_brings_the_nearest(reader, shelf):
    assert search_counts.find_similar_words(reader, "word", "refnds") == "refunds"
    assert search_counts.find_similar_words(reader, "tag", "biling") == "billing"
    assert search_counts.find_similar_words(reader, "word", "xylophone") is None


def test_a_count_at_its_maximum_is_not_exact(reader, shelf):
    assert search_queries.count_templates(reader, TemplateSearch("e"), counted=2) == MatchCount(2, is_exact=False)
    assert search_queries.count_templates(reader, TemplateSearch()) == MatchCount(3)


def test_a_list_costs_the_same_however_long(reader, save, shelf, django_assert_num_queries):
    def read(**filters):
        for template in search_queries.search_templates(reader, **filters).items:
            assert template.latest.author.username
            assert template.namespace.name
            list(template.tags.all())

    with django_assert_num_queries(6):
        read()
    for number in range(8):
        save("x", name=f"support/more-{number}")
    with django_assert_num_queries(6):
        read()


def test_a_rebuild_makes_the_same_entries_and_counts(admin, author, shelf, save):
    save("again")
    archive.archive_template(actor=admin, name=LETTER, reason="")

    def rows():
        entries = SearchEntry.objects.order_by("pk").values_list("name", "is_archived", "facts", "facets", "words")
        counts = SearchCount.objects.order_by("kind", "value").values_list("kind", "value", "parent", "count")
        return list(entries), list(counts)

    live = rows()
    assert search_entries.rebuild_entries() == 3
    assert rows() == live


def test_a_redacted_text_is_not_found(admin, reader, shelf):
    redaction_services.redact_version(actor=admin, name=LETTER, version=1, reason="a name", force=True)
    assert found(reader, q="customer") == found(reader, tag="billing") == []
    entry = SearchEntry.objects.get(name=LETTER)
    assert "customer" not in entry.words
    assert json.loads(entry.facts)["tag"] == []


def test_every_template_has_its_entry(shelf):
    assert set(SearchEntry.objects.values_list("template")) == set(Template.objects.values_list("pk"))


@pytest.mark.parametrize("sort", search_queries.SORTS)
def test_a_search_takes_as_many_queries_with_more_matches_than_are_counted(reader, shelf, sort):
    def read(counted):
        with CaptureQueriesContext(connection) as statements:
            found_page = search_queries.find_templates(reader, TemplateSearch("e"), sort=sort, counted=counted)
        return found_page, len(statements)

    (exact, few), (more, many) = read(3), read(2)
    assert names(exact.page) == names(more.page) != []
    assert (exact.count, more.count) == (MatchCount(3), MatchCount(2, is_exact=False))
    assert few == many


def test_the_list_of_a_namespace_reads_no_entries_after_its_last_name(reader, shelf):
    with CaptureQueriesContext(connection) as statements:
        assert found(reader, namespace="support") == [NOTE, LETTER, REPLY]
    listed = next(each["sql"] for each in statements if "UNION" in each["sql"] or "ORDER BY name" in each["sql"])
    assert "name < 'support0'" in listed
