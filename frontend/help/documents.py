"""The documentation's Markdown files as HTML, with links among them that lead to the help."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.urls import reverse
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

__all__ = ["Heading", "HelpPage", "find_page", "list_pages"]

_LEFT_OUT = ("architecture", "decisions", "contributing")  # for those who change Promptuary itself
_NOT_IN_SLUG = re.compile(r"[^\w\s-]")
_TITLE = re.compile(r'\btitle="([^"]*)"')


@dataclass(frozen=True)
class Heading:
    """A heading of the second level and the anchor that leads to it."""

    text: str
    anchor: str


@dataclass(frozen=True)
class HelpPage:
    """A page: its address below the help (`problems/PT101`), its title, its HTML and its headings."""

    path: str
    title: str
    html: str
    headings: tuple[Heading, ...]


def list_pages() -> list[str]:
    """The addresses of all pages below the help."""
    return sorted(_files())


@cache
def find_page(path: str) -> HelpPage | None:
    """The page at this address below the help, or None. Files are read once a process."""
    file = _files().get(path)
    return None if file is None else _render(path, file.read_text(encoding="utf-8"))


@cache
def _files() -> dict[str, Path]:
    root = settings.BASE_DIR / "docs"
    files = {file.relative_to(root).with_suffix("").as_posix(): file for file in root.rglob("*.md")}
    return {path: file for path, file in files.items() if path.partition("/")[0] not in _LEFT_OUT}


def _render(path: str, text: str) -> HelpPage:
    markdown = MarkdownIt("commonmark", {"html": True}, renderer_cls=_Renderer).enable("table")
    tokens = markdown.parse(text)
    title, headings = path, []
    for heading, inline in pairwise(tokens):
        if heading.type != "heading_open":
            continue
        words = "".join(child.content for child in inline.children or [])
        anchor = _slug(words)
        heading.attrSet("id", anchor)
        if heading.tag == "h1":
            title = words
        elif heading.tag == "h2":
            headings.append(Heading(words, anchor))
    for token in tokens:
        _set_links(path, token.children or [])
    html = markdown.renderer.render(tokens, markdown.options, {})
    return HelpPage(path, title, html, tuple(headings))


def _set_links(path: str, tokens: Sequence[Token]) -> None:
    """Write the address of each link; one that leads to no page of the help becomes plain text."""
    opened: Token | None = None
    for token in tokens:
        if token.type == "link_open":
            opened = token
            target = _link(path, str(token.attrGet("href") or ""))
            token.attrSet("href", target)
            token.hidden = not target
        elif token.type == "link_close" and opened is not None:
            token.hidden = opened.hidden


def _slug(words: str) -> str:
    """The anchor of a heading, as Python-Markdown makes it, so that links work in the built documentation too."""
    return re.sub(r"[-\s]+", "-", _NOT_IN_SLUG.sub("", words).strip().lower())


def _link(path: str, target: str) -> str:
    """Where a link of the page leads; an empty text for a file that is no page of the help."""
    if not target or target.startswith(("#", "/", "mailto:")) or "://" in target:
        return target
    file, sign, anchor = target.partition("#")
    pieces: list[str] = []
    for piece in (PurePosixPath(path).parent / file).parts:
        if piece == "..":
            del pieces[-1:]
        elif piece != ".":
            pieces.append(piece)
    page = "/".join(pieces).removesuffix(".md")
    if not file.endswith(".md") or page not in _files():
        return ""
    return reverse("help-page", args=[page]) + sign + anchor


class _Renderer(RendererHTML):
    """HTML without the files' comments, with the titles of code blocks, and with tables that scroll by themselves."""

    def html_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Nothing: the files hold no HTML but comments."""
        return ""

    html_inline = html_block

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The block, below its title if it has one."""
        title = _TITLE.search(tokens[idx].info)
        block = str(super().fence(tokens, idx, options, env)).replace("<pre>", '<pre class="code" tabindex="0">', 1)
        return f'<p class="code-title">{_escape(title[1])}</p>\n{block}' if title else block

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A frame that scrolls, so that the page never does."""
        return '<div class="table-frame" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The end of the frame."""
        return "</table></div>\n"

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The words that describe the picture: the server serves the pages, not their pictures."""
        return f'<em class="note">{_escape(self.renderInlineAsText(tokens[idx].children or [], options, env))}</em>'


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
