"""The lines of a diff as HTML: escaped, with their links, marks and values."""

from types import SimpleNamespace

from django.template import Context, Template
from django.utils import translation

from frontend.diff.side_by_side import FoldedRows, Row
from frontend.diff.text import Fold, Gap, Line, Value
from promptuary.renderer.syntax.sequence_diff import Word

HOSTILE = '<script>alert("it\'s")</script> & more'
ESCAPED = "&lt;script&gt;alert(&quot;it&#x27;s&quot;)&lt;/script&gt; &amp; more"
LINK = '?view=source&kept="x'


def write_lines(lines, arguments="", **context):
    source = f"{{% load diffs %}}{{% diff_lines lines {arguments} %}}"
    return Template(source).render(Context({"lines": lines, **context}))


def spot(*, selected=False):
    return SimpleNamespace(threads=[], unsent=[], form=False, selected=selected)


def test_the_text_of_a_line_is_escaped():
    lines = [Line("same", 1, 1, HOSTILE), Line("removed", 2, None, HOSTILE), Line("added", None, 2, HOSTILE)]
    page = write_lines(lines, "both=True")
    assert f'<span class="diff-text" dir="auto">{ESCAPED}</span>' in page
    assert f'<span class="diff-text" dir="auto"><del>{ESCAPED}</del></span>' in page
    assert f'<span class="diff-text" dir="auto"><ins>{ESCAPED}</ins></span>' in page
    assert "<script" not in page


def test_marked_words_values_and_their_sources_are_escaped():
    marked = (Word("<b>", False), Word("<i>", True))
    value = Value(0, len(HOSTILE), "input", '"<u>', 4, True)
    fragment = Value(0, len(HOSTILE), "fragment", '"<u>', None, True)
    page = write_lines(
        [
            Line("added", None, 1, "<b><i>", marked),
            Line("same", 1, 2, HOSTILE, None, (value,)),
            Line("same", 2, 3, HOSTILE, None, (fragment,)),
        ]
    )
    assert "&lt;b&gt;<ins>&lt;i&gt;</ins>" in page
    assert f'<span class="value" title="&quot;&lt;u&gt;, line 4">{ESCAPED}</span>' in page
    chip = '<span class="chip fragment-chip">&quot;&lt;u&gt;</span>'
    assert f'{chip} <span class="from-fragment" title="&quot;&lt;u&gt;">{ESCAPED}</span>' in page


def test_a_number_is_a_link_to_the_form_where_comments_are_allowed():
    lines = [Line("removed", 7, None, "old"), Line("added", None, 8, "new")]
    page = write_lines(lines, "None link 3 both=True", link=LINK)
    address = "?view=source&amp;kept=&quot;x&amp;part=3&amp;line=8"
    assert f'<a class="diff-number diff-number-new" href="{address}#comment-form" hx-get="{address}"' in page
    assert 'title="Comment on line 8; with Shift, on all lines up to it">8<span class="visually-hidden">' in page
    assert page.count("<a ") == 1, "a removed line takes no comment"
    assert '<span class="diff-number">7</span><span class="diff-number diff-number-new"></span>' in page
    assert "<a " not in write_lines(lines, "both=True")


def test_one_column_shows_the_old_number_of_a_removed_line():
    page = write_lines([Line("removed", 7, None, "old"), Line("added", None, 8, "new")])
    assert '<span class="diff-number">7</span><span class="diff-sign"><span aria-hidden="true">−</span>' in page
    assert '<span class="diff-number">8</span><span class="diff-sign"><span aria-hidden="true">+</span>' in page
    assert page.count('class="diff-number') == 2


def test_signs_are_shown_in_the_language_of_the_page():
    with translation.override("de"):
        page = write_lines([Line("added", None, 1, "neu")], "None link", link="?view=source")
    assert '<span class="visually-hidden">hinzugefügt: </span>' in page
    assert 'title="Zeile 1 kommentieren; mit Umschalt alle Zeilen bis dahin"' in page


def test_lines_that_the_open_form_is_about_are_marked():
    lines = [Line("same", 1, 1, "a"), Line("same", 2, 2, "b")]
    page = write_lines(lines, "spots", spots={2: spot(selected=True)})
    assert page.count("is-selected") == 1
    assert 'diff-same is-selected"><span class="diff-number">2</span>' in page


def test_a_fold_opens_if_one_of_its_lines_has_a_thread():
    lines = (Line("same", 1, 1, HOSTILE), Line("same", 2, 2, "b"), Line("same", 3, 3, "c"))
    closed = write_lines([Fold(lines), Gap(2)], "spots link 0 True", spots={}, link="?view=source")
    assert '<details class="diff-fold">' in closed
    assert "3 unchanged lines" in closed
    assert "2 more lines, not shown" in closed
    assert closed.count("<a ") == 3
    assert ESCAPED in closed
    assert '<details class="diff-fold" open>' in write_lines([Fold(lines)], "spots", spots={2: spot(selected=True)})


def write_rows(rows):
    return Template("{% load diffs %}{% diff_rows rows %}").render(Context({"rows": rows}))


def test_a_row_has_both_sides_and_their_texts_are_escaped():
    old = Line("removed", 7, None, "a <b>", (Word("a ", False), Word("<b>", True)))
    new = Line("added", None, 8, HOSTILE)
    assert write_rows([Row(old, new)]) == (
        '<div class="diff-row">'
        '<div class="diff-line diff-removed"><span class="diff-number">7</span><span class="diff-sign">'
        '<span aria-hidden="true">−</span><span class="visually-hidden">removed: </span></span>'
        '<span class="diff-text" dir="auto">a <del>&lt;b&gt;</del></span></div>'
        '<div class="diff-line diff-added"><span class="diff-number">8</span><span class="diff-sign">'
        '<span aria-hidden="true">+</span><span class="visually-hidden">added: </span></span>'
        f'<span class="diff-text" dir="auto"><ins>{ESCAPED}</ins></span></div></div>\n'
    )


def test_an_unchanged_row_is_shown_once_and_a_side_without_a_line_is_empty():
    line = Line("same", 3, 4, "  a")
    assert write_rows([Row(line, line)]) == (
        '<div class="diff-row"><div class="diff-line diff-same"><span class="diff-number">3</span>'
        '<span class="diff-sign"></span><span class="diff-text" dir="auto">  a</span></div>'
        '<div class="diff-line diff-same" aria-hidden="true"><span class="diff-number">4</span>'
        '<span class="diff-sign"></span><span class="diff-text" dir="auto">  a</span></div></div>\n'
    )
    assert write_rows([Row(None, Line("added", None, 1, "b"))]).startswith(
        '<div class="diff-row"><div class="diff-line diff-absent"></div><div class="diff-line diff-added">'
    )
    assert '<div class="diff-line diff-absent"></div></div>' in write_rows([Row(Line("removed", 1, None, "b"), None)])


def test_folded_rows_and_a_gap_say_how_many_lines_they_are():
    rows = [Row(Line("same", n, n, HOSTILE), Line("same", n, n, HOSTILE)) for n in (1, 2)]
    page = write_rows([FoldedRows(rows), Gap(1)])
    assert '<details class="diff-fold">' in page
    assert "2 unchanged lines" in page
    assert page.count(ESCAPED) == 4
    assert "1 more line, not shown" in page
