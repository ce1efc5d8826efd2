"""The text of a rendered part as HTML: marked values, fragments, placeholders and folds."""

import pytest
from django.utils import translation

from frontend.diff.rendered import Piece
from frontend.templatetags.prompt_pieces import prompt_pieces


def test_the_authors_text_is_escaped_without_anything_around_it():
    assert prompt_pieces([Piece("a <b>\n  & c ")], 0) == "a &lt;b&gt;\n  &amp; c "


def test_a_value_is_marked_with_its_place_and_where_it_comes_from():
    piece = Piece("<Where>", "input", expression='question | default("?")', line=14, column=5)
    assert prompt_pieces([piece], 0) == (
        '<span class="value" data-at="14:5" title="question | default(&quot;?&quot;), line 14">&lt;Where&gt;</span>'
    )


def test_a_value_without_a_place_or_an_expression_has_neither():
    assert prompt_pieces([Piece("x", "input")], 0) == '<span class="value" data-at=":">x</span>'
    assert prompt_pieces([Piece("x", "input", expression="name")], 0) == (
        '<span class="value" data-at=":" title="name">x</span>'
    )


def test_a_fragment_has_a_chip_with_what_it_names_before_it():
    piece = Piece("Be kind.", "fragment", expression='fragment("team/tone@3")', line=2, column=1)
    assert prompt_pieces([piece], 0).startswith(
        '<span class="chip fragment-chip">team/tone@3</span> <span class="from-fragment" data-at="2:1" title='
    )


def test_a_placeholder_is_a_chip():
    piece = Piece("name", "placeholder", expression="name", line=3, column=4)
    assert prompt_pieces([piece], 0) == (
        '<span class="chip placeholder" data-at="3:4" title="name, line 3">name</span>'
    )


@pytest.mark.parametrize(("language", "words"), [("en", "1,234 more characters"), ("de", "1.234 weitere Zeichen")])
def test_a_folded_value_shows_its_size_and_has_an_id(language, words):
    pieces = [Piece("a "), Piece("head", "input", more="<" * 1234, expression="text", line=1, column=1)]
    with translation.override(language):
        html = prompt_pieces(pieces, 7)
    assert '<details class="fold" data-fold="7.1"><summary class="chip" title="' + words in html
    assert "&lt;" * 1234 in html


def test_each_text_of_a_piece_is_escaped():
    hostile = "<i>\"'&"
    escaped = "&lt;i&gt;&quot;&#x27;&amp;"
    pieces = [
        Piece(hostile, "input", more=hostile, expression=hostile, line=1, column=2),
        Piece(hostile, "fragment", expression=f"fragment('{hostile}')"),
    ]
    page = prompt_pieces(pieces, 0)
    assert f'title="{escaped}, line 1">{escaped}</span><details' in page
    assert f'<span class="value">{escaped}</span></details><span class="chip fragment-chip">' in page
    assert hostile not in page
    assert "<i>" not in page
