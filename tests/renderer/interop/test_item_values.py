"""Filters, functions and methods of other programs: what they give for an item of a loop is a key of the item."""

import pytest

from promptuary.renderer.interop.pasted import read_pasted_prompt
from tests.renderer.interop.imports import list_differences, read_one, render_text

DOCS = {"docs": [{"t": "a", "t_mark": "A", "mark_t": "A"}, {"t": "b", "t_mark": "B", "mark_t": "B"}]}
WORDS = {"words": ["a", "b"]}


@pytest.mark.parametrize(
    ("name", "text", "data", "rendered"),
    [
        ("a.j2", "{% for d in docs %}{{ d.t }}{{ d.t | mark }}{% endfor %}", DOCS, "aAbB"),
        ("a.j2", "{% for d in docs %}{{ mark(d.t) }}{% endfor %}", DOCS, "AB"),
        ("a.j2", "{% for d in docs %}{% if mark(d.t) %}{{ d.t }}{% endif %}{% endfor %}", DOCS, "ab"),
        ("a.j2", "{% for w in words %}{{ w | mark }}{% endfor %}", WORDS, "ab"),
        ("a.j2", "{% for d in docs %}{{ d.t }}{{ d | mark }}{% endfor %}", {"docs": [{"t": 1, "d_mark": 2}]}, "12"),
        ("a.j2", "{% for k, v in all.items() %}{{ v | mark }}{% endfor %}", {"all": {"x": 1}}, "1"),
        ("a.j2", "{% for w in words | mark %}{{ w }}{% endfor %}", {"words_mark": ["x"]}, "x"),
        ("a.j2", "{% for t in get_tools('a') %}{{ t.n }}{% endfor %}", {"get_tools_a": [{"n": 1}]}, "1"),
        ("a.j2", "{% if is_late(day) %}late{% elif x | mark %}x{% endif %}", {"is_late_day": 0, "x_mark": 1}, "x"),
        ("a.j2", "{% set s = mark(x) %}{{ s }}{{ x }}", {"mark_x": "M", "x": 1}, "M1"),
        ("a.liquid", "{% for d in docs reversed %}{{ d.t | mark: 2 }}{% endfor %}", {"docs": [{"t_mark_2": "A"}]}, "A"),
        ("a.liquid", "{% for w in words limit: 1 %}{{ w | mark }}{% endfor %}", WORDS, "a"),
        ("a.liquid", "{% assign x = y %}{{ x | mark }}{% unless y %}n{% endunless %}", {"y": 1, "x_mark": 2}, "2"),
        ("a.erb", "<% docs.each do |d| %><%= d.t.mark(1) %><% end %>", {"docs": [{"t_mark_1": "A"}]}, "A"),
        ("a.erb", "<% words.each do |w| %><%= w.upcase %><% end %>", WORDS, "ab"),
        ("a.erb", "<% docs.each do |d| %><%= d.t %><%= mark(d.t) %><% end %>", DOCS, "aAbB"),
        ("a.tmpl", "{{range .Docs}}{{.T | mark}}{{end}}", {"Docs": [{"t_mark": "A"}]}, "A"),
        ("a.tmpl", "{{range .Words}}{{. | mark}}{{end}}{{len .Words}}", {"Words": ["a"], "len_words": 1}, "a1"),
        (
            "a.tmpl",
            '{{if mark .A "b"}}y{{else}}n{{end}}{{printf "%q" .B}}',
            {"mark_a_b": 0, "printf_q_b": "'b'"},
            "n'b'",
        ),
        ("a.tmpl", "{{if and (eq .A 1) .B}}y{{end}}{{.A}}", {"and_eq_a_1_b": True, "A": 1}, "y1"),
    ],
)
def test_an_expression_over_an_item_becomes_a_key_of_the_item(name, text, data, rendered):
    assert render_text(read_one(name, text), **data) == rendered


def test_each_key_each_item_and_each_input_is_named():
    differences = list_differences(
        read_one(
            "a.j2", "{% for d in docs %}{{ d.t | mark }}{% endfor %}{% for w in ws | top %}{{ w | up }}{% endfor %}"
        )
    )
    assert "`d.t | mark` is the key `t_mark` of each item: give there what the code of its program makes" in differences
    assert "`w | up` prints the item as it is, without the code of its program" in differences
    assert "`ws | top` is the input `ws_top`: give the list" in differences


def test_a_key_never_has_the_name_of_a_method():
    template = read_one("a.j2", "{% for d in docs %}{{ d.x }}{{ items(d) }}{% endfor %}")
    assert render_text(template, docs=[{"x": 1, "items_d": 2}]) == "12"
    template = read_one("a.j2", "{% for d in docs %}{{ d.x }}{{ d.items(1) }}{{ d.keys | up }}{% endfor %}")
    assert "`keys_up`" in list_differences(template)


@pytest.mark.parametrize(
    "text", ["{% for x in xs %}{{ fmt(x) }}{% endfor %}", "{{ a.show() }} and {{ b }}", "{% if fmt(x) %}a{% endif %}"]
)
def test_a_pasted_text_is_offered_without_the_code_of_its_program(text):
    offer = read_pasted_prompt(text)
    assert (offer.kind, offer.reason) == ("inputs", "")
    assert "()" not in offer.body.replace("fmt(x)", "()")
