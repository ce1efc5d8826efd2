"""Mustache and Handlebars texts as pieces: variables, sections, `if`, `unless`, `each` and `with` become Jinja.

Both escape HTML in tags with two braces, and print nothing for a missing name; the differences report that. What a
program's own helper returns becomes an input, or a key of a loop's item. Partials and changed delimiters are refused
with their line.
"""

import re
from collections.abc import Iterator

from promptuary.renderer.interop.handlebars_helpers import parse_call, parse_condition
from promptuary.renderer.interop.handlebars_values import PATH, Scope, ScopedValues
from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import Piece, Slot, Statement
from promptuary.renderer.interop.placeholders import PlainText
from promptuary.renderer.interop.printed_booleans import write_booleans
from promptuary.renderer.interop.tag_search import TagKind, TagSyntax

__all__ = ["has_sections", "read_handlebars", "read_mustache"]

_TAGS = TagSyntax(
    r"\{\{",
    TagKind(r"\{\{!--(?P<long>.*?)--\}\}", end=r"--\}\}"),
    TagKind(r"\{\{!(?P<comment>.*?)\}\}", end=r"\}\}"),
    TagKind(r"\{\{\{\s*+(?P<triple>(?>(?:[^{}\s]++|\s++(?!\}\}\}))*))\s*+\}\}\}", end=r"\}\}\}"),
    TagKind(
        r"\{\{(?P<left>~?)\s*+(?P<sign>[#/^>&=@]?)\s*+"
        r"(?P<body>(?>(?:[^{}\s~]++|~(?!\}\})|\s++(?!~?\}\}))*))\s*+(?P<right>~?)\}\}",
        end=r"\}\}",
    ),
)
_SECTION = re.compile(
    r"\{\{~?\s*[#/^>]|\{\{\{[^{]|\{\{!|\{\{~?\s*(?:else|this|@\w+)\b|\{\{~?\s*(?!not\b)[^\W\d]\w*\s+\((?=[^\W\d])"
)
_ESCAPE = re.compile(r"(?<!\\)\\\Z")
_VARIABLE = re.compile(r"\{\{\{?\s*&?\s*([^\W\d][\w.\-]*)\s*\}")
_PLURAL = re.compile(r"(?!has|is_|uses)[^\W\d][\w.\-]*[^s]s")
_MAX_DEPTH = 100  # of sections: each reads the text inside it
_LENIENT = Difference("a name that is not given is an error here; there it prints nothing")
_ESCAPED = Difference("values are printed as they are; there `&`, `<`, `>` and quotes are escaped for HTML")


def has_sections(text: str) -> bool:
    """Whether the text has tags that Mustache or Handlebars have but not Jinja."""
    return _SECTION.search(text) is not None


def read_mustache(text: str, names: InputNames, *, escapes: bool = True) -> PlainText:
    """Read a Mustache text. `escapes` tells whether its program escapes HTML. Raises LossError with the line."""
    return write_booleans(_Reader(text, names, is_mustache=True, escapes=escapes).read())


def read_handlebars(text: str, names: InputNames, *, escapes: bool = True) -> PlainText:
    """Read a Handlebars text. `escapes` tells whether its program escapes HTML. Raises LossError with the line."""
    return write_booleans(_Reader(text, names, is_mustache=False, escapes=escapes).read())


class _Reader(ScopedValues):
    """Reads one text tag by tag. items: the number of loops so far, whose items are named by it."""

    def __init__(self, text: str, names: InputNames, *, is_mustache: bool, escapes: bool) -> None:
        super().__init__(names)
        self.text = text
        self.is_mustache = is_mustache
        self.escapes = escapes
        self.items = 0
        self.position = 0  # behind the tag that is read

    def read(self) -> PlainText:
        pieces: list[Piece] = []
        end = counted = 0
        strips_next = False
        for tag in _TAGS.find_tags(self.text):
            between = self.text[end : tag.start()]
            self.line += self.text.count("\n", counted, tag.start())
            counted = tag.start()
            self.position = tag.end()
            if strips_next:
                between = between.lstrip()
            if _ESCAPE.search(between) and not self.is_mustache:  # an escaped tag is text
                pieces += [between[:-1], tag[0]]
                end, strips_next = tag.end(), False
                continue
            start, end = self._extend_to_line(tag)
            if start != tag.start():
                between = between[: len(between) - (tag.start() - start)] if between else between
            if tag["left"]:
                between = between.rstrip()
            pieces += [between, *self._translate_tag(tag)]
            strips_next = bool(tag["right"])
        if self.scopes:
            scope = self.scopes[-1]
            raise LossError(f"`{{{{#{scope.tag}}}}}` is never closed", scope.line)
        text = self.text[end:]
        pieces.append(text.lstrip() if strips_next else text)
        if any(not isinstance(piece, str) for piece in pieces):
            self.differences[_LENIENT] = None
        return PlainText(tuple(pieces), (*self.differences, *self.names.differences()))

    def _extend_to_line(self, tag: re.Match[str]) -> tuple[int, int]:
        """The start and end of the tag, extended to its whole line for a section tag or comment alone on a line."""
        is_comment = tag["comment"] is not None or tag["long"] is not None
        is_else = (tag["body"] or "").partition(" ")[0] == "else"
        prints_value = tag["triple"] is not None or tag["sign"] in ("", "&", "@")
        if prints_value and not is_else and not is_comment:
            return tag.start(), tag.end()
        start, end = tag.start(), tag.end()
        while start and self.text[start - 1] in " \t":
            start -= 1
        while end < len(self.text) and self.text[end] in " \t":
            end += 1
        is_alone = (not start or self.text[start - 1] == "\n") and self.text[end : end + 1] in ("", "\n")
        return (start, min(end + 1, len(self.text))) if is_alone else (tag.start(), tag.end())

    def _translate_tag(self, tag: re.Match[str]) -> Iterator[Piece]:
        if tag["comment"] is not None or tag["long"] is not None:
            return
        body = tag["triple"] if tag["triple"] is not None else tag["body"]
        sign = tag["sign"] or ""
        if sign == ">":
            raise LossError(f"`{tag[0]}` takes in another template; write its text in place", self.line)
        if sign == "=":
            raise LossError(f"`{tag[0]}` changes the delimiters", self.line)
        if sign == "#":
            yield from self._open_tag(body)
        elif sign == "^" and body:
            yield from self._open_inverted(body)
        elif sign == "/":
            yield self._close_tag(body)
        elif body.partition(" ")[0] == "else" or (sign == "^" and not body):
            yield self._translate_else(body.partition(" ")[2].strip())
        else:
            if self.escapes and not sign and tag["triple"] is None:
                self.differences[_ESCAPED] = None
            yield Slot(self.write_value(f"@{body}" if sign == "@" else body))

    def _open_tag(self, body: str) -> Iterator[Piece]:
        name, _, rest = body.partition(" ")
        if self.is_mustache:
            yield from self._open_section(body)
            return
        if name == "if":
            self._push("if", "endif")
            yield Statement(f"{{% if {self.write_value(rest.strip())} %}}")
        elif name == "unless":
            self._push("unless", "endif")
            yield Statement(f"{{% if not {self.write_value(rest.strip())} %}}")
        elif name == "each":
            yield self._translate_loop("each", rest.strip())
        elif name == "with":
            expression = self.write_value(rest.strip())
            self._push("with", "endif", item=expression)
            yield Statement(f"{{% if {expression} %}}")
        elif not rest and PATH.fullmatch(name):
            yield from self._open_section(name)
        elif "each" in name.lower() and parse_call(body):
            self._add_difference(f"`{name}` is read as a loop")
            yield self._translate_loop(name, rest.strip())
        else:
            yield self._open_condition(name, body)

    def _open_section(self, name: str) -> Iterator[Piece]:
        """Open a section: a loop if its inside refers to an item, else a condition. The difference says which."""
        inside = self._find_inside(name)
        if re.search(r"\{\{\{?\s*&?\s*(?:\.|this\b)", inside) or self._has_own_names(name, inside):
            self._add_difference(f"`{name}` is a list, of which each item is shown")
            yield self._translate_loop(name, name)
            return
        self._add_difference(f"`{name}` is a condition; a list given for it does not repeat")
        expression = self.write_value(name)
        self._push(name, "endif")
        yield Statement(f"{{% if {expression} %}}")

    def _open_condition(self, name: str, body: str) -> Statement:
        expression = self._translate_condition(body)
        self._push(name, "endif")
        return Statement(f"{{% if {expression} %}}")

    def _translate_condition(self, body: str) -> str:
        """What the section of a helper checks: a comparison, or what an input says."""
        call = parse_call(body)
        if call is None:
            raise LossError(f"`{{{{#{body}}}}}` calls a helper of its program", self.line)
        self._add_difference(f"`{body}` is read as a condition for the text after it")
        condition = parse_condition(call)
        usual = self.write_usual(condition) if condition else ""
        return usual or self.write_own(call, body)

    def _open_inverted(self, name: str) -> Iterator[Piece]:
        expression = self.write_value(name)
        self._push(name, "endif")
        yield Statement(f"{{% if not {expression} %}}")

    def _translate_loop(self, tag: str, target: str) -> Statement:
        path, _, block = target.partition(" as ")
        expression = self.write_value(path.strip())
        self.items += 1
        item = "item" if self.items == 1 else f"item_{self.items}"
        own_names = block.strip(" |").split()  # `as |person index|`
        scope = self._push(tag, "endfor", item=item)
        if own_names:
            scope.own = {own_names[0]: item}
        if len(own_names) > 1:
            scope.own[own_names[1]] = "loop.index0"
        inside = self._find_inside(tag)
        if "@key" in inside:
            scope.key = f"{item}_key"
            return Statement(f"{{% for {scope.key}, {item} in {expression}.items() %}}")
        return Statement(f"{{% for {item} in {expression} %}}")

    def _close_tag(self, body: str) -> Statement:
        if not self.scopes or self.scopes[-1].tag != body.strip():
            raise LossError(f"`{{{{/{body}}}}}` closes what is not open", self.line)
        return Statement(f"{{% {self.scopes.pop().end} %}}")

    def _translate_else(self, condition: str) -> Statement:
        if not self.scopes:
            raise LossError("`{{else}}` is outside a section", self.line)
        if not condition:
            return Statement("{% else %}")
        name, _, value = condition.partition(" ")
        expression = self.write_value(value.strip()) if name == "if" else self._translate_condition(condition)
        return Statement(f"{{% elif {expression} %}}")

    def _push(self, tag: str, end: str, item: str = "") -> Scope:
        if len(self.scopes) == _MAX_DEPTH:
            raise LossError(f"more than {_MAX_DEPTH} sections are open inside each other", self.line)
        scope = Scope(tag, end, item, line=self.line)
        self.scopes.append(scope)
        return scope

    def _find_inside(self, name: str) -> str:
        """The text behind the tag that is read, up to the first end tag of that name."""
        end_tag = re.compile(rf"\{{\{{~?\s*/\s*{re.escape(name)}\s*~?\}}\}}").search(self.text, self.position)
        return self.text[self.position : end_tag.start() if end_tag else len(self.text)]

    def _has_own_names(self, name: str, inside: str) -> bool:
        """Whether the inside of a section uses names of an item.

        In Handlebars these may also be names from outside the section. They are assumed to be the item's if the
        section's name is a plural and they occur nowhere else.
        """
        inner_names = set(_VARIABLE.findall(inside))
        if self.is_mustache or not inner_names:
            return bool(inner_names)
        outer_names = set(_VARIABLE.findall(self.text.replace(inside, "", 1)))
        return _PLURAL.fullmatch(name) is not None and inner_names.isdisjoint({*outer_names, name})
