"""Conversation comments as HTML: safe for any input, and compatible with the content security policy."""

from collections.abc import Collection, Sequence
from functools import cache

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from registry.changes.mentions import resolve_mention
from registry.changes.remark_markdown import RemarkRenderer, build_remark_options, parse_remark

__all__ = ["render_remark"]


def render_remark(text: str, names: Collection[str] = ()) -> SafeString:
    """Render the text's Markdown as HTML. names: of the users and groups that can be mentioned;
    others stay plain text.
    """
    html = _make_renderer().render(parse_remark(text), build_remark_options(), {"names": names})
    return SafeString(html)  # the renderer escapes all text and treats raw HTML as text


@cache
def _make_renderer() -> "_Renderer":
    return _Renderer()


class _Renderer(RemarkRenderer):
    """HTML with marked mentions, and with tables and code that scroll separately."""

    def mention(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The name, marked if it refers to a user or group."""
        written = tokens[idx].content
        name = resolve_mention(written, env["names"])
        if not name:
            return escape(f"@{written}")
        return format_html('<span class="mention">@{}</span>{}', name, written[len(name) :])

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Code that scrolls separately and can be focused by keyboard."""
        return format_html('<pre class="code" tabindex="0"><code>{}</code></pre>\n', tokens[idx].content)

    fence = code_block

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Wrap the table in a scrolling frame, so that the page itself never scrolls sideways."""
        return '<div class="table-frame" tabindex="0"><table>\n'

    def cell_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A cell, aligned by a class: the content security policy forbids inline styles."""
        style = str(tokens[idx].attrs.pop("style", ""))
        if style:
            tokens[idx].attrSet("class", f"align-{style.rpartition(':')[2]}")
        return self.renderToken(tokens, idx, options, env)

    th_open = td_open = cell_open

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Close the frame."""
        return "</table></div>\n"
