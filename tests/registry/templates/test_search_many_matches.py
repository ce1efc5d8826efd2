"""Searches with more matches than are counted: by the ids of the matches, or by the words of entries."""

import pytest
from django.db import connection

from registry.templates import search_engine, search_queries
from registry.templates.search_queries import TemplateSearch


@pytest.fixture
def shelf(save):
    """Nine templates; every second one has the word `odd`, and one is in another folder."""
    for number in range(8):
        save(f"answer {'odd' if number % 2 else 'even'}", name=f"support/n{(number * 3) % 8}")
    save("answer odd", name="support/more/n9")


@pytest.fixture
def word_tests(db, monkeypatch):
    """The texts that SQLite searches for words, one after the other."""
    texts = []

    def find_place(text, word):
        texts.append(text)
        return text.find(word) + 1

    run = search_engine._run
    monkeypatch.setattr(search_engine, "_run", lambda sql, values: run(sql.replace("instr(", "find_place("), values))
    connection.connection.create_function("find_place", 2, find_place)
    yield texts
    connection.connection.create_function("find_place", 2, None)


def list_names(actor, search, counted):
    names: list[str] = []
    cursor = None
    while not names or cursor:
        page = search_queries.find_templates(actor, search, limit=2, cursor=cursor, counted=counted).page
        names += [template.name for template in page.items]
        cursor = page.next
    return names


SEARCHES = [
    TemplateSearch("odd"),
    TemplateSearch("answ odd"),
    TemplateSearch("n"),
    TemplateSearch("odd", {"input": ["question"]}),
    TemplateSearch(values={"input": ["question"], "check": ["none"]}),
    TemplateSearch("odd", namespace="support"),
]


@pytest.mark.dialect
@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("most_found", [0, 5_000])
def test_the_names_are_those_of_a_search_that_counts_all(reader, shelf, search, most_found, monkeypatch):
    expected = list_names(reader, search, counted=100)
    monkeypatch.setattr(search_engine, "_MAX_FOUND", most_found)
    assert list_names(reader, search, counted=1) == expected
    assert len(expected) > 3


@pytest.mark.sqlite
def test_the_words_of_entries_are_read_only_if_very_many_match(reader, shelf, word_tests, monkeypatch):
    search = TemplateSearch("odd", {"input": ["question"]})
    names = list_names(reader, search, counted=2)
    assert word_tests == []
    monkeypatch.setattr(search_engine, "_MAX_FOUND", 2)
    assert list_names(reader, search, counted=2) == names
    assert any(" odd " in text for text in word_tests)
    assert all(text.count(" __") == 0 or " odd " not in text for text in word_tests)  # facets and words apart
