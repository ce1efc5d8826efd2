"""Booleans printed by templates in other languages."""

import pytest

from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import write_text_body
from promptuary.renderer.interop.template_text import read_template_text

PRINTED = "a value that is true or false is printed as `True` or `False`; there it is `true` or `false`"


def read(text, language):
    plain = read_template_text(text, language, InputNames())
    return write_text_body(plain.pieces), [difference.message for difference in plain.differences]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("liquid", "Paid: {{ paid }}"),
        ("liquid", "{{ paid | default: false }}"),
        ("handlebars", "Paid: {{paid}}"),
        ("mustache", "{{#orders}}{{paid}}{{/orders}}"),
        ("go", "Paid: {{.paid}}"),
        ("erb", "Paid: <%= paid %>"),
        ("nunjucks", "Paid: {{ paid }}"),
    ],
)
def test_a_value_that_may_be_a_boolean_is_noted_as_printed_otherwise(language, text):
    assert PRINTED in read(text, language)[1]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("liquid", "{% if paid %}yes{% endif %}"),
        ("handlebars", "{{#each items}}{{@index}}{{/each}}"),
        ("mustache", "{{#paid}}yes{{/paid}}"),
        ("jinja", "Paid: {{ paid }}"),
    ],
)
def test_nothing_is_noted_where_none_can_be_printed(language, text):
    assert PRINTED not in read(text, language)[1]


@pytest.mark.parametrize(
    ("language", "text", "body"),
    [
        ("liquid", "{{ true }}, {{ false }}, {{ nil }}.", "true, false, ."),
        ("handlebars", "{{true}}, {{false}}, {{null}}.", "true, false, ."),
        ("erb", "<%= true %>, <%= nil %>.", "true, ."),
        ("nunjucks", "{{ true }}.", "true."),
    ],
)
def test_a_constant_is_printed_as_there(language, text, body):
    written, differences = read(text, language)
    assert written == body
    assert PRINTED not in differences
