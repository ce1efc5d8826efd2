"""Suggestions on rendered lines: the resulting edits of the document, and refusals."""

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.errors import RenderError
from promptuary.renderer.origins.edit_outcomes import LineEdit, RefusedEdit
from promptuary.renderer.origins.line_edits import edit_rendered_lines
from promptuary.renderer.syntax.three_way_merge import split_lines
from tests.renderer import varied_documents as varied
from tests.support.examples import example_count

DOCUMENT = """---
inputs:
  customer: {type: string}
  excerpts: {type: array}
---
- name: rules
  role: system
  content: |
    You help {{ customer }}. Be kind.
    Use only the excerpts, and name the section.
    {% if customer %}
    They are known.
    {% endif %}
    {% for excerpt in excerpts %}
    [{{ loop.index }}] {{ excerpt }} ends.
    {% endfor %}
    {{ fragment("shop/policy@1") }}
- name: said
  content: "Say \\"hello\\" to {{ customer }}"
- name: plain
  content: plain text
    goes on here
- name: folded
  content: >
    folded text
    goes on

    then ends
{% include "shop/parts@1" %}
- name: only
  content: |
    {{ customer }}
"""
FRAGMENTS = {
    "shop/policy@1": "---\nformat: text\n---\nGoods for {{ customer }} come back.",
    "shop/parts@1": "- name: included\n  content: From the fragment.\n",
}
DATA = {"customer": "Ada", "excerpts": ["one", "two"]}


@pytest.fixture(name="template")
def load_template():
    return renderer.load(DOCUMENT, fragments=FRAGMENTS)


def edit(template, part, line, text, end_line=None):
    return edit_rendered_lines(template, DATA, part=part, line=line, end_line=end_line or line, text=text)


def apply(document, change):
    lines = split_lines(document)
    text = change.text
    if text and not text.endswith("\n") and change.end_line < len(lines):
        text += "\n"
    lines[change.line - 1 : change.end_line] = [text]
    return "".join(lines)


def source(found):
    """The edit's lines without their indentation."""
    assert isinstance(found, LineEdit), found
    return found.line, found.end_line, found.text.strip()


def test_text_next_to_a_value_is_edited_and_the_value_stays(template):
    edit_result = edit(template, 0, 1, "You help Ada. Be very kind.")
    assert source(edit_result) == (9, 9, "You help {{ customer }}. Be very kind.")


def test_a_line_of_text_alone_is_replaced_by_two_with_the_indentation_of_the_block(template):
    edit_result = edit(template, 0, 2, "Use only the excerpts.\nQuote them.")
    assert edit_result == LineEdit(10, 10, "    Use only the excerpts.\n    Quote them.")


def test_an_empty_text_takes_the_line_out(template):
    assert edit(template, 0, 2, "") == LineEdit(10, 10, "")


def test_two_lines_can_become_one(template):
    edit_result = edit(template, 0, 1, "You help Ada. Be kind, use only the excerpts.", 2)
    assert source(edit_result) == (9, 10, "You help {{ customer }}. Be kind, use only the excerpts.")


def test_an_edit_in_a_branch_stays_in_the_branch(template):
    assert source(edit(template, 0, 4, "They are known to us.")) == (12, 12, "They are known to us.")


def test_quotes_are_written_as_the_scalar_needs_them(template):
    edit_result = edit(template, 1, 1, 'Say "good day" \\ to Ada')
    assert edit_result.text == '  content: "Say \\"good day\\" \\\\ to {{ customer }}"'


def test_folded_text_is_edited_on_the_line_where_its_word_is(template):
    assert source(edit(template, 2, 1, "plain text goes further here")) == (22, 22, "goes further here")
    assert source(edit(template, 3, 2, "then it ends")) == (28, 28, "then it ends")


def test_text_can_be_added_next_to_a_line_that_is_one_value(template):
    assert source(edit(template, 5, 1, "Ada!")) == (32, 32, "{{ customer }}!")
    assert source(edit(template, 5, 1, "Dear Ada")) == (32, 32, "Dear {{ customer }}")


def test_a_value_of_an_input_is_refused_with_its_expression_and_line(template):
    assert edit(template, 0, 1, "You help Bob. Be kind.") == RefusedEdit("input", 9, "customer")


def test_the_text_of_a_fragment_is_refused_with_its_name(template):
    rendered = template.render(DATA).parts[0].content.split("\n")
    line = rendered.index("Goods for Ada come back.") + 1
    assert edit(template, 0, line, "Wares for Ada come back.") == RefusedEdit("fragment", 17, "shop/policy@1")


def test_a_part_of_an_included_fragment_is_refused_with_its_name(template):
    assert edit(template, 4, 1, "From here.") == RefusedEdit("fragment", source="shop/parts@1")


def test_a_line_of_a_loop_that_ran_twice_is_refused_with_the_count(template):
    rendered = template.render(DATA).parts[0].content.split("\n")
    line = rendered.index("[1] one ends.") + 1
    edit_result = edit(template, 0, line, "[1] one stops.")
    assert edit_result == RefusedEdit("repeated", 15, count=2)


def test_a_line_of_a_loop_that_ran_once_is_edited(template):
    data = {**DATA, "excerpts": ["one"]}
    rendered = template.render(data).parts[0].content.split("\n")
    line = rendered.index("[1] one ends.") + 1
    edit_result = edit_rendered_lines(template, data, part=0, line=line, end_line=line, text="[1] one stops.")
    assert source(edit_result) == (15, 15, "[{{ loop.index }}] {{ excerpt }} stops.")


def test_text_that_would_be_a_template_is_refused(template):
    assert edit(template, 0, 2, "Use {{ customer }} only.").reason == "unfaithful"


def test_text_that_yaml_would_read_otherwise_is_refused(template):
    assert edit(template, 2, 1, "plain: text goes on here").reason == "broken"


def test_a_new_line_that_a_plain_scalar_cannot_hold_is_refused(template):
    assert edit(template, 2, 1, "plain text\ngoes on here").reason == "unfaithful"


def test_the_same_text_is_not_a_suggestion(template):
    assert edit(template, 0, 1, "You help Ada. Be kind.").reason == "same"


def test_a_text_set_once_and_printed_twice_is_refused():
    document = "---\nformat: text\n---\n{% set words %}kept words{% endset %}{{ words }}\n{{ words }}\n"
    edit_result = edit_rendered_lines(renderer.load(document), {}, part=0, line=1, end_line=1, text="new words")
    assert edit_result == RefusedEdit("repeated", 4, count=2)


SHAPED = "---\nformat: shaped\n---\nAnswer briefly.\nQuestion: {query}\nAnswer briefly.\n{query}\n"
PROMPTER = """---
format: prompter
---
kind: chat
instruction: |
  You answer questions about {product}.
  Be kind.
"""


def edit_line(document, data, line, text, part=0):
    return edit_rendered_lines(renderer.load(document), data, part=part, line=line, end_line=line, text=text)


@pytest.mark.parametrize(
    ("document", "line", "text", "expected"),
    [
        (SHAPED, 2, "Ask: boots", (5, 5, "Ask: {query}")),
        (SHAPED, 3, "Answer at length.", (6, 6, "Answer at length.")),
        (SHAPED, 1, "Answer briefly.\nCite.", (4, 4, "Answer briefly.\nCite.")),
        (PROMPTER, 1, "You answer all questions about boots.", (6, 6, "You answer all questions about {product}.")),
        (PROMPTER, 2, "Be kind.\nBe brief.", (7, 7, "Be kind.\n  Be brief.")),
    ],
)
def test_a_line_of_a_shaped_or_prompter_document_is_edited_where_its_words_are(document, line, text, expected):
    data, part = ({"query": "boots"}, 0) if document is SHAPED else ({"product": "boots", "question": "Why?"}, 1)
    assert source(edit_line(document, data, line, text, part)) == expected


def test_a_value_in_a_shaped_or_prompter_document_is_refused_with_what_prints_it():
    edit_result = edit_line(SHAPED, {"query": "boots"}, 2, "Question: shoes")
    assert (edit_result.reason, edit_result.line, edit_result.source) == ("input", 5, "query")
    edit_result = edit_line(
        PROMPTER, {"product": "boots", "question": "Why?"}, 1, "You answer questions about shoes.", 1
    )
    assert (edit_result.reason, edit_result.line, edit_result.source) == ("input", 6, "product")


def test_words_that_would_not_come_out_of_a_shaped_document_are_refused():
    edit_result = edit_line(SHAPED, {"query": "boots"}, 2, "Question {sic}: boots")
    assert (edit_result.reason, edit_result.line) == ("broken", 5)


def test_a_part_that_was_shortened_to_fit_is_refused():
    document = (
        "---\ntoken_limit: 30\n---\n- name: long\n  truncation_priority: 1\n  shrink: end\n  content: "
        + "many words are here " * 20
        + "\n"
    )
    edit_result = edit_rendered_lines(renderer.load(document), {}, part=0, line=1, end_line=1, text="few words")
    assert edit_result == RefusedEdit("shortened", 4)


def test_a_line_that_the_prompt_does_not_have_is_an_index_error(template):
    for part, line in ((0, 99), (9, 1), (-1, 1), (0, 0)):
        with pytest.raises(IndexError):
            edit(template, part, line, "x")


def test_a_document_with_crlf_is_edited_by_its_line_numbers():
    template = renderer.load(DOCUMENT.replace("\n", "\r\n"), fragments=FRAGMENTS)
    edit_result = edit_rendered_lines(template, DATA, part=0, line=1, end_line=1, text="You help Ada. Be quick.")
    assert source(edit_result) == (9, 9, "You help {{ customer }}. Be quick.")


@st.composite
def changed_lines(draw, lines):
    """Rendered lines with words of them taken out, replaced or added."""
    text = "".join(lines).removesuffix("\n")
    words = text.split(" ")
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(words) - 1))
        kind = draw(st.sampled_from(["replace", "insert", "append", "remove", "all"]))
        new = draw(st.one_of(st.sampled_from(["new", "or so", "two\nlines", "a: b", "x"]), varied.TEXTS))
        if kind == "all":
            words = [new]
        elif kind == "append":
            words[at] += new
        else:
            words[at : at + (kind != "insert")] = [] if kind == "remove" and len(words) > 1 else [new]
    return " ".join(words)


@settings(max_examples=example_count(0.5))
@given(document=varied.documents(), values=varied.data(), draws=st.data())
def test_an_accepted_suggestion_renders_to_exactly_what_was_suggested(document, values, draws):
    """On documents of every format and style, whatever is suggested on any line of theirs."""
    data = values[0]
    try:
        template = renderer.load(document, fragments=varied.FRAGMENTS)
        before = template.render(data).parts
    except RenderError:
        assume(False)
    part = draws.draw(st.integers(0, len(before) - 1))
    lines = split_lines(before[part].content) if isinstance(before[part].content, str) else []
    assume(lines)
    line = draws.draw(st.integers(1, len(lines)))
    end_line = draws.draw(st.integers(line, min(len(lines), line + 2)))
    text = draws.draw(changed_lines(lines[line - 1 : end_line]))
    edit_result = edit_rendered_lines(template, data, part=part, line=line, end_line=end_line, text=text)
    if isinstance(edit_result, RefusedEdit):
        event(f"refused: {edit_result.reason}")
        return
    event("accepted")
    after = renderer.load(apply(document, edit_result), fragments=varied.FRAGMENTS).render(data).parts
    suggested = text.split("\n") if text else []
    rendered = [row.removesuffix("\n") for row in split_lines(after[part].content)]
    assert rendered[line - 1 : line - 1 + len(suggested)] == suggested or text.endswith("\n")
    rest = [row.removesuffix("\n") for row in lines[end_line:]]
    assert rendered[len(rendered) - len(rest) :] == rest
    assert [row for n, row in enumerate(after) if n != part] == [row for n, row in enumerate(before) if n != part]
