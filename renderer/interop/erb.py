"""ERB and EEx texts as pieces: what `<%= … %>` prints is an input; `if`, `unless` and `each` become Jinja.

A call in a print tag becomes an input, whose value is the text that the call would return. Other statements are refused
with their line.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.item_values import write_item_value
from promptuary.renderer.interop.pieces import Piece, Slot, Statement
from promptuary.renderer.interop.placeholder_syntax import describe_inputs
from promptuary.renderer.interop.placeholders import PlainText
from promptuary.renderer.interop.printed_booleans import write_booleans
from promptuary.renderer.interop.tag_search import TagKind, TagSyntax
from promptuary.renderer.interop.unread_signs import FENCED, find_unread

__all__ = ["has_erb_tags", "read_erb"]

_INDENT = r"(?P<indent>(?:(?<=\n)|\A)[ \t]*)?"
_TAGS = TagSyntax(_INDENT + "<%", TagKind(_INDENT + r"<%(?P<sign>[-=#%]?)(?P<body>.*?)(?P<trims>-)?%>", end="%>"))
_PRINTS = re.compile(r"<%=[ \t]*@?[^\W\d][^%\n]*%>")
_PATH = re.compile(r"@?([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_VALUE = re.compile(r"(?<![\w.:])@?([^\W\d]\w*(?:\.[^\W\d]\w*)*)(?P<is_called>\()?")
_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_EACH = re.compile(r"(?P<list>@?[\w.]+)\.each\s+do\s*\|\s*(?P<item>[^\W\d]\w*)\s*\|")
_FOR = re.compile(r"for\s+(?P<item>[^\W\d]\w*)\s*(?:<-|in)\s*(?P<list>@?[\w.]+)\s*(?:do)?")
_TERM = re.compile(r"(?P<not>!|not\s+)?\s*(?P<path>@?[\w.]+?)(?:\.(?P<asks>present|any|blank|empty|nil)\?)?")
_COMPARISON = re.compile(r"(?P<path>@?[\w.]+)\s*(?P<sign>==|!=|<=?|>=?)\s*(?P<value>\"[^\"\\]*\"|'[^'\\]*'|-?\d+)")
_JOINED = re.compile(r"\s+(and|or)\s+|\s*(&&|\|\|)\s*")
_WORDS = {"&&": "and", "||": "or"}
# Methods that are called without parentheses; other names after a dot are keys.
_METHODS = set("capitalize count downcase first humanize inspect join last length size strip titleize to_json".split())
_METHODS |= {"to_s", "to_sentence", "to_yaml", "upcase"}
_CONSTANTS = {"true": "True", "false": "False", "nil": "None"}
_LINES = Difference("a line with nothing but a tag stays an empty line, as ERB without trimming prints it")
_TRUTH = Difference("an empty text, an empty list and 0 count as no in a condition")


def has_erb_tags(text: str) -> bool:
    """Whether the text prints values with ERB tags outside its code blocks, and has no Jinja tags."""
    return "{{" not in text and "{%" not in text and _PRINTS.search(FENCED.sub("", text)) is not None


def read_erb(text: str, names: InputNames) -> PlainText:
    """Read the text as pieces; each call is reported as a difference. Raises LossError with the line."""
    return write_booleans(_Reader(text, names).read())


def _list_values(code: str) -> list[str]:
    """The paths in code, each without a method at its end."""
    values = []
    for path in _VALUE.finditer(_STRING.sub("''", code)):
        before, _, last = path[1].rpartition(".")
        values.append(before if before and (path["is_called"] or last in _METHODS) else path[1])
    return values


class _Reader:
    def __init__(self, text: str, names: InputNames) -> None:
        self.text = text
        self.names = names
        self.ends: list[tuple[str, int]] = []
        self.own: list[str] = []
        self.line = 1
        self.differences: dict[Difference, None] = {}

    @cached_property
    def _paths(self) -> list[str]:
        return _list_values(self.text)

    def read(self) -> PlainText:
        pieces: list[Piece] = []
        end = 0
        tags = list(_TAGS.find_tags(self.text))
        for tag in tags:
            indent = "" if tag["sign"] == "-" else tag["indent"] or ""
            pieces.append(self.text[end : tag.start()] + indent)
            self.line = self.text.count("\n", 0, tag.start("body")) + 1
            pieces += self._read_tag(tag["sign"], tag["body"].strip())
            end = tag.end()
            end += bool(tag["trims"]) and self.text.startswith("\n", end)
        if self.ends:
            raise LossError("a tag that is opened here has no `<% end %>`", self.ends[-1][1])
        pieces.append(self.text[end:])
        read = describe_inputs([tag[0].strip() for tag in tags if tag["sign"] == "="])
        unread = find_unread("".join(piece if isinstance(piece, str) else "x" for piece in pieces))
        differences = (*([read] if read else ()), *self.differences, *unread, *self.names.differences())
        return PlainText(tuple(pieces), differences)

    def _read_tag(self, sign: str, body: str) -> Iterator[Piece]:
        if sign == "#":
            self.differences[Difference("comments are left out")] = None
        elif sign == "%":
            raise LossError("`<%%` is not read here", self.line)
        elif sign == "=":
            yield Slot(self._translate_printed(body))
        else:
            self.differences[_LINES] = None
            yield Statement(self._translate_statement(body))

    def _translate_printed(self, body: str) -> str:
        path = _PATH.fullmatch(body)
        if path and not path[1][0].isupper() and path[1].rpartition(".")[2] not in _METHODS:
            return self._path(path[1])
        prefixes = tuple(f"{item}." for item in self.own)
        is_whole = not any(path.startswith(prefixes) for path in self._paths)
        if item_value := write_item_value(body, _list_values(body), self.own, may_be_whole=is_whole, line=self.line):
            self.differences[item_value[1]] = None
            return item_value[0]
        reason = "give the text that this expression prints"
        foreign = re.sub(r"\W+", "_", body).strip("_")[:60] + " "
        return self.names.input_name(foreign, shown=body, reason=reason, line=self.line)

    def _translate_statement(self, body: str) -> str:
        body = body.removesuffix(" do").removesuffix(" then") if body.startswith(("if ", "unless ")) else body
        word, _, rest = body.partition(" ")
        if word in ("if", "unless"):
            self.ends.append(("endif", self.line))
            return f"{{% if {self._translate_condition(rest, negated=word == 'unless')} %}}"
        if loop := _EACH.fullmatch(body) or _FOR.fullmatch(body):
            items = self._path(loop["list"].removeprefix("@"))
            self.ends.append(("endfor", self.line))
            self.own.append(loop["item"])
            return f"{{% for {loop['item']} in {items} %}}"
        if word == "elsif" and self.ends:
            return f"{{% elif {self._translate_condition(rest)} %}}"
        if body == "else" and self.ends:
            return "{% else %}"
        if body == "end" and self.ends:
            end, _ = self.ends.pop()
            if end == "endfor":
                self.own.pop()
            return f"{{% {end} %}}"
        raise LossError(f"`<% {body} %>` is code of its program", self.line)

    def _translate_condition(self, text: str, *, negated: bool = False) -> str:
        terms = _JOINED.split(text.strip())
        written = [self._translate_term(terms[0].strip())]
        for first, second, term in zip(terms[1::3], terms[2::3], terms[3::3], strict=True):
            written += [_WORDS.get(first or second, first or second), self._translate_term(term.strip())]
        condition = " ".join(written)
        return " ".join(("not", f"({condition})")) if negated else condition

    def _translate_term(self, text: str) -> str:
        if comparison := _COMPARISON.fullmatch(text):
            return f"{self._path(comparison['path'])} {comparison['sign']} {comparison['value']}"
        term = _TERM.fullmatch(text)
        if not term:
            raise LossError(f"the condition `{text}` is code of its program", self.line)
        if not term["asks"]:
            self.differences[_TRUTH] = None
        is_negated = bool(term["not"]) != (term["asks"] in ("blank", "empty", "nil"))
        path = self._path(term["path"])
        return " ".join(("not", path)) if is_negated else path

    def _path(self, path: str) -> str:
        path = path.removeprefix("@")
        if path in _CONSTANTS:
            return _CONSTANTS[path]
        if not _PATH.fullmatch(path):
            raise LossError(f"`{path}` is more than a path of names", self.line)
        first, dot, rest = path.partition(".")
        return (first if first in self.own else self.names.input_name(first, line=self.line)) + dot + rest
