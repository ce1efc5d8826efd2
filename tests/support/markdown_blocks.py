"""Code blocks of a Markdown page with language, title, text and line, read by the parser that the pages use."""

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

__all__ = ["CodeBlock", "read_blocks"]

_TITLE = re.compile(r'\btitle="([^"]*)"')


@dataclass(frozen=True)
class CodeBlock:
    """A fenced block. `section`: the text of the heading above it; `comment`: of the HTML comment directly above it."""

    language: str
    title: str
    text: str
    line: int
    section: str
    comment: str


def read_blocks(path: Path) -> list[CodeBlock]:
    """The fenced blocks of the page in order, including those inside lists."""
    blocks, section, comment = [], "", ""
    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            section = tokens[place + 1].content
        elif token.type == "html_block":
            comment = token.content.strip().removeprefix("<!--").removesuffix("-->").strip()
            continue
        elif token.type == "fence":
            language, _, rest = token.info.strip().partition(" ")
            title = _TITLE.search(rest)
            line = (token.map or [0])[0] + 1
            blocks.append(CodeBlock(language, title[1] if title else "", token.content, line, section, comment))
        comment = ""
    return blocks
