"""Which inputs can reach the output of a template: a conservative estimate that may include too many.

It follows loops, `set` in both forms, `with`, macros and their callers, includes and fragments. A comparison, a test, a
length and a loop's counters carry no text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import nodes

from promptuary.renderer.jinja.source import Unit, find_nodes, list_child_nodes

__all__ = ["Names", "trace_taint"]

Names = frozenset[str]
_NONE: Names = frozenset()
_COUNTERS = frozenset(("index", "index0", "revindex", "revindex0", "first", "last", "length", "depth", "depth0"))
_MEASURES = frozenset(("length", "count", "wordcount"))
_ROUNDS = 6


def trace_taint(unit: Unit, fragments: Mapping[str, Names]) -> dict[int, Names]:
    """Return the names that may reach each printed expression, by `id()` of its node.

    `fragments` are the names that may reach each fragment.
    """
    flow = _Flow(unit, fragments)
    for _ in range(_ROUNDS):
        before = flow.snapshot_findings()
        flow.walk(unit.tree.body, _Scope())
        if flow.snapshot_findings() == before:
            break
    else:
        # Macros that keep passing values around: everything may reach everything.
        flow.printed = dict.fromkeys(flow.printed, frozenset().union(*flow.printed.values()))
    return {node: flow.expand_names(names) for node, names in flow.printed.items()}


def _find_names(node: nodes.Node) -> list[nodes.Name]:
    return find_nodes(node, nodes.Name)


@dataclass
class _Scope:
    names: dict[str, Names] = field(default_factory=dict)

    def inner(self) -> "_Scope":
        return _Scope(dict(self.names))

    def get(self, name: str) -> Names:
        return self.names.get(name, frozenset((name,)))

    def join(self, branches: Iterable["_Scope"]) -> None:
        for branch in branches:
            for name, sources in branch.names.items():
                if sources != self.names.get(name):
                    self.names[name] = self.get(name) | sources


class _Flow:
    def __init__(self, unit: Unit, fragments: Mapping[str, Names]) -> None:
        self.unit = unit
        self.fragments = fragments
        self.printed: dict[int, Names] = {}
        self.macros: dict[str, Names] = {}
        self.assigned: dict[str, Names] = {}
        self.body: Names = _NONE
        self.open: set[str] = set()
        # Namespaces are the only mutable values and can have several names, so all of them share one set.
        self.kept: Names = _NONE
        self.spaces: set[str] = set()
        self.arguments: set[str] = {"varargs", "kwargs"}

    def snapshot_findings(self) -> tuple[Any, ...]:
        """What a walk has recorded for the next one."""
        return dict(self.macros), self.kept, set(self.spaces), set(self.arguments), self._join_printed()

    def _join_printed(self) -> Names:
        return _NONE.union(*self.printed.values())

    def _may_hold_space(self, node: nodes.Node) -> bool:
        """Whether an expression may return a namespace, or something that contains one."""
        return any(name.name == "namespace" or name.name in self.spaces for name in _find_names(node))

    def walk(self, many: Iterable[nodes.Node], scope: _Scope) -> None:
        for node in many:
            visit = getattr(self, f"_visit_{type(node).__name__.lower()}", None)
            if visit is not None:
                visit(node, scope)
            else:
                self.walk(list_child_nodes(node), scope)

    def find_sources(self, node: nodes.Node | None, scope: _Scope) -> Names:
        """Return the names that may reach an expression's value."""
        if node is None or isinstance(node, nodes.Compare | nodes.Test | nodes.Not | nodes.TemplateData):
            return _NONE
        if isinstance(node, nodes.Filter) and node.name in _MEASURES:
            return _NONE
        if isinstance(node, nodes.CondExpr):
            return self.find_sources(node.expr1, scope) | self.find_sources(node.expr2, scope)
        if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == "loop":
            return _NONE if node.attr in _COUNTERS else scope.get("loop")
        if isinstance(node, nodes.Name):
            sources = scope.get(node.name) | self.macros.get(node.name, _NONE)
            if node.name == "self":  # `self.block()`
                return sources | self._join_printed()
            return sources | self.kept if node.name in self.spaces else sources
        if isinstance(node, nodes.Call):
            self._visit_call(node, scope)
            if isinstance(node.node, nodes.Name) and node.node.name == "fragment" and node.args:
                return self.fragments.get(getattr(node.args[0], "value", ""), _NONE)
        return _NONE.union(*(self.find_sources(child, scope) for child in list_child_nodes(node)))

    def _visit_call(self, node: nodes.Call, scope: _Scope, extra: Names = _NONE) -> None:
        """Arguments of a macro may be printed in it; an unknown callee may be any macro."""
        sources = extra.union(
            *(self.find_sources(child, scope) for child in list_child_nodes(node) if child is not node.node)
        )
        name = node.node.name if isinstance(node.node, nodes.Name) else None
        if any(self._may_hold_space(child) for child in list_child_nodes(node) if child is not node.node):
            self.spaces |= self.arguments
        for macro in [name] if name in self.macros else list(self.macros):
            if name != "fragment" and macro is not None:
                self.macros[macro] |= sources

    def _visit_output(self, node: nodes.Output, scope: _Scope) -> None:
        for child in node.nodes:
            if not isinstance(child, nodes.TemplateData):
                self._print(child, self.find_sources(child, scope))

    def _print(self, node: nodes.Node, names: Names) -> None:
        self.printed[id(node)] = self.printed.get(id(node), _NONE) | names
        self.body |= names

    def _capture_body(self, body: list[nodes.Node], scope: _Scope) -> Names:
        outer, self.body = self.body, _NONE
        self.walk(body, scope)
        sources, self.body = self.body, outer | self.body
        return sources

    def expand_names(self, names: Names) -> Names:
        """A name that is set elsewhere in the template may have that value here."""
        closure, frontier = names, names
        while frontier:
            frontier = _NONE.union(*(self.assigned.get(name, _NONE) for name in frontier)) - closure
            closure |= frontier
        return closure

    def _bind(self, target: nodes.Node, names: Names, scope: _Scope, source: nodes.Node | None = None) -> None:
        if source is not None and self._may_hold_space(source):
            self.spaces |= {name.name for name in _find_names(target)}
        if isinstance(target, nodes.NSRef):
            self.kept |= names
            self.spaces.add(target.name)
            scope.names[target.name] = scope.get(target.name) | names
            self.macros[target.name] = self.macros.get(target.name, _NONE) | names
        for name in find_nodes(target, nodes.Name):
            scope.names[name.name] = names
            self.assigned[name.name] = self.assigned.get(name.name, _NONE) | names

    def _visit_for(self, node: nodes.For, scope: _Scope) -> None:
        items = self.find_sources(node.iter, scope)
        inner = scope.inner()
        inner.names["loop"] = items
        self._bind(node.target, items, inner, node.iter)
        # Twice, because what the first pass sets may be printed by the second.
        self.walk(node.body, inner)
        self.walk(node.body, inner)
        inner_scope = scope.inner()
        self.walk(node.else_, inner_scope)

    def _visit_if(self, node: nodes.If, scope: _Scope) -> None:
        branches = [scope.inner() for _ in range(3)]
        bodies: list[list[nodes.Node]] = [node.body, list(node.elif_), node.else_]
        for body, branch in zip(bodies, branches, strict=True):
            self.walk(body, branch)
        scope.join(branches)

    def _visit_assign(self, node: nodes.Assign, scope: _Scope) -> None:
        self._bind(node.target, self.find_sources(node.node, scope), scope, node.node)

    def _visit_assignblock(self, node: nodes.AssignBlock, scope: _Scope) -> None:
        captured = self._capture_body(node.body, scope.inner())
        self._bind(node.target, captured | self.find_sources(node.filter, scope), scope)

    def _visit_with(self, node: nodes.With, scope: _Scope) -> None:
        inner = scope.inner()
        for target, value in zip(node.targets, node.values, strict=True):
            self._bind(target, self.find_sources(value, scope), inner, value)
        self.walk(node.body, inner)

    def _visit_macro(self, node: nodes.Macro, scope: _Scope) -> None:
        sources = self.macros.setdefault(node.name, _NONE)
        inner = scope.inner()
        names = [argument.name for argument in node.args]
        self.arguments.update(names)
        for name in (*names, "varargs", "kwargs", "caller"):
            inner.names[name] = sources
        defaults = dict(zip(reversed(names), reversed(node.defaults), strict=False))
        for name, default in defaults.items():
            inner.names[name] = sources | self.find_sources(default, scope)
        scope.names[node.name] = _NONE
        # A macro's output appears where it is called.
        self.macros[node.name] |= self._capture_body(node.body, inner)

    def _visit_callblock(self, node: nodes.CallBlock, scope: _Scope) -> None:
        inner = scope.inner()
        for argument in node.args:
            inner.names[argument.name] = self.find_sources(node.call, scope)
            self.arguments.add(argument.name)
        body = self._capture_body(node.body, inner)
        self._visit_call(node.call, scope, body)
        self._print(node.call, self.find_sources(node.call, scope) | body)

    def _visit_filterblock(self, node: nodes.FilterBlock, scope: _Scope) -> None:
        self._print(node.filter, self._capture_body(node.body, scope.inner()) | self.find_sources(node.filter, scope))

    def _visit_include(self, node: nodes.Include, scope: _Scope) -> None:
        ref = getattr(node.template, "value", None)
        included = self.unit.sandbox.units.get(ref) if isinstance(ref, str) and ref else None
        if included is not None and ref not in self.open:
            self.open.add(str(ref))
            self.walk(included.tree.body, scope.inner())
            self.open.discard(str(ref))
