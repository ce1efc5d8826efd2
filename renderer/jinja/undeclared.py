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
    walk = _Walk(unit)
    walk.all(unit.tree.body, _Scope())
    return walk.uses


class _Walk:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.uses: list[Use] = []
        self.open: set[str] = set()

    def all(self, many: Iterable[nodes.Node], scope: _Scope) -> None:
        for node in many:
            self.one(node, scope)

    def one(self, node: nodes.Node, scope: _Scope) -> None:
        visit = getattr(self, f"_{type(node).__name__.lower()}", None)
        if visit is not None:
            visit(node, scope)
        else:
            self.all(list_child_nodes(node), scope)

    def _name(self, node: nodes.Name, scope: _Scope) -> None:
        if node.ctx != "load":
            scope.bound.add(node.name)
        elif node.name not in scope.bound and node.name not in _SPECIAL:
            offset = node.lineno - 1
            place = self.unit.place(offset, offset + len(node.name))
            elsewhere = self.unit.shown is not None
            self.uses.append(Use(node.name, place, node.name not in scope.maybe, elsewhere))

    def _for(self, node: nodes.For, scope: _Scope) -> None:
        self.one(node.iter, scope)
        inner = scope.inner(["loop"])
        self.one(node.target, inner)
        if node.test:
            self.one(node.test, inner)
        self.all(node.body, inner)
        self.all(node.else_, scope.inner())

    def _if(self, node: nodes.If, scope: _Scope) -> None:
        self.one(node.test, scope)
        branches = []
        for body in (node.body, node.elif_, node.else_):
            branch = scope.inner()
            self.all(body, branch)
            branches.append(branch.bound)
        # An `elif` is a separate test, so only `if … else …` is certain to bind.
        sure = branches[0] & branches[2] if node.else_ and not node.elif_ else set(scope.bound)
        scope.maybe |= set().union(*branches) - sure
        scope.bound |= sure

    def _assign(self, node: nodes.Assign, scope: _Scope) -> None:
        self.one(node.node, scope)
        self.one(node.target, scope)

    def _assignblock(self, node: nodes.AssignBlock, scope: _Scope) -> None:
        self.all(node.body, scope.inner())
        if node.filter is not None:
            self.one(node.filter, scope)
        self.one(node.target, scope)

    def _with(self, node: nodes.With, scope: _Scope) -> None:
        self.all(node.values, scope)
        inner = scope.inner()
        self.all(node.targets, inner)
        self.all(node.body, inner)

    def _macro(self, node: nodes.Macro, scope: _Scope) -> None:
        scope.bound.add(node.name)
        self.all(node.defaults, scope)
        inner = scope.inner(arg.name for arg in node.args)
        self.all(node.body, inner)

    def _callblock(self, node: nodes.CallBlock, scope: _Scope) -> None:
        self.one(node.call, scope)
        self.all(node.defaults, scope)
        self.all(node.body, scope.inner(arg.name for arg in node.args))

    def _filterblock(self, node: nodes.FilterBlock, scope: _Scope) -> None:
        self.one(node.filter, scope)
        self.all(node.body, scope.inner())

    def _block(self, node: nodes.Block, scope: _Scope) -> None:
        self.all(node.body, scope.inner())

    def _include(self, node: nodes.Include, scope: _Scope) -> None:
        self.one(node.template, scope)
        ref = node.template.value if isinstance(node.template, nodes.Const) else None
        included = self.unit.sandbox.units.get(ref) if isinstance(ref, str) and ref else None
        if included is None or included.ref in self.open:
            return
        outer, self.unit = self.unit, included
        self.open.add(str(included.ref))
        self.all(included.tree.body, scope.inner())
        self.open.discard(str(included.ref))
        self.unit = outer
