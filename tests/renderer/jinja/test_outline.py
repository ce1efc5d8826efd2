"""A whole line of the author's outside all tags is also in the outline, which need not be made then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.document import parser
from promptuary.renderer.errors import RenderError
from promptuary.renderer.formats.jinja_body import ASSEMBLIES, compile_body
from promptuary.renderer.jinja import build_outline, has_whole_line
from promptuary.renderer.validation import empty_prompt

PIECES = ["\n", "\n", "a", " ", "# x", "#", "{{ v }}", "{# c #}", "{% set n = 1 %}", "{% if v %}", "{% endif %}",
    "{% for i in v %}", "{% endfor %}", "{% set b %}", "{% endset %}", "{{ b }}", "{%- if v -%}"]  # fmt: skip


def unit_of(body):
    return compile_body(parser.parse_document(f"---\nformat: text\n---\n{body}"), {}, {}, ASSEMBLIES).unit


@pytest.mark.parametrize("body", ["", "a", "a\n", "\na", "\n# a\n", "{{ v }}\n \n", "{% if v %}\na\n{% endif %}"])
def test_a_line_that_may_go_on_or_is_inside_a_tag_is_not_whole(body):
    assert not has_whole_line(unit_of(body))


@pytest.mark.parametrize("body", ["\na\n", "{{ v }}\nb\n{{ v }}", "# a\n- name: x\n"])
def test_a_line_between_two_line_ends_is_whole(body):
    assert has_whole_line(unit_of(body))


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_body_with_a_whole_line_says_something(body):
    try:
        unit = unit_of(body)
    except RenderError:
        return
    if has_whole_line(unit):
        assert empty_prompt._may_print_text(build_outline(unit), values=False)
