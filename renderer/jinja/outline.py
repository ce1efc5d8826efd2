"""A body as a tree of the author's text: what is always there, what depends on the data, and what can't be known.

Built from Jinja's syntax tree alone; nothing is run. Macros, set blocks and includes are inlined where it is certain
that they are printed. Anything else becomes `Unknown`, which may print any of the author's text.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from jinja2 import nodes

from promptuary.renderer.jinja.source import Unit, find_nodes, list_nodes

__all__ = ["Choice", "Loop", "Outline", "Seq", "Text", "Unknown", "Value", "build_outline", "has_whole_line"]

_MAX_DEPTH = 8
_MAX_CALLS = 2_000
_MAX_ROUNDS = 20
_SILENT = (nodes.Assign, nodes.AssignBlock, nodes.Macro, nodes.ExprStmt)
# Names that may return text of the template itself.
_TELLING = frozenset(("self", "super", "caller", "varargs", "kwargs"))


@dataclass(frozen=True, slots=True)
class Text:
    """The author's text, present in every rendering that reaches it."""

    text: str


@dataclass(frozen=True, slots=True)
class Value:
    """A printed value. `fragment` names the fragment whose text it is, if any."""

    fragment: str | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything: values, and any of the author's text."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several, as for an `if`; an empty one if there is no `else`."""

    branches: "tuple[Seq, ...]"


@dataclass(frozen=True, slots=True)
class Loop:
    """The body any number of times, or `otherwise` if it doesn't run."""

    body: "Seq"
    otherwise: "Seq"


Outline = Text | Value | Unknown | Choice | Loop
Seq = tuple[Outline, ...]


def has_whole_line(unit: Unit) -> bool:
    """Whether a whole line of the author's, outside all tags, says something; then so does the outline.

    A comment of YAML says nothing. Most bodies have such a line near their start, so they need no outline.
    """
    outputs = (node for node in unit.tree.body if isinstance(node, nodes.Output))
    texts = (child.data for node in outputs for child in node.nodes if isinstance(child, nodes.TemplateData))
    lines = (line.strip() for text in texts for line in text.split("\n")[1:-1])
    return any(line and not line.startswith("#") for line in lines)


def build_outline(unit: Unit) -> Seq:
    """Return the outline of a unit and its includes."""
    return _Builder(unit).build_all(unit.tree.body)


class _Builder:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.telling = _find_names_with_text(unit)
        self.macros = {node.name: node for node in unit.tree.body if isinstance(node, nodes.Macro)}
        self.blocks: dict[str, Seq] = {}
        self.bindings = _find_bindings(unit)
        self.callers: list[Seq | None] = []
        self.open: list[str] = []
        self.depth = 0
        self.left = _MAX_CALLS

    def build_all(self, many: Iterable[nodes.Node]) -> Seq:
        outlines: list[Outline] = []
        for node in many:
            for piece in self._build_node(node):
                last = outlines[-1] if outlines else None
                if isinstance(piece, Text) and isinstance(last, Text):
                    outlines[-1] = Text(last.text + piece.text)
                elif isinstance(piece, Unknown) and isinstance(last, Unknown):
                    continue
                elif not isinstance(piece, Text) or piece.text:
                    outlines.append(piece)
        return tuple(outlines)

    def _build_node(self, node: nodes.Node) -> Seq:
        if isinstance(node, nodes.Output):
            return tuple(piece for child in node.nodes for piece in self._build_printed(child))
        if isinstance(node, nodes.If):
            bodies = [node.body, *(branch.body for branch in node.elif_), node.else_]
            return (Choice(tuple(map(self._build_scoped, bodies))),)
        if isinstance(node, nodes.For):
            return (Loop(self._build_scoped(node.body), self._build_scoped(node.else_)),)
        if isinstance(node, nodes.With | nodes.Block):
            return self._build_scoped(node.body)
        if isinstance(node, nodes.CallBlock):
            return self._call(node.call, self._build_scoped(node.body))
        if isinstance(node, nodes.Include):
            return self._include(node)
        if isinstance(node, nodes.AssignBlock):
            self._keep(node)
        return () if isinstance(node, _SILENT) else (Unknown(),)

    def _build_scoped(self, body: Iterable[nodes.Node]) -> Seq:
        """A body with its own scope: what it sets isn't visible outside."""
        self.depth += 1
        outline = self.build_all(body)
        self.depth -= 1
        return outline

    def _keep(self, node: nodes.AssignBlock) -> None:
        """Record the text of a set block that is bound only once, for everything after it."""
        target = node.target
        if self.depth or self.open or node.filter is not None or not isinstance(target, nodes.Name):
            return
        if self.bindings.count(target.name) == 1:
            self.blocks[target.name] = self._build_scoped(node.body)

    def _build_printed(self, node: nodes.Expr) -> Seq:
        if isinstance(node, nodes.TemplateData):
            return (Text(node.data),)
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name):
            if node.node.name == "fragment" and "fragment" not in self.bindings:
                return (Value(getattr(node.args[0], "value", None) if node.args else None),)
            return self._call(node, None)
        if isinstance(node, nodes.Name) and node.name in self.blocks and not self.open:
            return self.blocks[node.name]
        return (Unknown() if self._may_tell(node) else Value(),)

    def _call(self, node: nodes.Call, caller: Seq | None) -> Seq:
        """The output of a call: the body of a macro, the body of its caller, or a value."""
        name = node.node.name if isinstance(node.node, nodes.Name) else ""
        if name == "caller" and self.callers and self.callers[-1] is not None:
            return self.callers[-1]
        macro = self.macros.get(name)
        is_known = macro is not None and self.bindings.count(name) == 1 and name not in self.unit.sandbox.globals
        self.left -= 1
        if macro is None or not is_known or name in self.open or len(self.open) >= _MAX_DEPTH or self.left < 0:
            may_print_author_text = caller is not None or self._may_tell(node)
            return (Unknown(),) if may_print_author_text else (Value(),)
        self.open.append(name)
        self.callers.append(caller)
        body = self._build_scoped(macro.body)
        self.callers.pop()
        self.open.pop()
        return body

    def _may_tell(self, node: nodes.Node) -> bool:
        return any(name.name in self.telling for name in find_nodes(node, nodes.Name))

    def _include(self, node: nodes.Include) -> Seq:
        ref = getattr(node.template, "value", None)
        included = self.unit.sandbox.units.get(ref) if isinstance(ref, str) and ref else None
        if included is None or f"\0{ref}" in self.open or len(self.open) >= _MAX_DEPTH:
            return (Unknown(),)
        outer = self.unit, self.macros
        self.unit, self.macros = included, {}
        self.open.append(f"\0{ref}")
        outline = self._build_scoped(included.tree.body)
        self.open.pop()
        self.unit, self.macros = outer
        return outline


def _find_bindings(unit: Unit) -> list[str]:
    """Every bound name, once for each time it is bound."""
    names: list[str] = []
    for part in unit.sandbox.units.values():
        names.extend(name.name for name in part.find_all(nodes.Name) if name.ctx != "load")
        names.extend(macro.name for macro in part.find_all(nodes.Macro))
        names.extend(space.name for space in part.find_all(nodes.NSRef))
    return names


def _find_names_with_text(unit: Unit) -> frozenset[str]:
    """The names that may contain text of the template: macros, set blocks, and anything derived from them."""
    names = set(_TELLING)
    parts = list(unit.sandbox.units.values())
    for part in parts:
        names |= {macro.name for macro in part.find_all(nodes.Macro)}
        if any(loop.recursive for loop in part.find_all(nodes.For)):
            names.add("loop")
    flows = [flow for part in parts for flow in _find_flows(part)]
    for _ in range(_MAX_ROUNDS):
        before = len(names)
        for sources, targets in flows:
            if not names.isdisjoint(sources):
                names |= targets
        if len(names) == before:
            return frozenset(names)
    return frozenset((*names, *_find_bindings(unit)))


_Flow = tuple[frozenset[str], frozenset[str]]
_ALWAYS = frozenset(("self",))


def _find_flows(unit: Unit) -> Iterable[_Flow]:
    """Which names may receive which text of the template from which others."""
    bound_names = frozenset(name.name for name in unit.find_all(nodes.Name) if name.ctx != "load")
    assigned = [(_find_names(node.node), node.target) for node in unit.find_all(nodes.Assign)]
    captured = [(_ALWAYS, node.target) for node in unit.find_all(nodes.AssignBlock)]
    for sources, target in (*assigned, *captured):
        # A namespace can have many names, so what is put into one may come out of any.
        yield (
            sources,
            frozenset(_find_targets(target)) | (bound_names if isinstance(target, nodes.NSRef) else frozenset()),
        )
    for loop in unit.find_all(nodes.For):
        yield _find_names(loop.iter), frozenset((*_find_targets(loop.target), "loop"))
    for scope in unit.find_all(nodes.With):
        yield _find_names(*scope.values), frozenset(name for target in scope.targets for name in _find_targets(target))
    parameters = frozenset(_find_parameters(unit))
    for call in unit.find_all(nodes.Call):
        yield _find_names(*call.args, *call.kwargs, call.dyn_args, call.dyn_kwargs), parameters
    for macro in _find_definitions(unit):
        yield _find_names(*macro.defaults), parameters


def _find_names(*many: nodes.Node | None) -> frozenset[str]:
    return frozenset(name.name for node in many if node is not None for name in find_nodes(node, nodes.Name))


def _find_definitions(unit: Unit) -> list[nodes.Macro | nodes.CallBlock]:
    return [*unit.find_all(nodes.Macro), *unit.find_all(nodes.CallBlock)]


def _find_parameters(unit: Unit) -> Iterable[str]:
    for macro in _find_definitions(unit):
        yield from (argument.name for argument in macro.args)


def _find_targets(target: nodes.Node) -> Iterable[str]:
    for node in (target, *list_nodes(target)):
        if isinstance(node, nodes.Name | nodes.NSRef):
            yield node.name
