"""Liquid texts as pieces: values with their filters, conditions, loops and assignments become Jinja.

Some of Liquid's tags and filters don't exist in Jinja. A value with such a filter becomes an input, whose value is the
filter's result. Such tags are refused with their line.
"""

import re
from dataclasses import dataclass

from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.liquid_expressions import LiquidExpressions
from promptuary.renderer.interop.pieces import Piece, Slot, Statement
from promptuary.renderer.interop.placeholders import PlainText
from promptuary.renderer.interop.printed_booleans import write_booleans
from promptuary.renderer.interop.tag_search import TagKind, TagSearch, TagSyntax
from promptuary.renderer.interop.unread_signs import FENCED, find_unread

__all__ = ["has_liquid_tags", "read_liquid"]

_TAGS = TagSyntax(
    r"\{[%{]",
    TagKind(r"\{%(?P<left>-?)(?P<tag>.*?)-?%\}", end=r"%\}"),
    TagKind(r"\{\{-?(?P<print>.*?)-?\}\}", end=r"\}\}"),
)
# Jinja has neither these tags nor filters with a colon. `switch` is a tag of Nunjucks, which has `case` too.
_LIQUID_TAG = re.compile(r"\{%-?\s*(?:unless|case|capture|assign|elsif|increment|decrement|cycle|tablerow)\b")
_LIQUID_CONDITION = re.compile(r"\{%-?\s*if\b[^%]*?(?:\bcontains\b|[=!]=\s*(?:blank|empty|nil)\b)")
_LIQUID_LOOP = re.compile(r"\{%-?\s*for\b[^%]*?(?:\.\.|\b(?:limit|offset)\s*:|\breversed\s*-?%)|\bforloop\.")
_LIQUID_FILTER = re.compile(r"\{[{%][^{}%]*?[^|]\|\s*(?:[a-z_]+\s*:(?!:)|(?:upcase|downcase|divided_by|strip_html)\b)")
_SWITCH = re.compile(r"\{%-?\s*switch\b")
_PLAIN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_ASSIGNMENT = re.compile(r"(?P<name>[^\W\d]\w*)\s*=(?P<value>.*)", re.DOTALL)
_ENDS = {"endif": "if", "endunless": "unless", "endcase": "case", "endfor": "for", "endcapture": "capture"}
_END_IN_JINJA = {"endunless": "endif", "endcase": "endif", "endcapture": "endset"}
_LENIENT = Difference("a name that is not given is an error here; there it prints nothing")


def has_liquid_tags(text: str) -> bool:
    """Whether the text has Liquid syntax that Jinja lacks, outside its code blocks."""
    if "{%" not in text and "{{" not in text:
        return False
    text = FENCED.sub("", text)
    signs = (_LIQUID_TAG, _LIQUID_CONDITION, _LIQUID_LOOP, _LIQUID_FILTER)
    return any(sign.search(text) for sign in signs) and not _SWITCH.search(text)


def read_liquid(text: str, names: InputNames) -> PlainText:
    """Read the text as pieces. Raises LossError with the line."""
    return write_booleans(_Reader(text, names).read())


@dataclass
class _OpenTag:
    """A tag waiting for its end. subject: what a `case` compares, until its first `when` in `is_begun`."""

    word: str
    line: int
    subject: str = ""
    is_begun: bool = True


class _Reader:
    def __init__(self, text: str, names: InputNames) -> None:
        self.text = text
        self.expressions = LiquidExpressions(names, re.findall(r"\b([^\W\d]\w*)\.[^\W\d]", text))
        self.open: list[_OpenTag] = []
        self.pieces: list[Piece] = []
        self.line = 1

    def read(self) -> PlainText:
        position = 0
        search = TagSearch(_TAGS, self.text)
        while tag := search.find_tag(position):
            self._take_text(self.text[position : tag.start()])
            self.line = self.text.count("\n", 0, tag.start()) + 1
            position = self._take_tag(tag)
        self._take_text(self.text[position:])
        if self.open:
            raise LossError(f"`{self.open[-1].word}` has no end", self.open[-1].line)
        unread = find_unread("".join(piece if isinstance(piece, str) else "\0" for piece in self.pieces), braces=False)
        names, has_tags = self.expressions.names, any(not isinstance(piece, str) for piece in self.pieces)
        differences = (*([_LENIENT] if has_tags else ()), *self.expressions.differences, *unread, *names.differences())
        return PlainText(tuple(self.pieces), differences)

    def _take_text(self, text: str) -> None:
        if text and not (self.open and not self.open[-1].is_begun):  # text before the first `when` is never printed
            self.pieces.append(text)

    def _take_tag(self, tag: re.Match[str]) -> int:
        """Process a tag and return the offset at which the text continues."""
        if tag["print"] is not None:
            self._take_print(tag[0], tag["print"].strip())
            return tag.end()
        word, _, rest = tag["tag"].strip().partition(" ")
        if word in ("comment", "raw", "#"):
            return self._skip(word, tag)
        if statement := self._write_statement(word, rest.strip()):
            right = "-" if tag[0].endswith("-%}") else ""
            self.pieces.append(Statement("{%" + tag["left"] + statement[2:-2] + right + "%}"))
        return tag.end()

    def _take_print(self, tag: str, body: str) -> None:
        expression = self.expressions.write_value(body, self.line)
        left, right = ("-" if edge else "" for edge in (tag.startswith("{{-"), tag.endswith("-}}")))
        if _PLAIN.fullmatch(expression) and not left and not right:
            self.pieces.append(Slot(expression))
        else:
            self.pieces.append(Statement(f"{{{{{left} {expression} {right}}}}}"))

    def _skip(self, word: str, tag: re.Match[str]) -> int:
        if word == "#":
            return tag.end()
        end = re.compile(rf"\{{%-?\s*end{word}\s*-?%\}}").search(self.text, tag.end())
        if end is None:
            raise LossError(f"`{word}` has no end", self.line)
        if word == "raw":
            self._take_text(self.text[tag.end() : end.start()])
        return end.end()

    def _write_statement(self, word: str, rest: str) -> str:
        """Write the tag in Jinja; empty for a `case`, whose first `when` opens the statement."""
        write = self.expressions.write_condition
        last = self.open[-1] if self.open else _OpenTag("", self.line)
        match word:
            case "if" | "unless":
                self.open.append(_OpenTag(word, self.line))
                condition = write(rest, self.line)
                return f"{{% if {condition} %}}" if word == "if" else f"{{% if not ({condition}) %}}"
            case "elsif" if last.word in ("if", "unless"):
                return f"{{% elif {write(rest, self.line)} %}}"
            case "else" if last.word in ("if", "unless", "for") or (last.word == "case" and last.is_begun):
                return "{% else %}"
            case "case":
                self.open.append(_OpenTag(word, self.line, self.expressions.write_value(rest, self.line), False))
                return ""
            case "when" if last.word == "case":
                condition = self.expressions.write_choice(last.subject, rest, self.line)
                begins, last.is_begun = not last.is_begun, True
                return f"{{% {'if' if begins else 'elif'} {condition} %}}"
            case "for":
                item, items = self.expressions.write_loop(rest, self.line)
                self.open.append(_OpenTag(word, self.line))
                self.expressions.own.append(item)
                self.expressions.items.append(item)
                return f"{{% for {item} in {items} %}}"
            case "assign" | "capture":
                return self._write_assignment(word, rest)
        if word in _ENDS and last.word == _ENDS[word] and last.is_begun:
            return self._write_end(word)
        raise LossError(f"`{' '.join(filter(None, (word, rest)))}` is not read here", self.line)

    def _write_assignment(self, word: str, rest: str) -> str:
        if any(tag.word == "for" for tag in self.open):
            raise LossError(f"`{word} {rest}` in a loop changes what comes after it, which Jinja does not", self.line)
        assignment = _ASSIGNMENT.fullmatch(rest)
        name = assignment["name"] if assignment else rest
        if bool(assignment) != (word == "assign") or not name.isidentifier():
            raise LossError(f"`{word} {rest}` is not read here", self.line)
        value = self.expressions.write_value(assignment["value"].strip(), self.line) if assignment else ""
        if word == "capture":
            self.open.append(_OpenTag(word, self.line))
        self.expressions.own.append(name)
        return f"{{% set {name} = {value} %}}" if assignment else f"{{% set {name} %}}"

    def _write_end(self, word: str) -> str:
        self.open.pop()
        if word == "endfor":
            self.expressions.own.pop()
            self.expressions.items.pop()
        return f"{{% {_END_IN_JINJA.get(word, word)} %}}"
