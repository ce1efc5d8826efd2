"""Renaming an input of a document: declaration and uses together, or not at all."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.document import parser as documents
from promptuary.renderer.validation import fixes
from promptuary.renderer.validation.input_renames import InputRenameError, rename_input

DOCUMENT = """---
inputs:
  customer: {type: object, properties: {name: {type: string}}}
  tone:
    type: string
    default: tone
  "items": {type: array, items: {type: string}}
---
- name: reply
  content: |
    Hi {{ customer.name }} {{ tone }}{% if tone %} tone{% endif %} {{ 'tone' }}
    {% for item in items %}{{ item|upper }}{% set last = item %}{{ last }}{% endfor %}
"""
DATA = {"customer": {"name": "Ann"}, "tone": "warm", "items": ["a", "b"]}


def rename(text: str, old: str, new: str, **fragments: str) -> str:
    document, _ = documents.inspect_document(text)
    assert document is not None
    return fixes.apply_fix(text, rename_input(document, old, new, fragments))


def test_the_declaration_and_every_use_get_the_other_name():
    changed = rename(DOCUMENT, "tone", "style")
    assert "  style:\n    type: string\n    default: tone\n" in changed
    assert "{{ style }}{% if style %} tone{% endif %} {{ 'tone' }}" in changed
    assert '"items": {type: array' in changed


def test_a_key_in_quotes_or_in_braces_is_renamed():
    assert "  things: {type: array" in rename(DOCUMENT, "items", "things")
    braces = "---\ninputs: {a: {type: string}, b: {type: string}}\nformat: text\n---\n{{ a }} {{ b }}\n"
    assert (
        rename(braces, "b", "c")
        == "---\ninputs: {a: {type: string}, c: {type: string}}\nformat: text\n---\n{{ a }} {{ c }}\n"
    )


def test_line_ends_and_attributes_of_the_same_name_stay():
    text = "---\r\ninputs: {name: {type: object}}\r\nformat: text\r\n---\r\n{{ name.name }}\r\n"
    assert rename(text, "name", "who") == text.replace("{name:", "{who:").replace("{{ name.", "{{ who.")


def test_a_shaped_text_is_renamed_too():
    text = "---\nformat: shaped\ninputs: {question: {type: string}}\n---\nAnswer {question}\n"
    assert "Answer {ask}" in rename(text, "question", "ask")


def test_an_input_that_is_not_declared_yet_is_renamed_where_it_is_used():
    text = "- name: a\n  content: Hi {{ who }}\n- name: b\n  content: '{% if who %}{{ who|upper }}{% endif %}'\n"
    assert rename(text, "who", "customer") == text.replace("who", "customer")
    text = DOCUMENT.replace("Hi {{", "Hi {{ greeting }} {{")
    assert rename(text, "greeting", "salute") == text.replace("greeting", "salute")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("absent", "other", "There is no input `absent`"),
        ("item", "other", "There is no input `item`"),
        ("last", "other", "There is no input `last`"),
        ("tone", "1st", "Use letters, digits and _"),
        ("tone", "", "Use letters, digits and _"),
        ("tone", "a" * 65, "64 characters at most"),
        ("tone", "items", "There is an input `items` already"),
        ("tone", "item", "The text uses `item` already"),
        ("tone", "last", "The text uses `last` already"),
        ("tone", "join", "means something else"),
    ],
)
def test_a_name_that_would_change_the_text_is_refused(old, new, reason):
    with pytest.raises(InputRenameError, match=reason):
        rename(DOCUMENT, old, new)


def test_an_input_used_by_a_fragment_cannot_be_renamed():
    text = "---\ninputs: {tone: {type: string}}\nformat: text\n---\n{% include 'a/b@1' %}\n"
    with pytest.raises(InputRenameError, match="A fragment uses `tone`"):
        rename(text, "tone", "style", **{"a/b@1": "---\nformat: text\n---\n{{ tone }}"})


def test_a_name_that_one_branch_binds_is_left_to_the_source():
    text = "---\ninputs: {a: {type: string}}\nformat: text\n---\n{% if a %}{% set b = 1 %}{% endif %}{{ b }}{{ a }}\n"
    with pytest.raises(InputRenameError, match="uses `b` already"):
        rename(text, "a", "b")


def test_a_text_with_errors_is_mended_first():
    with pytest.raises(InputRenameError, match="has errors"):
        rename("---\ninputs: {a: {type: string}}\nformat: text\n---\n{{ a\n", "a", "b")


@given(name=st.text(string.ascii_letters + "_", min_size=1, max_size=8))
def test_a_renamed_document_renders_the_same_prompt(name):
    try:
        changed = rename(DOCUMENT, "tone", name)
    except InputRenameError:
        return
    data = {name if key == "tone" else key: value for key, value in DATA.items()}
    before, after = (renderer.load(text).render(values) for text, values in ((DOCUMENT, DATA), (changed, data)))
    assert before.messages == after.messages
