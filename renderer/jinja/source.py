"""One source of a template: the places of its tokens, its literals and printed values, and its fragment references.

Jinja keeps only the line of a node. So the lexer's tokens are passed to the parser with their offset in place of the
line (plus one, as Jinja takes zero for "unknown"), and every node, syntax error and debug entry has an exact column.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar
from typing import Literal as OneOf

from jinja2 import Template, nodes
from jinja2.exceptions import TemplateSyntaxError
from jinja2.lexer import Lexer

from promptuary.renderer.errors import DocumentError, FragmentError
from promptuary.renderer.part import Site
from promptuary.renderer.problems import Lines, Place

__all__ = [
    "Environment",
    "Literal",
    "Located",
    "Reference",
    "Tag",
    "Unit",
    "find_nodes",
    "find_references",
    "has_escapes",
    "list_child_nodes",
    "list_nodes",
    "locate_tokens",
    "unescape",
]

_Kind = TypeVar("_Kind", bound=nodes.Node)


@dataclass(frozen=True, slots=True)
class Tag:
    """A `{{ … }}`, `{% … %}` or `{# … #}`: offsets of its first character and after its last."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Located:
    """Tokens from Jinja's lexer, with offset + 1 as their line, and the tags they form."""

    tokens: list[tuple[int, str, str]]
    tags: list[Tag]
    starts: list[int]
    """The offset of each tag, as a body with thousands of tags is searched for each of them."""

    def tag_at(self, offset: int) -> Tag | None:
        """Return the last tag that starts at or before an offset."""
        index = bisect_right(self.starts, offset) - 1
        return self.tags[index] if index >= 0 else None


_OPENING = {f"{kind}_begin": kind for kind in ("variable", "block", "comment", "raw")}
_CLOSING = frozenset(("variable_end", "block_end", "comment_end", "raw_begin", "raw_end"))


def locate_tokens(lexer: Lexer, source: str, name: str | None) -> Located:
    """Split the source into tokens with offsets. Raises TemplateSyntaxError with offset + 1 as its line."""
    tokens: list[tuple[int, str, str]] = []
    tags: list[Tag] = []
    at = 0
    opening: tuple[str, int] | None = None
    try:
        for _, kind, value in _list_tokens(lexer, source, name):
            # The lexer only drops white space next to a `-` mark between tokens, so the search finds the right place.
            start = source.find(value, at)
            at = start + len(value)
            tokens.append((start + 1, kind, value))
            if kind in _OPENING:
                opening = (_OPENING[kind], start)
            elif opening and kind in _CLOSING:
                tags.append(Tag(opening[0], opening[1], at))
                opening = None
    except TemplateSyntaxError as error:
        offset = _find_offset(error, source, at)
        raise TemplateSyntaxError(error.message or "this is not Jinja", offset + 1, name) from error
    return Located(tokens, tags, [tag.start for tag in tags])


def _list_tokens(lexer: Lexer, source: str, name: str | None) -> Iterator[tuple[int, str, str]]:
    return iter(lexer.tokeniter(source, name))


def _find_offset(error: TemplateSyntaxError, source: str, at: int) -> int:
    """The offset from the lexer's message, if there ("… at 17"); else that of the tag it was reading."""
    _, description, tail = (error.message or "").rpartition(" at ")
    if description and tail.isdigit():
        return min(int(tail), len(source))
    start = max(source.rfind("{{", 0, at + 2), source.rfind("{%", 0, at + 2), source.rfind("{#", 0, at + 2))
    lines = source.split("\n")
    line_start = sum(len(line) + 1 for line in lines[: error.lineno - 1])
    return max(start, line_start)


class Environment(Protocol):
    """What the sandbox collects while its units are compiled, and what they need of it."""

    globals: Any
    literals: list["Literal"]
    ordinary: bool
    sites: list[Site]
    texts: list[str]
    units: dict[str, "Unit"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A stretch of the author's text. `origins` are (offset in the text, offset in the unit's source), ascending."""

    text: str
    unit: "Unit"
    origins: list[tuple[int, int]]
    lines: dict[int, int] = field(default_factory=dict)
    item_lines: tuple[int, ...] = ()

    def place(self, inside: int) -> Place:
        """Return the place of an offset in the text."""
        start, offset = [origin for origin in self.origins if origin[0] <= inside][-1]
        return self.unit.place(offset + inside - start)


def list_child_nodes(node: nodes.Node) -> list[nodes.Node]:
    """Return a node's direct children, in order."""
    children: list[nodes.Node] = []
    for name in node.fields:
        value = getattr(node, name, None)
        if isinstance(value, nodes.Node):
            children.append(value)
        elif type(value) is list:
            children += [item for item in value if isinstance(item, nodes.Node)]
    return children


def list_nodes(root: nodes.Node) -> list[nodes.Node]:
    """Return all nodes inside a node, each before its descendants. Jinja's `find_all` nests generators: it is slow."""
    collected: list[nodes.Node] = []
    waiting = list_child_nodes(root)[::-1]
    while waiting:
        node = waiting.pop()
        collected.append(node)
        waiting += list_child_nodes(node)[::-1]
    return collected


def find_nodes(root: nodes.Node, kind: type[_Kind]) -> list[_Kind]:
    """Return the nodes of a class in a node, including itself."""
    return [node for node in (root, *list_nodes(root)) if isinstance(node, kind)]


@dataclass
class Unit:
    """One source compiled into the sandbox: the document's body (`ref` None) or an included fragment's.

    `shown` is the place that represents all of an included unit: its includer's `{% include %}`.
    """

    ref: str | None
    source: str
    lines: Lines
    located: Located
    sandbox: Environment
    shown: Place | None = None
    tree: nodes.Template = field(default_factory=lambda: nodes.Template([]))
    template: Template | None = None
    flow: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """The inputs that may reach a printed expression, by `id()` of its node; empty unless needed."""
    all_nodes: list[nodes.Node] = field(init=False)
    """All nodes of the tree except its root, parents first; cached for a dozen checks."""
    names_fragments: bool = field(init=False)
    """Whether the word `fragment` occurs anywhere in the source."""

    def __post_init__(self) -> None:
        # Not a cached_property: a process forked while a thread holds its lock would wait for it forever.
        self.all_nodes, self.names_fragments = list_nodes(self.tree), "fragment" in self.source

    def find_all(self, kind: type[_Kind]) -> list[_Kind]:
        """Return the nodes of a class, parents first."""
        return [node for node in self.all_nodes if isinstance(node, kind)]

    def place(self, start: int, end: int | None = None) -> Place:
        return self.shown or self.lines.place(start, end)

    def add_literal(self, group: list[tuple[str, int]]) -> int:
        origins, at = [], 0
        for text, offset in group:
            origins.append((at, offset))
            at += len(text)
        text = "".join([text for text, _ in group])
        literal = Literal(text, self, origins)
        if "\n- " in text:
            dashes = tuple(literal.place(match.end() - 2).line for match in re.finditer("\n- ", text))
            literal = replace(literal, item_lines=dashes)
        self.sandbox.literals.append(literal)
        self.sandbox.texts.append(text)
        return len(self.sandbox.literals) - 1

    def add_site(self, node: nodes.Node) -> int:
        site = self.find_site(node)
        self.sandbox.sites.append(site)
        # Text of fragments can reach any site; indenting is visible at its own.
        if site.indented or self.names_fragments:
            self.sandbox.ordinary = False
        return len(self.sandbox.sites) - 1

    def find_site(self, node: nodes.Node) -> Site:
        """Return the site of a printed expression."""
        offset = node.lineno - 1 if type(node) is nodes.Name else _find_node_offset(node)
        tag = self.located.tag_at(offset)
        start, end = (tag.start, tag.end) if tag else (offset, offset)
        place = self.place(start, end)
        kind: OneOf["input", "fragment"] = "fragment" if _calls_fragment(node) else "input"
        names = self.flow.get(id(node), frozenset())
        indented = isinstance(node, nodes.Filter) and node.name == "indent"
        return Site(self.source[start:end].strip("{}%-+ \n\t"), place.line, place.column, kind, names, indented)


def _calls_fragment(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "fragment"


@dataclass(frozen=True, slots=True)
class Reference:
    """`fragment("ref")` (kind text) or `{% include "ref" %}` (kind parts), with the places of its tag and quotes."""

    ref: str
    kind: OneOf["text", "parts"]
    place: Place
    quotes: Place


def find_references(unit: Unit) -> list[Reference]:
    """Return every fragment reference of a unit, in order. Raises FragmentError for one that isn't literal."""
    references = []
    for node in unit.all_nodes:
        if isinstance(node, nodes.Include):
            if not node.with_context:
                message = "`without context` is not allowed: a fragment always renders with the data"
                raise DocumentError(message, code="PT204", place=_place(unit, node))
            references.append(_build_reference(node.template, "parts", unit, node))
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "fragment":
            if len(node.args) != 1 or node.kwargs or node.dyn_args or node.dyn_kwargs:
                raise FragmentError('write fragment("namespace/name@3")', code="PT506", place=_place(unit, node))
            references.append(_build_reference(node.args[0], "text", unit, node))
    for kind, message in _REFUSED.items():
        for refused in unit.find_all(kind):
            raise DocumentError(message, code="PT204", place=_place(unit, refused))
    return references


_REFUSED = {
    nodes.Import: "`{% import %}` is not allowed; use `{% include %}` or fragment()",
    nodes.FromImport: "`{% from %}` is not allowed; use `{% include %}` or fragment()",
    nodes.Extends: "`{% extends %}` is not allowed; use `{% include %}` or fragment()",
    nodes.EvalContextModifier: "`{% autoescape %}` is not allowed: a prompt is not a web page",
}


def _build_reference(node: nodes.Node, kind: OneOf["text", "parts"], unit: Unit, at: nodes.Node) -> Reference:
    place = _place(unit, at)
    if not isinstance(node, nodes.Const) or not isinstance(node.value, str):
        message = "name the fragment in quotes: its text is fixed when the document is saved"
        raise FragmentError(message, code="PT506", place=place)
    length = next((len(value) for line, _, value in unit.located.tokens if line == node.lineno), 0)
    quotes = unit.place(node.lineno - 1, node.lineno - 1 + length)
    return Reference(node.value, kind, place, quotes)


def _place(unit: Unit, node: nodes.Node) -> Place:
    offset = _find_node_offset(node)
    tag = unit.located.tag_at(offset)
    return unit.place(tag.start, tag.end) if tag else unit.place(offset)


def _find_node_offset(node: nodes.Node) -> int:
    return min(child.lineno for child in (node, *list_nodes(node)) if child.lineno) - 1


def has_escapes(text: str) -> bool:
    """Whether a text of the author's contains an escape."""
    return "<|space|>" in text or "\\n" in text or "\\r" in text


def unescape(text: str) -> str:
    """Replace the escapes for a kept space and for line ends."""
    if "<|space|>" in text:
        text = text.replace("<|space|>", " ")
    return text.replace("\\n", "\n").replace("\\r", "\r") if "\\" in text else text
