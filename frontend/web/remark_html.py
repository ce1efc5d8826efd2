"""What people write in conversations as HTML: safe whatever was written, and within the content security policy."""

from collections.abc import Collection, Sequence
from functools import cache

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from registry.changes.mentions import resolve_mention
from registry.changes.remark_markdown import RemarkRenderer, parse_remark, remark_options

__all__ = ["render_remark"]


def render_remark(text: str, names: Collection[str] = ()) -> SafeString:
    """The text's Markdown as HTML. names: of the people and groups that a mention can mean; others stay plain text."""
    html = _renderer().render(parse_remark(text), remark_options(), {"names": names})
    return SafeString(html)  # the renderer escapes every text, and raw HTML is text to it


@cache
def _renderer() -> "_Renderer":
    return _Renderer()


class _Renderer(RemarkRenderer):
    """HTML with marked mentions, and with tables and code that scroll by themselves."""

    def mention(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The name, marked if it means somebody."""
        written = tokens[idx].content
        name = resolve_mention(written, env["names"])
        if not name:
            return escape(f"@{written}")
        return format_html('<span class="mention">@{}</span>{}', name, written[len(name) :])

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Code that scrolls by itself, reached by keyboard."""
        return format_html('<pre class="code" tabindex="0"><code>{}</code></pre>\n', tokens[idx].content)

    fence = code_block

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A frame that scrolls, so that the page never does."""
        return '<div class="table-frame" tabindex="0"><table>\n'

    def cell_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A cell, aligned by a class: the content security policy refuses styles of elements."""
        style = str(tokens[idx].attrs.pop("style", ""))
        if style:
            tokens[idx].attrSet("class", f"align-{style.rpartition(':')[2]}")
        return self.renderToken(tokens, idx, options, env)

    th_open = td_open = cell_open

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The end of the frame."""
        return "</table></div>\n"
