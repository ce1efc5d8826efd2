"""Infers how a body uses each name it takes from outside, by following values through its syntax tree."""

from collections.abc import Iterable, Iterator
from typing import Any

from jinja2 import nodes

from promptuary.renderer.jinja import builtin_usage
from promptuary.renderer.jinja.source import Unit, find_nodes, list_child_nodes
from promptuary.renderer.jinja.usage import Usage

__all__ = ["infer_usages"]


def infer_usages(unit: Unit) -> dict[str, Usage]:
    """Return how the unit and its includes use each name that they don't bind, in order of first use."""
    walker = _Walk(unit)
    walker.walk(unit.tree.body, {})
    return walker.found


Scope = dict[str, Usage | None]
_ORDERS = ("lt", "lteq", "gt", "gteq")  # two values with an order are numbers more often than texts


class _Walk:
    """Follows values through loops, assignments and filters. A name bound to an unknown value is None in its scope."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.found: dict[str, Usage] = {}
        self.open: set[str] = set()

    def walk(self, many: Iterable[nodes.Node], scope: Scope) -> None:
        for node in many:
            visit = getattr(self, f"_visit_{type(node).__name__.lower()}", None)
            if visit is not None:
                visit(node, scope)
            elif isinstance(node, nodes.Expr):
                self.follow(node, scope)
            else:
                self.walk(list_child_nodes(node), scope)

    def _visit_output(self, node: nodes.Output, scope: Scope) -> None:
        for child in node.nodes:
            if not isinstance(child, nodes.TemplateData):
                self._print(child, scope)

    def _print(self, node: nodes.Node, scope: Scope) -> None:
        if isinstance(node, nodes.CondExpr):
            self._follow_condition(node.test, scope)
            for branch in (node.expr1, node.expr2):
                if branch is not None:
                    self._print(branch, scope)
            return
        if isinstance(node, nodes.Or | nodes.And):
            self._print(node.left, scope)
            self._print(node.right, scope)
            return
        usage = self.follow(node, scope)
        if usage is not None:
            usage.is_printed = True

    def _visit_for(self, node: nodes.For, scope: Scope) -> None:
        pairs = _find_method(node.iter, ("items",))
        usage = self.follow(node.iter, scope)
        inner = dict(scope)
        inner["loop"] = None
        if isinstance(node.target, nodes.Name):
            inner[node.target.name] = usage.item() if usage is not None and pairs is None else None
        else:
            inner.update(dict.fromkeys(_find_names(node.target)))
            if usage is not None and pairs is None:
                usage.item()
        if node.test:
            self._follow_condition(node.test, inner)
        self.walk(node.body, inner)
        self.walk(node.else_, dict(scope))

    def _visit_if(self, node: nodes.If, scope: Scope) -> None:
        self._follow_condition(node.test, scope)
        for body in (node.body, node.elif_, node.else_):
            self.walk(body, scope)

    def _visit_assign(self, node: nodes.Assign, scope: Scope) -> None:
        usage = self.follow(node.node, scope)
        if isinstance(node.target, nodes.Name):
            # `{% set tone = tone or "warm" %}` reads the input before it binds the name.
            scope[node.target.name] = usage
        else:
            scope.update(dict.fromkeys(_find_names(node.target)))

    def _visit_assignblock(self, node: nodes.AssignBlock, scope: Scope) -> None:
        self.walk(node.body, dict(scope))
        scope.update(dict.fromkeys(_find_names(node.target)))

    def _visit_with(self, node: nodes.With, scope: Scope) -> None:
        inner = dict(scope)
        for target, value in zip(node.targets, node.values, strict=True):
            usage = self.follow(value, scope)
            if isinstance(target, nodes.Name):
                inner[target.name] = usage
            else:
                inner.update(dict.fromkeys(_find_names(target)))
        self.walk(node.body, inner)

    def _visit_macro(self, node: nodes.Macro, scope: Scope) -> None:
        scope[node.name] = None
        for default in node.defaults:
            self.follow(default, scope)
        inner = {**scope, **dict.fromkeys(arg.name for arg in node.args)}
        self.walk(node.body, {**inner, "caller": None, "varargs": None, "kwargs": None})

    def _visit_callblock(self, node: nodes.CallBlock, scope: Scope) -> None:
        self.follow(node.call, scope)
        self.walk(node.body, {**scope, **dict.fromkeys(arg.name for arg in node.args)})

    def _visit_include(self, node: nodes.Include, scope: Scope) -> None:
        ref = node.template.value if isinstance(node.template, nodes.Const) else None
        included = self.unit.sandbox.units.get(ref) if isinstance(ref, str) and ref else None
        if included is None or included.ref in self.open:
            return
        outer, self.unit = self.unit, included
        self.open.add(str(included.ref))
        self.walk(included.tree.body, dict(scope))
        self.open.discard(str(included.ref))
        self.unit = outer

    def _follow_condition(self, node: nodes.Node, scope: Scope) -> None:
        """A condition: a value that is the whole condition is only tested for truth."""
        if isinstance(node, nodes.Not):
            self._follow_condition(node.node, scope)
        elif isinstance(node, nodes.And | nodes.Or):
            self._follow_condition(node.left, scope)
            self._follow_condition(node.right, scope)
        else:
            usage = self.follow(node, scope)
            if usage is not None and isinstance(node, nodes.Name | nodes.Getattr | nodes.Getitem):
                usage.is_tested = True

    def follow(self, node: nodes.Node | None, scope: Scope) -> Usage | None:
        """Follow an expression. Returns the usage of the value it passes on, None if it makes a new value."""
        visit = getattr(self, f"_follow_{type(node).__name__.lower()}", None)
        if visit is not None:
            passed: Usage | None = visit(node, scope)
            return passed
        if isinstance(node, nodes.BinExpr):
            self._infer_operands(node, scope)
        elif node is not None:
            for child in list_child_nodes(node):
                inner = child.value if isinstance(child, nodes.Keyword | nodes.Pair) else child
                if isinstance(inner, nodes.Expr):
                    self.follow(inner, scope)
        return None

    def _follow_name(self, node: nodes.Name, scope: Scope) -> Usage | None:
        if node.name in scope:
            return scope[node.name]
        if node.name in self.unit.sandbox.globals:
            return None
        return self.found.setdefault(node.name, Usage())

    def _follow_getattr(self, node: nodes.Getattr, scope: Scope) -> Usage | None:
        owner = self.follow(node.node, scope)
        return owner.key(node.attr) if owner is not None else None

    def _follow_getitem(self, node: nodes.Getitem, scope: Scope) -> Usage | None:
        owner = self.follow(node.node, scope)
        if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str):
            return owner.key(node.arg.value) if owner is not None else None
        if isinstance(node.arg, nodes.Const | nodes.Neg) and owner is not None:
            return owner.item()
        if isinstance(node.arg, nodes.Slice):
            for bound in (node.arg.start, node.arg.stop, node.arg.step):
                self.follow(bound, scope)
            return owner
        self.follow(node.arg, scope)
        return None

    def _follow_call(self, node: nodes.Call, scope: Scope) -> Usage | None:
        owner = self._infer_method_owner(node, scope)
        usages = self._follow_arguments(node, scope)
        is_range = isinstance(node.node, nodes.Name) and node.node.name == "range"
        for usage in filter(None, usages if is_range else ()):
            usage.is_number = True
        if method := _find_method(node, ("format",)):
            builtin_usage.note_formatted(method.node, usages, is_filter=False)
        if owner is not None and isinstance(node.node, nodes.Getattr):
            if node.node.attr == "get" and node.args and isinstance(node.args[0], nodes.Const):
                value = owner.key(str(node.args[0].value))
                value.has_default = True
                return value
            return owner if node.node.attr in builtin_usage.TEXT_METHODS else None
        return None

    def _infer_method_owner(self, node: nodes.Call, scope: Scope) -> Usage | None:
        """The value on which a method is called, inferred to have that method."""
        if not isinstance(node.node, nodes.Getattr):
            self.follow(node.node, scope)
            return None
        owner = self.follow(node.node.node, scope)
        if owner is not None:
            builtin_usage.note_method(owner, node.node.attr)
        return owner

    def _follow_arguments(self, node: nodes.Call | nodes.Filter, scope: Scope) -> list[Usage | None]:
        return [self.follow(argument, scope) for argument in (*node.args, *(keyword.value for keyword in node.kwargs))]

    def _follow_filter(self, node: nodes.Filter, scope: Scope) -> Usage | None:
        usage = self.follow(node.node, scope) if node.node is not None else None
        usages = self._follow_arguments(node, scope)
        if node.name == "format":
            builtin_usage.note_formatted(node.node, usages, is_filter=True)
        return builtin_usage.note_filter(usage, node) if usage is not None else None

    def _follow_test(self, node: nodes.Test, scope: Scope) -> Usage | None:
        usage = self.follow(node.node, scope)
        for argument in node.args:
            self.follow(argument, scope)
        if usage is not None:
            builtin_usage.note_test(usage, node.name)
        return None

    def _follow_compare(self, node: nodes.Compare, scope: Scope) -> Usage | None:
        sides = [node.expr, *(operand.expr for operand in node.ops)]
        usages = [self.follow(side, scope) for side in sides]
        constants = [value for side in sides for value in _find_constants(side)]
        has_number = any(isinstance(value, int | float) and not isinstance(value, bool) for value in constants)
        has_number |= not constants and any(operand.op in _ORDERS for operand in node.ops)
        contained = [operand for operand in node.ops if operand.op in ("in", "notin")]
        for place, usage in enumerate(usages):
            if usage is None or (contained and place == len(usages) - 1):
                continue
            usage.is_number |= has_number
            usage.is_tested |= any(isinstance(value, bool) for value in constants)
            usage.is_compared |= any(isinstance(value, str) for value in constants)
        return None

    def _follow_condexpr(self, node: nodes.CondExpr, scope: Scope) -> Usage | None:
        self._follow_condition(node.test, scope)
        first = self.follow(node.expr1, scope)
        second = self.follow(node.expr2, scope)
        return first or second

    def _follow_or(self, node: nodes.Or, scope: Scope) -> Usage | None:
        first = self.follow(node.left, scope)
        return first or self.follow(node.right, scope)

    def _follow_and(self, node: nodes.And, scope: Scope) -> Usage | None:
        self._follow_condition(node.left, scope)
        return self.follow(node.right, scope)

    def _follow_not(self, node: nodes.Not, scope: Scope) -> Usage | None:
        self._follow_condition(node.node, scope)
        return None

    def _follow_concat(self, node: nodes.Concat, scope: Scope) -> Usage | None:
        for child in node.nodes:
            self._print(child, scope)
        return None

    def _follow_neg(self, node: nodes.Neg, scope: Scope) -> Usage | None:
        if (usage := self.follow(node.node, scope)) is not None:
            usage.is_number = True
        return None

    def _infer_operands(self, node: nodes.BinExpr, scope: Scope) -> None:
        """Arithmetic implies numbers; `+` and `%` with a text imply texts."""
        sides = (node.left, node.right)
        usages = [self.follow(side, scope) for side in sides]
        texts = any(isinstance(value, str) for side in sides for value in _find_constants(side))
        numbers = any(isinstance(value, int | float) for side in sides for value in _find_constants(side))
        for usage in usages:
            if usage is None:
                continue
            if isinstance(node, nodes.Add | nodes.Mod | nodes.Mul) and texts:
                usage.is_printed = True
            elif not isinstance(node, nodes.Add) or numbers:
                usage.is_number = True
            else:
                usage.is_printed = True


def _find_method(node: nodes.Node, methods: Iterable[str]) -> nodes.Getattr | None:
    """The method that an expression calls, if it is one of these."""
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and node.node.attr in methods:
        return node.node
    return None


def _find_constants(node: nodes.Node) -> Iterator[Any]:
    if isinstance(node, nodes.Const):
        yield node.value
    elif isinstance(node, nodes.List | nodes.Tuple):
        for item in node.items:
            yield from _find_constants(item)


def _find_names(node: nodes.Node) -> list[str]:
    return [name.name for name in find_nodes(node, nodes.Name)]
