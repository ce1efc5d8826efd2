"""Markdown of conversations, parsed the same way for pages, notifications and mail.

A name after an `@` outside code and links is a mention; `registry.changes.mentions` resolves it. Web addresses become
links. Raw HTML and headings are plain text: a prompt's `# Role` stays as it was written. Links may only lead to the
web, to mail or to pages of this server. Mail gets plain HTML; the renderer of pages extends it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from urllib.parse import urlsplit

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

__all__ = ["MENTION", "RemarkRenderer", "build_remark_options", "list_mentions", "parse_remark", "render_mail_remark"]

MENTION = "mention"
"""The type of the token of a mention; its content is what follows the `@`."""

_PIECE = re.compile(
    r"(?<![\w@.+/-])@(?P<name>[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?)(?![\w@])"
    r"""|(?P<url>https?://[^\s<>"'()]*[^\s<>"'().,;:!?])"""
)
_SCHEMES = ("http", "https", "mailto")


def parse_remark(text: str) -> Sequence[Token]:
    """The tokens of the text as markdown-it returns them, with `MENTION` tokens among the inline ones."""
    return _make_parser().parse(text)


def list_mentions(text: str) -> tuple[str, ...]:
    """List the names that the text mentions, each once, whether they exist or not."""
    if "@" not in text:
        return ()
    names = (child.content for token in parse_remark(text) for child in token.children or () if child.type == MENTION)
    return tuple(dict.fromkeys(names))


def build_remark_options() -> OptionsDict:
    """The options that a renderer needs with the tokens."""
    return _make_parser().options


class RemarkRenderer(RendererHTML):
    """Renders HTML that is safe for any input: links send no referrer, and no images are loaded."""

    def mention(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The name as it was written."""
        return escape(f"@{tokens[idx].content}")

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link that passes no referrer or window handle to the other site. An address of this server gets the
        environment's `base_url` prepended.
        """
        address = str(tokens[idx].attrGet("href") or "")
        if address.startswith("/"):
            tokens[idx].attrSet("href", f"{env.get('base_url', '')}{address}")
        tokens[idx].attrSet("rel", "nofollow noopener noreferrer")
        return self.renderToken(tokens, idx, options, env)

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link to the image with its description."""
        address = str(tokens[idx].attrGet("src") or "")
        words = self.renderInlineAsText(tokens[idx].children or [], options, env) or address
        return format_html('<a href="{}" rel="nofollow noopener noreferrer">{}</a>', address, words)


def render_mail_remark(text: str, base_url: str) -> SafeString:
    """Render the text's Markdown as HTML for a mail. base_url: of this server, without a trailing slash."""
    html = RemarkRenderer().render(parse_remark(text), build_remark_options(), {"base_url": base_url})
    return SafeString(html)  # the renderer escapes all text, including raw HTML


@cache
def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "xhtmlOut": False})
    parser.enable(["table", "strikethrough"]).disable(["heading", "lheading"])
    parser.validateLink = _is_allowed_link  # type: ignore[method-assign]  # as its documentation says
    parser.core.ruler.push("mentions_and_addresses", _split_texts)
    return parser


def _is_allowed_link(url: str) -> bool:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    if parts.scheme:
        return parts.scheme.lower() in _SCHEMES
    return not parts.netloc and not url.startswith(("//", "\\", "/\\"))


def _split_texts(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = list(_split_children(token.children))


def _split_children(children: Sequence[Token]) -> Iterator[Token]:
    depth = 0  # link depth: mentions and links don't nest in links
    for child in children:
        depth += {"link_open": 1, "link_close": -1}.get(child.type, 0)
        if child.type != "text" or depth:
            yield child
        else:
            yield from _split_text(child.content)


def _split_text(text: str) -> Iterator[Token]:
    position = 0
    for match in _PIECE.finditer(text):
        yield from _list_text_tokens(text[position : match.start()])
        if match["name"]:
            mention = Token(MENTION, "", 0)
            mention.content = match["name"]
            yield mention
        else:
            yield Token("link_open", "a", 1, attrs={"href": match["url"]})
            yield from _list_text_tokens(match["url"])
            yield Token("link_close", "a", -1)
        position = match.end()
    yield from _list_text_tokens(text[position:])


def _list_text_tokens(content: str) -> Iterator[Token]:
    if content:
        token = Token("text", "", 0)
        token.content = content
        yield token
