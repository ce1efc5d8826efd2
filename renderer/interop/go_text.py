"""Go templates as pieces: values, `if`, `with` and `range` become Jinja.

What a function or a pipe gives is an input, or a key of the item in a loop. Variables set by the template and included
templates are refused with their line.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property

from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.item_values import write_item_value
from promptuary.renderer.interop.pieces import Piece, Slot, Statement
from promptuary.renderer.interop.placeholders import PlainText
from promptuary.renderer.interop.printed_booleans import write_booleans
from promptuary.renderer.interop.tag_search import TagKind, TagSyntax
from promptuary.renderer.interop.unread_signs import FENCED

__all__ = ["has_actions", "read_go"]

_STRING = r'"(?:\\.|[^"\\\n])*"'
_QUOTED = re.compile(_STRING)
_TAGS = TagSyntax(
    r"\{\{",
    TagKind(r"\{\{(?P<left>-\s)?\s*+/\*.*?\*/\s*?(?P<right>\s-)?\}\}", end=r"\*/\s*+-?\}\}"),
    TagKind(
        rf"\{{\{{(?P<left>-\s)?\s*+(?P<body>(?>(?:{_STRING}|[^\"{{}}\s]++|\s++(?!-?\}}\}}))*))\s*(?P<right>\s-)?\}}\}}",
        end=r"\}\}",
    ),
)
_ACTION = re.compile(
    r"\{\{(?:-\s)?\s*(?:\.[A-Za-z_]|/\*|(?:if|with|else\s+if)\s[^{}%]*?(?<![\w\])])[.$][A-Za-z_]|range\s+[.$])"
)
_TERM = re.compile(rf"(?P<path>\.|(?:\$\w*)?(?:\.[A-Za-z_]\w*)*)|{_STRING}|-?\d+(?:\.\d+)?")
_TERMS = re.compile(rf"{_STRING}|\S+")
_RANGE = re.compile(r"(?:(?P<first>\$\w+)\s*(?:,\s*(?P<second>\$\w+)\s*)?:=\s*)?(?P<target>\S+)")
_FIELD = re.compile(r"(?<![\w)])(?:\$\w*)?(?:\.[A-Za-z_]\w*)+|(?<!\S)\.(?=\s|\Z)")
_CHANGES = re.compile(r"^(?:template|define|block|break|continue|else|end)\b|:?=")
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "and", "or": "or"}
_CONSTANTS = {"true": "True", "false": "False", "nil": "None"}
_COUNTER = "loop.index0"
_LENIENT = Difference("a name that is not given is an error here; there it prints `<no value>`")


def has_actions(text: str) -> bool:
    """Whether the text has tags that only Go templates have, outside its code blocks."""
    return _ACTION.search(FENCED.sub("", text)) is not None


def read_go(text: str, names: InputNames) -> PlainText:
    """Read the text as pieces; the fields of its data are inputs. Raises LossError with the line."""
    return write_booleans(_Reader(text, names).read())


@dataclass
class _Scope:
    """An open action: what closes it in Jinja, its dot (empty for that of the enclosing scope), and its variables."""

    action: str
    end: str
    line: int
    dot: str = ""
    variables: dict[str, str] = field(default_factory=dict)


class _Reader:
    def __init__(self, text: str, names: InputNames) -> None:
        self.text = text
        self.names = names
        self.scopes: list[_Scope] = []
        self.line = 1
        self.items = 0
        self.differences: dict[Difference, None] = {}

    @cached_property
    def _has_fields(self) -> bool:
        return re.search(r"\{\{-?\s*\.[A-Za-z_]", self.text) is not None

    def read(self) -> PlainText:
        pieces: list[Piece] = []
        end = 0
        trims_next = False
        for tag in _TAGS.find_tags(self.text):
            between = self.text[end : tag.start()]
            self.line = self.text.count("\n", 0, tag.start()) + 1
            between = between.lstrip() if trims_next else between
            pieces.append(between.rstrip() if tag["left"] else between)
            if tag["body"] is not None:
                pieces.append(self._read_action(tag[0], tag["body"]))
            trims_next = bool(tag["right"])
            end = tag.end()
        if self.scopes:
            raise LossError(f"`{self.scopes[-1].action}` has no `end`", self.scopes[-1].line)
        text = self.text[end:]
        pieces.append(text.lstrip() if trims_next else text)
        return PlainText(tuple(pieces), (_LENIENT, *self.differences, *self.names.differences()))

    def _read_action(self, tag: str, body: str) -> Piece:
        word, _, rest = body.partition(" ")
        rest = rest.strip()
        if word == "end" and not rest:
            if not self.scopes:
                raise LossError(f"`{tag}` ends what is not open", self.line)
            return Statement(f"{{% {self.scopes.pop().end} %}}")
        if word == "else" and self.scopes:
            if not rest:
                return Statement("{% else %}")
            if rest.startswith("if "):
                return Statement(f"{{% elif {self._translate_condition(rest.removeprefix('if '), tag)} %}}")
        if word == "if":
            condition = self._translate_condition(rest, tag)
            self.scopes.append(_Scope(tag, "endif", self.line))
            return Statement(f"{{% if {condition} %}}")
        if word == "with":
            dot = self._translate_term(rest, tag)
            self.scopes.append(_Scope(tag, "endif", self.line, dot))
            return Statement(f"{{% if {dot} %}}")
        if word == "range":
            return self._open_range(rest, tag)
        return Slot(self._translate_value(body, tag, "give the text that it prints"))

    def _translate_value(self, source: str, tag: str, reason: str) -> str:
        """A term, or what a function or a pipe gives: a key of the item that it is about, or an input."""
        if source in _CONSTANTS or (source and _TERM.fullmatch(source)):
            return self._translate_term(source, tag)
        if not source or _CHANGES.search(_QUOTED.sub("", source)):
            raise self._refuse(tag)
        paths = [self._path(path, tag) for path in _FIELD.findall(_QUOTED.sub("", source))]
        items = [scope.dot for scope in reversed(self.scopes) if scope.end == "endfor"]
        may_be_whole = not self._has_fields
        if item_value := write_item_value(source, paths, items, may_be_whole=may_be_whole, line=self.line):
            self.differences[item_value[1]] = None
            return item_value[0]
        input_name = re.sub(r"\W+", "_", source).strip("_")[:60] + " "
        return self.names.input_name(input_name, shown=source, reason=reason, line=self.line)

    def _open_range(self, rest: str, tag: str) -> Statement:
        read = _RANGE.fullmatch(rest)
        if read is None:
            raise self._refuse(tag)
        target = self._translate_term(read["target"], tag)
        self.items += 1
        item = "item" if self.items == 1 else f"item_{self.items}"
        scope = _Scope(tag, "endfor", self.line, item)
        if read["second"]:
            scope.variables = {read["first"]: _COUNTER, read["second"]: item}
        elif read["first"]:
            scope.variables = {read["first"]: item}
        self.scopes.append(scope)
        return Statement(f"{{% for {item} in {target} %}}")

    def _translate_condition(self, source: str, tag: str) -> str:
        first, *rest = _TERMS.findall(source.strip()) or [""]
        if first in _COMPARISONS and len(rest) == 2:
            return f" {_COMPARISONS[first]} ".join(self._translate_term(term, tag) for term in rest)
        if first == "not" and len(rest) == 1:
            return " ".join(("not", self._translate_term(rest[0], tag)))
        return self._translate_value(source.strip(), tag, "give true or false")

    def _translate_term(self, source: str, tag: str) -> str:
        if source in _CONSTANTS:
            return _CONSTANTS[source]
        read = _TERM.fullmatch(source)
        if read is None or not source:
            raise self._refuse(tag)
        return source if read["path"] is None else self._path(source, tag)

    def _path(self, source: str, tag: str) -> str:
        first, *steps = source.split(".")
        steps = [step for step in steps if step]
        dots = [scope.dot for scope in self.scopes if scope.dot]
        if first not in ("", "$"):
            return ".".join([self._translate_variable(first, tag), *steps])
        if not first and dots:
            return ".".join([dots[-1], *steps])
        if not steps:
            raise LossError(f"`{tag}` is all of the data; name its fields", self.line)
        return ".".join([self.names.input_name(steps[0], line=self.line), *steps[1:]])

    def _translate_variable(self, name: str, tag: str) -> str:
        loops = [scope for scope in reversed(self.scopes) if scope.end == "endfor"]
        for scope in loops:
            value = scope.variables.get(name, "")
            if value and (value != _COUNTER or scope is loops[0]):
                return value
        raise self._refuse(tag)

    def _refuse(self, tag: str) -> LossError:
        return LossError(
            f"`{tag}` is more than a field, `if`, `with` or `range`; give what it prints as a field", self.line
        )
