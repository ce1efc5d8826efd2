"""Datasets as shown in lists and on pages."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.core.errors import NotFound
from registry.evaluations import dataset_queries as queries
from registry.evaluations import datasets

NAME = "support/questions"


def write(*rows):
    return "".join(json.dumps({"id": name, "inputs": {"q": text}}) + "\n" for name, text in rows)


@pytest.fixture
def two(author):
    first = datasets.save_dataset(
        actor=author, name=NAME, text=write(("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"))
    ).version
    rows = write(("d", "4"), ("a", "1"), ("b", "two"), ("e", "5"))
    return first, datasets.save_dataset(actor=author, name=NAME, text=rows, base=first.digest).version


def test_rows_come_in_pages(two):
    page = queries.list_dataset_rows(two[0], limit=3)
    next_page = queries.list_dataset_rows(two[0], cursor=page.next, limit=3)
    assert [row.id for _, row in [*page.items, *next_page.items]] == ["a", "b", "c", "d"]
    assert (
        queries.list_dataset_rows(two[0], cursor=queries.list_dataset_rows(two[0], limit=1).next, limit=1).items[0][0]
        == 1
    )


def test_rows_are_found_by_their_tags(author):
    rows = [
        {"id": name, "inputs": {"q": name}, "tags": tags}
        for name, tags in (("a", ["late"]), ("b", []), ("c", ["late", "B"]))
    ]
    version = datasets.save_dataset(actor=author, name=NAME, text="\n".join(map(json.dumps, rows))).version
    assert queries.list_dataset_tags(version) == [("B", 1), ("late", 2)]
    page = queries.list_dataset_rows(version, tag="late", limit=1)
    next_page = queries.list_dataset_rows(version, tag="late", limit=1, cursor=page.next)
    assert [(index, row.id) for index, row in [*page.items, *next_page.items]] == [(0, "a"), (2, "c")]
    assert next_page.next is None


def test_versions_come_newest_first(two, reader):
    assert [one.number for one in queries.list_dataset_versions(reader, NAME).items] == [2, 1]
    assert queries.read_dataset_version(reader, NAME).number == 2
    assert queries.read_dataset_version(reader, NAME, 1).rows()[1].id == "b"


def test_a_missing_version_is_not_found(two, reader):
    with pytest.raises(NotFound, match="no version 3"):
        queries.read_dataset_version(reader, NAME, 3)


def test_a_list_shows_what_one_may_read(two, reader, outsider):
    assert [row.name for row in queries.list_datasets(reader, q="QUEST").items] == [NAME]
    assert queries.list_datasets(reader, q="none").items == []
    assert queries.list_datasets(outsider).items == []


@pytest.fixture
def many(author, monkeypatch):
    """More datasets than a list is filtered by id for."""
    monkeypatch.setattr(queries, "_FEW", 2)
    names = [f"support/q{number}" for number in range(4)]
    for name in names:
        datasets.save_dataset(actor=author, name=name, text=write(("a", name)))
    return names


def test_a_long_list_shows_what_one_may_read(many, reader, outsider):
    first = queries.list_datasets(reader, limit=3)
    next_page = queries.list_datasets(reader, cursor=first.next)
    assert [[row.name for row in page.items] for page in (first, next_page)] == [many[:3], many[3:]]
    assert [row.name for row in queries.list_datasets(reader, namespace="support", q="q2").items] == ["support/q2"]
    assert queries.list_datasets(outsider).items == []
    assert queries.list_datasets(outsider, namespace="support").items == []


@pytest.mark.sqlite  # PostgreSQL sorts small tables
def test_a_long_list_is_read_along_the_index_of_names(many, reader):
    with CaptureQueriesContext(connection) as captured:
        queries.list_datasets(reader)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {captured[-1]['sql']}")
        plan = "\n".join(row[3] for row in cursor.fetchall())
    assert "registry_dataset USING INDEX" in plan
    assert "TEMP B-TREE" not in plan


def test_an_outsider_finds_none(two, outsider):
    with pytest.raises(NotFound):
        queries.read_dataset(outsider, NAME)
