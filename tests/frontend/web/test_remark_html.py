"""Comments as HTML."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontend.web.remark_html import render_remark

REL = 'rel="nofollow noopener noreferrer"'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**Bold**, *slanted*, ~~gone~~", "<p><strong>Bold</strong>, <em>slanted</em>, <s>gone</s></p>"),
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("`{{ name }}`", "<p><code>{{ name }}</code></p>"),
        ("# Role", "<p># Role</p>"),
        ("```yaml\na: <b>\n```", '<pre class="code" tabindex="0"><code>a: &lt;b&gt;\n</code></pre>'),
        ("<b onclick=x>hi</b>", "<p>&lt;b onclick=x&gt;hi&lt;/b&gt;</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("[out](https://a.example/?b=1&c)", f'<p><a href="https://a.example/?b=1&amp;c" {REL}>out</a></p>'),
        ("See https://a.example/b.", f'<p>See <a href="https://a.example/b" {REL}>https://a.example/b</a>.</p>'),
        ("[in](/changes/5)", f'<p><a href="/changes/5" {REL}>in</a></p>'),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("[x](//evil.example)", "<p>[x](//evil.example)</p>"),
        (
            "|a|b|\n|-|-:|\n|1|2|",
            '<div class="table-frame" tabindex="0"><table>\n<thead>\n<tr>\n<th>a</th>\n<th class="align-right">b</th>\n'
            '</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td class="align-right">2</td>\n</tr>\n</tbody>\n'
            "</table></div>",
        ),
        ("![a cat](https://a.example/cat.png)", f'<p><a href="https://a.example/cat.png" {REL}>a cat</a></p>'),
    ],
)
def test_how_markdown_reads(text, html):
    assert render_remark(text).strip() == html


def test_a_mention_is_marked_where_it_means_somebody():
    html = render_remark("@anna, @zoe and @anna-like", {"anna"})
    mark = '<span class="mention">@anna</span>'
    assert html.strip() == f"<p>{mark}, @zoe and {mark}-like</p>"


@given(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=300)
    | st.text("<>\"'&()[]!`*_#@:/\\ \n=javscriptdhe", max_size=80)
)
def test_any_text_gives_only_our_own_elements(text):
    html = render_remark(text, {"anna"})
    elements = {match[1].lower() for match in re.finditer(r"<\s*/?\s*([^\s>/]+)", html)}
    assert elements <= _ELEMENTS
    for attribute in re.findall(r"<[a-z]+\s([^>]*)>", html):
        names = set(re.findall(r'([\w-]+)="[^"]*"', attribute))
        assert names <= {"href", "rel", "class", "tabindex", "start", "title"}
    for address in re.findall(r'href="([^"]*)"', html):
        assert not re.match(r"\s*(javascript|data|vbscript|file):", address, re.IGNORECASE)
    assert not re.search(r"<[^>]*\son\w+=", html)


_ELEMENTS = {
    *("p", "br", "strong", "em", "s", "ul", "ol", "li", "code", "pre", "a", "span", "blockquote", "hr"),
    *("div", "table", "thead", "tbody", "tr", "th", "td"),
}
