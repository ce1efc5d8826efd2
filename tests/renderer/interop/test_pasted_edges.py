"""White space at the edges of a pasted text, and texts of one very long line."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.interop.chat_markup import is_chat_markup
from promptuary.renderer.interop.pasted import read_pasted_prompt
from tests.renderer.interop.imports import read_one, render_text

BLANKS = st.text(st.sampled_from(" \t\n\xa0\u3000"), max_size=4)
WORDS = st.lists(st.sampled_from(["Be kind.", "- one", "# Title", "\\n", "<b>", "é 😀"]), min_size=1).map("\n".join)
LINE_END_LEFT = "the end of the last line is left out, because a part has none"


def content_of(body: str) -> str:
    (part,) = renderer.load(body).render({}, token_limit=-1).parts
    return str(part.content)


@given(BLANKS, WORDS, BLANKS)
def test_a_text_pasted_as_the_document_renders_to_itself_or_says_that_its_line_end_goes(before, words, after):
    text = f"{before}{words}{after}"
    pasted = read_pasted_prompt(text, as_document=True)
    left = "\n" if LINE_END_LEFT in pasted.differences else ""
    assert content_of(pasted.body) + left == text
    assert not left or (before, after) == ("", "\n")


@given(BLANKS, WORDS, BLANKS)
def test_edges_that_a_part_would_strip_are_kept(before, words, after):
    text = f"{before}{words}{after}"
    pasted = read_pasted_prompt(text)
    if before or after not in ("", "\n"):
        assert content_of(pasted.body) == text
    else:
        assert pasted is None or pasted.kind == "literal"


def test_edges_stay_where_other_placeholders_become_inputs():
    pasted = read_pasted_prompt("\n\nDear {name},\n\nthank you.\n\n")
    (part,) = renderer.load(pasted.body).render({"name": "Ann"}, token_limit=-1).parts
    assert (pasted.kind, part.content) == ("inputs", "\n\nDear Ann,\n\nthank you.\n\n")


def test_tags_that_trim_what_is_around_them_keep_doing_it():
    pasted = read_pasted_prompt("\n\n{%- if a -%} Be kind. {%- endif -%}\n\n")
    (part,) = renderer.load(pasted.body).render({"a": True}, token_limit=-1).parts
    assert part.content == "Be kind."


def test_the_last_line_end_that_goes_is_named():
    assert LINE_END_LEFT in read_pasted_prompt("Dear {name}.\n").differences


def test_a_document_with_blank_lines_around_it_is_not_text_with_edges():
    text = "\n\n- name: a\n  role: user\n  content: Be kind.\n\n\n"
    pasted = read_pasted_prompt(text)
    assert (pasted.kind, pasted.body, pasted.count) == ("messages", text, 1)


@pytest.mark.parametrize("text", ["one\r\ntwo\r\n", "one\rtwo"])
def test_an_import_says_that_other_line_ends_become_line_feeds(text):
    template = read_one("a.txt", text)
    assert render_text(template) == text.replace("\r\n", "\n").replace("\r", "\n")
    assert [str(difference) for difference in template.differences] == [
        "its line ends become line feeds, which documents have"
    ]


@pytest.mark.parametrize("end", ["</s>", "<|end_of_text|>", ""])
@pytest.mark.parametrize("start", ["<s>", "<bos>", "<|begin_of_text|>", ""])
def test_marks_around_a_conversation_are_not_part_of_it(start, end):
    assert is_chat_markup(f" \n{start} [INST] Hi [/INST] {end}\n ")


@pytest.mark.parametrize(
    "write_line",
    [
        lambda length: "{a} " * (length // 4),
        lambda length: "a" + " " * length + "{{ a }}",
        lambda length: "{{ a }}" + "{" * length,
        lambda length: "{{ a }}" + "word " * (length // 5),
    ],
    ids=["placeholders", "spaces", "braces", "words"],
)
def test_one_very_long_line_is_read_in_time_that_grows_with_its_length(write_line):
    """Eight times the length took 64 times as long when a step looked through the whole line for each of its signs."""
    assert _seconds_to_read(write_line(64_000)) < 24 * _seconds_to_read(write_line(8_000))


def _seconds_to_read(text: str) -> float:
    """Processor seconds to read a pasted line and to check it; the least of three attempts."""
    took = []
    for _ in range(3):
        started = time.process_time()
        read_pasted_prompt(text)
        renderer.validate(f"- name: a\n  role: user\n  content: |-\n    {text}\n")
        took.append(time.process_time() - started)
    return min(took)
