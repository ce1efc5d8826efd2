"""Tags that are left open, and long runs of white space: reading takes time that grows with the length of the text."""

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.reading import read_templates
from promptuary.renderer.interop.tag_search import TagKind, TagSyntax
from promptuary.renderer.interop.template_text import read_template_text

KINDS = (
    TagKind(r"\{\{!(?P<comment>.*?)\}\}", end=r"\}\}"),
    TagKind(r"\{%(?P<block>(?:'[^']*'|[^'%]|%(?!\}))*)%\}", end=r"%\}", has_strings=True),
)
TAGS = TagSyntax(r"\{[%{]", *KINDS)
ALTERNATIVES = re.compile("|".join(kind.pattern for kind in KINDS), re.DOTALL)
# Each is repeated up to the length of the text, which may end with signs that close a tag of another kind.
OPENINGS = [
    *("{{!--", "{{!-- a }}", "{{!", "{{", "{{{", "{{~", "{{ a ", "{{ 'a ", "{%", "{% 'a' ", "{#", "{% raw %}"),
    *("<%", "<%= ", "<% 'a", "{{/*", "{{/* }}", "{{|f", "[[", "${", "$", "\\", "(", "[", "{{a.", "{{(", "\\{{"),
]
SPACES = ["{{%sx", "{{a%s{ }}", "{{{%s}} }}}", "{{- %s- }", "{{/*%s*/"]
LANGUAGES = ["handlebars", "mustache", "liquid", "erb", "go", "semantic-kernel", "jinja"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_tags_that_are_left_open_are_read_in_time_that_grows_with_the_length(language):
    """Four times the length took 16 times as long when each open tag was looked for to the end of the text."""
    for opening in OPENINGS:
        for end in ("", "' %}", "}}"):
            _require_linear(language, "", opening, end)


@pytest.mark.parametrize("language", LANGUAGES)
def test_long_white_space_in_a_tag_is_read_in_time_that_grows_with_its_length(language):
    """The time grew with the third power when each way of sharing the spaces out was tried."""
    for around in SPACES:
        before, after = around.split("%s")
        _require_linear(language, before, " ", after)


@pytest.mark.parametrize(
    "text",
    ["/" * 40_000, "// " * 20_000, "//\n" * 20_000, "/**/" * 10_000, "/*" * 20_000, "[INST]" * 20_000],
    ids=lambda text: text[:6],
)
def test_a_text_of_comment_signs_or_open_marks_is_recognised_at_once(text):
    """Forty slashes took half a minute when each way of reading them as comments was tried."""
    started = time.process_time()
    with suppress(LossError):
        read_templates("a.txt", text.encode())
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("name", "repeated"),
    [
        ("a.txt", 'f"{a}" '),
        ("a.txt", "$a "),
        ("a.ts", "[a]\n"),
        ("a.ts", '\\"'),
        ("a.hbs", "{{#system}}"),
    ],
    ids=["placeholders in strings", "dollars", "brackets", "escaped quotes", "open sections"],
)
def test_many_signs_are_read_in_time_that_grows_with_their_number(name, repeated):
    """Each was compared with the rest of the text: each placeholder with each string, each quote with all after it."""
    started = time.process_time()
    with suppress(LossError):
        read_templates(name, (repeated * 8_000).encode())
    assert time.process_time() - started < 5


def test_sections_inside_each_other_are_read_up_to_a_bound():
    def read(depth):
        return read_template_text("{{#a}}" * depth + "x" + "{{/a}}" * depth, "handlebars", InputNames())

    assert read(100)
    with pytest.raises(LossError, match="more than 100 sections"):
        read(101)


def _require_linear(language, before, repeated, after):
    def measure(length):
        return _measure_seconds(language, before + repeated * (length // len(repeated)) + after)

    for _ in range(3):
        long = measure(8_000)
        if long < 0.1 or long < 8 * measure(2_000):
            return
    raise AssertionError(f"{before}{repeated}{after} takes {long:.2f} s")


def _measure_seconds(language: str, text: str) -> float:
    """Processor seconds to read a text; one that is refused was read too."""
    started = time.process_time()
    try:
        read_template_text(text, language, InputNames())
    except LossError:
        pass
    return time.process_time() - started


@given(st.lists(st.sampled_from(["{{!", "}}", "{%", "%}", "{", "%", "'", " ", "a", "\n"]), max_size=30).map("".join))
def test_the_same_tags_are_found_as_by_one_regular_expression(text):
    expected = [(tag.span(), tag.groupdict()) for tag in ALTERNATIVES.finditer(text)]
    assert [(tag.span(), tag.groupdict()) for tag in TAGS.find_tags(text)] == expected
