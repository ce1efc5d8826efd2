"""The names that a body takes from outside, with the place of each use, by Jinja's own scoping rules."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from jinja2 import nodes

from promptuary.renderer.jinja.source import Unit, list_child_nodes
from promptuary.renderer.problems import Place

__all__ = ["Use", "list_used_names"]

_SPECIAL = frozenset(("caller", "kwargs", "loop", "self", "varargs"))


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a name. `sure` is False if a `{% set %}` in one branch of an `if` may have bound it."""

    name: str
    place: Place
    sure: bool = True
    is_elsewhere: bool = False
    """Whether it is in a fragment; `place` is then the fragment's tag."""


@dataclass
class _Scope:
    bound: set[str] = field(default_factory=set)
    maybe: set[str] = field(default_factory=set)

    def inner(self, names: Iterable[str] = ()) -> "_Scope":
        return _Scope(self.bound | set(names), set(self.maybe))


def list_used_names(unit: Unit) -> list[Use]:
    """Return every use, in order, of a name that neither the unit nor its includes bind."""
    walker = _Walk(unit)
    walker.walk(unit.tree.body, _Scope())
    return walker.uses


class _Walk:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.uses: list[Use] = []
        self.open: set[str] = set()

    def walk(self, many: Iterable[nodes.Node], scope: _Scope) -> None:
        for node in many:
            self.visit(node, scope)

    def visit(self, node: nodes.Node, scope: _Scope) -> None:
        visit = getattr(self, f"_visit_{type(node).__name__.lower()}", None)
        if visit is not None:
            visit(node, scope)
        else:
            self.walk(list_child_nodes(node), scope)

    def _visit_name(self, node: nodes.Name, scope: _Scope) -> None:
        if node.ctx != "load":
            scope.bound.add(node.name)
        elif node.name not in scope.bound and node.name not in _SPECIAL:
            offset = node.lineno - 1
            place = self.unit.place(offset, offset + len(node.name))
            elsewhere = self.unit.shown is not None
            self.uses.append(Use(node.name, place, node.name not in scope.maybe, elsewhere))

    def _visit_for(self, node: nodes.For, scope: _Scope) -> None:
        self.visit(node.iter, scope)
        inner = scope.inner(["loop"])
        self.visit(node.target, inner)
        if node.test:
            self.visit(node.test, inner)
        self.walk(node.body, inner)
        self.walk(node.else_, scope.inner())

    def _visit_if(self, node: nodes.If, scope: _Scope) -> None:
        self.visit(node.test, scope)
        branches = []
        for body in (node.body, node.elif_, node.else_):
            branch = scope.inner()
            self.walk(body, branch)
            branches.append(branch.bound)
        # An `elif` is a separate test, so only `if … else …` is certain to bind.
        sure = branches[0] & branches[2] if node.else_ and not node.elif_ else set(scope.bound)
        scope.maybe |= set().union(*branches) - sure
        scope.bound |= sure

    def _visit_assign(self, node: nodes.Assign, scope: _Scope) -> None:
        self.visit(node.node, scope)
        self.visit(node.target, scope)

    def _visit_assignblock(self, node: nodes.AssignBlock, scope: _Scope) -> None:
        self.walk(node.body, scope.inner())
        if node.filter is not None:
            self.visit(node.filter, scope)
        self.visit(node.target, scope)

    def _visit_with(self, node: nodes.With, scope: _Scope) -> None:
        self.walk(node.values, scope)
        inner = scope.inner()
        self.walk(node.targets, inner)
        self.walk(node.body, inner)

    def _visit_macro(self, node: nodes.Macro, scope: _Scope) -> None:
        scope.bound.add(node.name)
        self.walk(node.defaults, scope)
        inner = scope.inner(arg.name for arg in node.args)
        self.walk(node.body, inner)

    def _visit_callblock(self, node: nodes.CallBlock, scope: _Scope) -> None:
        self.visit(node.call, scope)
        self.walk(node.defaults, scope)
        self.walk(node.body, scope.inner(arg.name for arg in node.args))

    def _visit_filterblock(self, node: nodes.FilterBlock, scope: _Scope) -> None:
        self.visit(node.filter, scope)
        self.walk(node.body, scope.inner())

    def _visit_block(self, node: nodes.Block, scope: _Scope) -> None:
        self.walk(node.body, scope.inner())

    def _visit_include(self, node: nodes.Include, scope: _Scope) -> None:
        self.visit(node.template, scope)
        ref = node.template.value if isinstance(node.template, nodes.Const) else None
        included = self.unit.sandbox.units.get(ref) if isinstance(ref, str) and ref else None
        if included is None or included.ref in self.open:
            return
        outer, self.unit = self.unit, included
        self.open.add(str(included.ref))
        self.walk(included.tree.body, scope.inner())
        self.open.discard(str(included.ref))
        self.unit = outer
