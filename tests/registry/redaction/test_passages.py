"""The passages of a document by which copies are found."""

import time

from registry.redaction.passages import find_passages, list_spellings

DOCUMENT = """---
description: Answer the customers of Harbour Books
---
- name: instructions
  content: |
    You are the voice of Harbour Books, number 4711-0815-2342.
    Be kind.
    {{ question | join(', ') }} Sign as Maria of the desk.
"""


def test_prose_and_long_words_with_digits_are_passages():
    assert find_passages([DOCUMENT], []) == (
        "You are the voice of Harbour Books, number 4711-0815-2342.",
        "Answer the customers of Harbour Books",
        "Sign as Maria of the desk.",
        "question | join(', ')",
        "4711-0815-2342",
    )


def test_text_shared_with_another_document_is_no_passage():
    assert find_passages([DOCUMENT], [DOCUMENT.replace("Maria", "Anna")]) == ("Sign as Maria of the desk.",)


def test_json_spells_a_passage_otherwise():
    assert list_spellings('say "ä"') == ('say "ä"', 'say \\"\\u00e4\\"', 'say \\"ä\\"')
    assert list_spellings("plain") == ("plain",)


def test_the_longest_documents_are_read_in_a_moment():
    for document in ("{{" * 128_000, "a1" * 128_000, "{% " * 80_000, "one two three four five\n" * 10_000):
        began = time.process_time()
        assert len(find_passages([document], [document[:1000]])) <= 60
        assert time.process_time() - began < 2
