"""Name tags: the tokens and nodes of the short ways are those of Jinja's own lexer and parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, TemplateSyntaxError, nodes

from promptuary.renderer.jinja.sandbox import NameTagParser, make_lexer

JINJA = Environment(keep_trailing_newline=True)

SOURCES = (
    "",
    "no tag",
    "{{ a }}",
    "{{a}}{{ b}}{{c }}",
    "x {{\n a \n}} y\n",
    "{{- a }} {{ a -}} {{+ a }}",
    "{ {{ a }} } {{{ a }}}",
    "{{ a.b }} {{ a | upper }} {{ a if b }}",
    "{{ not a }} {{ true }} {{ None }} {{ none }} {{ if }} {{ in }}",
    "{{ not }}",
    "{{ 1a }}",
    "{{ a b }}",
    "{{ é }} {{ a\u0301 }} {{ _x9 }}",
    "{{ a }",
    "{{ a",
    "{# {{ a }} #} {{ b }}",
    "{% raw %}{{ a }}{% endraw %} {{ b }}",
    "{% for a in b %}{{ a }}, {% endfor %}",
    "{% set a %}{{ b }}{% endset %}{{ a }}",
    "{{ a }}\r\n{{ b }}\r{{ c }}",
)
PIECES = ("{", "}", "{{", "}}", "{%", "%}", "{#", "#}", "-", "+", " ", "\n", "a", "b9", "é", "1", ".", "'", "(", "if")


def tokens_of(lexer: object, source: str) -> object:
    try:
        return list(lexer.tokeniter(source, None))  # type: ignore[attr-defined]
    except TemplateSyntaxError as error:
        return error.message, error.lineno


def tree_of(source: str, *, is_short: bool) -> object:
    try:
        parser = NameTagParser(JINJA, source) if is_short else None
        tree = parser.parse() if parser else JINJA.parse(source)
    except TemplateSyntaxError as error:
        return error.message, error.lineno
    return tree, [node.lineno for node in tree.find_all(nodes.Node)]


@pytest.mark.parametrize("source", SOURCES)
def test_tokens_and_nodes_are_jinjas(source: str) -> None:
    assert tokens_of(make_lexer(), source) == tokens_of(JINJA.lexer, source)
    assert tree_of(source, is_short=True) == tree_of(source, is_short=False)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_tokens_and_nodes_of_any_text_are_jinjas(source: str) -> None:
    assert tokens_of(make_lexer(), source) == tokens_of(JINJA.lexer, source)
    assert tree_of(source, is_short=True) == tree_of(source, is_short=False)


def test_the_lexer_of_other_environments_stays_as_it_is() -> None:
    before = len(JINJA.lexer.rules["root"])
    make_lexer()
    assert len(Environment(keep_trailing_newline=True).lexer.rules["root"]) == before
