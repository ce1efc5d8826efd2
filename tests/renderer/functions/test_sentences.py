"""Splitting into sentences, and their keys."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.errors import InputError
from promptuary.renderer.functions.sentences import spell_number, split_documents, split_response, split_sentences


@pytest.mark.parametrize(
    ("number", "key"),
    [(0, "a"), (1, "b"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (701, "zz"), (702, "aaa")],
)
def test_letters_go_on_after_z(number, key):
    assert spell_number(number) == key


def test_no_two_numbers_share_letters():
    assert len({spell_number(number) for number in range(20_000)}) == 20_000


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("   \n ", []),
        ("One", ["One"]),
        ("One. Two.", ["One.", "Two."]),
        ("One! Two? Three…", ["One!", "Two?", "Three…"]),
        ("He said “No.” She left.", ["He said “No.”", "She left."]),
        ("(It ended.) It began.", ["(It ended.)", "It began."]),
        ("It costs 3.14 dollars. Cheap.", ["It costs 3.14 dollars.", "Cheap."]),
        ("Dr. Smith met Mr. Jones. They spoke.", ["Dr. Smith met Mr. Jones.", "They spoke."]),
        ("See e.g. the list, i.e. this one. Done.", ["See e.g. the list, i.e. this one.", "Done."]),
        ("J. R. R. Tolkien wrote. We read.", ["J. R. R. Tolkien wrote.", "We read."]),
        ("1. Do this.\n2. Do that.", ["1. Do this.", "2. Do that."]),
        ("Title\n\nText here.", ["Title", "Text here."]),
        ("A line that\nwraps here. Next.", ["A line that wraps here.", "Next."]),
        ("今天好。明天也好！", ["今天好。", "明天也好！"]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, sentences):
    assert split_sentences(text) == sentences


def test_each_document_has_its_number_and_each_sentence_its_letter():
    assert split_documents(["One. Two.", {"content": "Three."}]) == [
        [("0a", "One."), ("0b", "Two.")],
        [("1a", "Three.")],
    ]


def test_the_twenty_seventh_sentence_is_0aa():
    ((*_, last),) = split_documents([" ".join(["Word."] * 27)])
    assert last[0] == "0aa"


def test_a_document_of_ready_sentences_keeps_them():
    assert split_documents([["one. two", "three"]]) == [[("0a", "one. two"), ("0b", "three")]]


def test_an_empty_document_keeps_its_number():
    assert [len(pairs) for pairs in split_documents(["", "One."])] == [0, 1]


def test_a_response_has_letters_only():
    assert split_response("Yes. No.") == [("a", "Yes."), ("b", "No.")]


def test_documents_must_be_a_list():
    with pytest.raises(InputError, match="list of documents"):
        split_documents("text")


@given(st.text(max_size=300))
def test_no_word_is_lost(text):
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "a. " * 70_000,
        "." * 200_000 + "x",
        "1. " * 70_000,
        "x" * 200_000 + " ." * 9,
        '."' * 100_000,
        " " * 200_000 + ".",
    ],
    ids=["letters", "dots", "numbers", "a long word", "quotes", "spaces"],
)
def test_a_long_text_is_split_in_linear_time(text):
    began = time.process_time()
    split_sentences(text)
    assert time.process_time() - began < 1.5
