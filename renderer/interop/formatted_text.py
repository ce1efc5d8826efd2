"""An editor's formatted text, stored as HTML, converted to Markdown."""

import re
from html.parser import HTMLParser

__all__ = ["read_formatted_text"]

_FORMATTED = re.compile(
    r"\s*<(?:p|h[1-6]|ul|ol|pre|blockquote)(?:\s[^<>]*)?>.*</(?:p|h[1-6]|ul|ol|pre|blockquote)>\s*", re.DOTALL
)
_SIGNS = {"strong": "**", "b": "**", "em": "_", "i": "_", "s": "~~", "code": "`"}
_PLAIN = ("span", "div", "u", "tbody", "html", "body")


def read_formatted_text(html: str) -> str | None:
    """Convert a text that consists of HTML paragraphs, headings or lists to Markdown; None for any other text."""
    if not _FORMATTED.fullmatch(html):
        return None
    writer = _MarkdownWriter()
    writer.feed(html)
    writer.close()
    return "".join(writer.written).strip("\n")


class _MarkdownWriter(HTMLParser):
    """Writes Markdown while parsing; a tag without a Markdown equivalent is kept."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.written: list[str] = []
        self._numbers: list[int | None] = []  # of the enclosing lists: the last number, or None for a bullet list
        self._link = ""
        self._is_item_empty = False
        self._is_code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("ul", "ol"):
            self._end_lines(1 if self._numbers else 2)
            self._numbers.append(0 if tag == "ol" else None)
        elif tag == "li" and self._numbers:
            self._start_item()
        elif tag == "p":
            self._end_lines(2)
        elif tag == "br":
            self.written.append("\n")
        elif tag == "pre":
            self._end_lines(2)
            self.written.append("```\n")
            self._is_code = True
        elif re.fullmatch("h[1-6]", tag):
            self._end_lines(2)
            self.written.append("#" * int(tag[1]) + " ")
        elif tag == "a":
            self._link = dict(attrs).get("href") or ""
            self.written.append("[" if self._link else "")
        elif tag in _SIGNS:
            self.written.append("" if self._is_code else _SIGNS[tag])
        elif tag not in _PLAIN:
            self.written.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ul", "ol"):
            if self._numbers:
                self._numbers.pop()
            self._end_lines(1 if self._numbers else 2)
        elif tag == "p" or re.fullmatch("h[1-6]", tag):
            self._end_lines(2)
        elif tag == "pre":
            self._is_code = False
            self._end_lines(1)
            self.written.append("```\n\n")
        elif tag == "a":
            self.written.append(f"]({self._link})" if self._link else "")
        elif tag in _SIGNS:
            self.written.append("" if self._is_code else _SIGNS[tag])
        elif tag not in (*_PLAIN, "li", "br"):
            self.written.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.written.append(data)
        self._is_item_empty = False

    def _start_item(self) -> None:
        self._is_item_empty = False
        self._end_lines(1)
        indent = "   " * (len(self._numbers) - 1)
        number = self._numbers[-1]
        if number is not None:
            self._numbers[-1] = number + 1
        self.written.append(f"{indent}{'-' if number is None else f'{number + 1}.'} ")
        self._is_item_empty = True

    def _end_lines(self, count: int) -> None:
        """End the line, followed by an empty one if the count is 2; inside an item only the item's own line."""
        text = "".join(self.written)
        if not text or self._is_item_empty:
            return
        expected_count = 1 if self._numbers else count
        self.written = [text, "\n" * max(0, expected_count - (len(text) - len(text.rstrip("\n"))))]
