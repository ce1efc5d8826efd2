"""Where things stand in Jinja source: tokens carry offsets in place of line numbers.

Jinja keeps only the line of a node. The lexer's tokens are given to the parser with their offset (plus one, as Jinja takes
zero for "unknown") where it expects the line, so every node, syntax error and debug entry leads back to the very column.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from jinja2.exceptions import TemplateSyntaxError
from jinja2.lexer import Lexer, Token

__all__ = ["Located", "Tag", "locate", "token_stream"]


@dataclass(frozen=True, slots=True)
class Tag:
    """A `{{ … }}`, `{% … %}` or `{# … #}`: offsets of its first character and after its last."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Located:
    """Tokens as Jinja's lexer gives them, with offset + 1 as their line; and the tags they form."""

    tokens: list[tuple[int, str, str]]
    tags: list[Tag]

    def tag_at(self, offset: int) -> Tag | None:
        """The last tag that starts at or before an offset."""
        index = bisect_right([tag.start for tag in self.tags], offset) - 1
        return self.tags[index] if index >= 0 else None


def locate(lexer: Lexer, source: str, name: str | None) -> Located:
    """Split the source into tokens with offsets. Raises TemplateSyntaxError with offset + 1 as its line."""
    tokens: list[tuple[int, str, str]] = []
    tags: list[Tag] = []
    at = 0
    opened: tuple[str, int] | None = None
    try:
        for _, kind, value in _tokens(lexer, source, name):
            # What the lexer drops between tokens is white space next to a `-` mark, so a search cannot go astray.
            start = source.find(value, at)
            at = start + len(value)
            tokens.append((start + 1, kind, value))
            if kind in ("variable_begin", "block_begin", "comment_begin", "raw_begin"):
                opened = (kind.removesuffix("_begin"), start)
            elif opened and kind in ("variable_end", "block_end", "comment_end", "raw_begin", "raw_end"):
                tags.append(Tag(opened[0], opened[1], at))
                opened = None
    except TemplateSyntaxError as error:
        offset = _offset_of(error, source, at)
        raise TemplateSyntaxError(error.message or "this is not Jinja", offset + 1, name) from error
    return Located(tokens, tags)


def _tokens(lexer: Lexer, source: str, name: str | None) -> Iterator[tuple[int, str, str]]:
    return iter(lexer.tokeniter(source, name))


def _offset_of(error: TemplateSyntaxError, source: str, at: int) -> int:
    """The lexer knows the offset only in some messages ("… at 17"); else the tag it was reading is where to look."""
    _, found, tail = (error.message or "").rpartition(" at ")
    if found and tail.isdigit():
        return min(int(tail), len(source))
    start = max(source.rfind("{{", 0, at + 2), source.rfind("{%", 0, at + 2), source.rfind("{#", 0, at + 2))
    lines = source.split("\n")
    line_start = sum(len(line) + 1 for line in lines[: error.lineno - 1])
    return max(start, line_start)


def token_stream(lexer: Lexer, located: Located, name: str | None, filename: str | None) -> Iterator[Token]:
    """The tokens the parser takes, from located ones."""
    return lexer.wrap(iter(located.tokens), name, filename)
