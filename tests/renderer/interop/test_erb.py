"""ERB and EEx: printed expressions become inputs, conditions and loops become Jinja."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.interop.pasted import read_pasted_prompt
from tests.renderer.interop.imports import list_differences, read_one, render_text


def test_printed_expressions_become_inputs():
    template = read_one("a.txt", "Hi <%= name %>, <%=@order.id%>.\n<%= @question %>")
    assert render_text(template, name="Ann", order={"id": "7"}, question="Why?") == "Hi Ann, 7.\nWhy?"


def test_a_call_becomes_an_input_that_says_what_to_give():
    template = read_one("a.erb", 'By <%= names.join(", ") %> at <%= Time.now %>.')
    assert "`Time.now` is the input `time_now`: give the text that this expression prints" in list_differences(template)
    assert render_text(template, names_join="Ann, Bo", time_now="noon") == "By Ann, Bo at noon."


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("<% if x %>yes<% else %>no<% end %>", "yes"),
        ("<% unless @x.present? %>no<% else %>yes<% end %>", "yes"),
        ("<% if !never || x.blank? %>yes<% end %>", "yes"),
        ('<% if x == "a" && n > 2 %>yes<% elsif n %>no<% end %>', "yes"),
        ("<% @items.each do |item| %><%= item.t %>;<% end %>", "1;2;"),
        ("<% for item <- @items do %><%= item.t %>;<% end %>", "1;2;"),
        ("a\n  <%- if x -%>\nb\n  <%- end -%>\nc", "a\nb\nc"),
        ("a\n  <% if x %>\nb\n<% end %>\nc", "a\n  \nb\n\nc"),
        ("a <%# a note %>b", "a b"),
    ],
)
def test_statements_become_jinja_and_print_the_same(text, rendered):
    values = {"x": "a", "n": 3, "never": False, "items": [{"t": 1}, {"t": 2}]}
    assert render_text(read_one("a.erb", text), **values) == rendered


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("a\n<% render 'x' %>", "line 2: `<% render 'x' %>` is code"),
        ("<% if x.y(1) %>a<% end %>", "line 1: the condition `x.y(1)` is code"),
        ("<% if x %>a", "line 1: a tag that is opened here has no"),
        ("a\n\n<% end %>", "line 3: `<% end %>` is code"),
        ("<%= x %><%% y %>", "line 1: `<%%` is not read here"),
    ],
)
def test_other_code_stays_text_with_the_line_that_says_why(text, expected_text):
    pasted = read_pasted_prompt(f"{text} <%= name %>")
    assert pasted.kind == "literal"
    assert pasted.reason.startswith(expected_text)


def test_tags_in_a_block_of_code_are_not_a_reason_to_read_the_text_so():
    text = "Explain {name}:\n```erb\n<%= user.name %>\n```\n"
    assert render_text(read_one("a.txt", text), name="Ann") == text.replace("{name}", "Ann")


def test_placeholders_of_another_notation_stay_text_and_are_named():
    template = read_one("a.txt", "Hi <%= name %>,\nyour {order}.")
    assert "`<%= name %>` is read as an input" in list_differences(template)
    assert "line 2: `{order}` stays text" in list_differences(template)
    assert render_text(template, name="Ann") == "Hi Ann,\nyour {order}."


@given(st.lists(st.sampled_from(["<%= a %>", "<%=@b%>", "\n", " ", "{x}", "%>", '"', "# "]), min_size=1).map("".join))
def test_a_text_with_print_tags_alone_keeps_all_that_is_around_them(text):
    expected = text.replace("<%= a %>", "‹a›").replace("<%=@b%>", "‹b›")
    if expected.strip():
        assert render_text(read_one("a.erb", text), a="‹a›", b="‹b›") == expected
